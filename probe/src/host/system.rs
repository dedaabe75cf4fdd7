//! The system around the process: container, batch system, security module, C library.

use firstfault_schema::facts;
use firstfault_schema::report::Container;

use super::container::{self, Wsl};
use super::{Collector, read, read_line};
use crate::interpreter::Surroundings;

pub(super) fn collect(surroundings: &Surroundings, collector: &mut Collector<'_>) -> Container {
    let kind = container::kind(surroundings);
    collector.add(facts::CONTAINER, Some(container::name(kind)));
    if cfg!(target_os = "linux") {
        let wsl = match container::wsl(surroundings) {
            Wsl::None => "none",
            Wsl::One => "wsl1",
            Wsl::Two => "wsl2",
        };
        collector.add(facts::WSL, Some(wsl));
        collector.add(facts::TEGRA, Some(is_tegra(surroundings)));
        collector.add(facts::SELINUX, selinux(surroundings));
    }
    let (scheduler, granted) = scheduler(surroundings);
    collector.add(facts::SCHEDULER, Some(scheduler));
    collector.add(facts::SCHEDULER_GPU, granted);
    collector.add(facts::GLIBC_VERSION, glibc_version());
    kind
}

fn is_tegra(surroundings: &Surroundings) -> bool {
    // The device tree separates its entries by zero bytes: nvidia,p3767-0000 and nvidia,tegra234.
    surroundings.system("etc/nv_tegra_release").exists()
        || read(&surroundings.system("proc/device-tree/compatible"))
            .is_some_and(|text| text.contains("nvidia,tegra"))
}

fn selinux(surroundings: &Surroundings) -> Option<&'static str> {
    match read_line(&surroundings.system("sys/fs/selinux/enforce")).as_deref() {
        Some("1") => Some("enforcing"),
        Some("0") => Some("permissive"),
        Some(_) => None,
        // In a container the folder may be hidden while the module is at work.
        None => {
            let known = read(&surroundings.system("proc/filesystems"))?;
            (!known.contains("selinuxfs")).then_some("disabled")
        }
    }
}

/// The batch system that started this process, and whether it says that it granted a GPU.
fn scheduler(surroundings: &Surroundings) -> (&'static str, Option<&'static str>) {
    let is_set = |name: &str| surroundings.variable(name).is_some();
    let any = |names: &[&str]| names.iter().any(|name| is_set(name));
    let granted = |names: &[&str]| Some(if any(names) { "granted" } else { "not_granted" });
    if any(&["SLURM_JOB_ID", "SLURM_JOBID"]) {
        let by_slurm = [
            "SLURM_JOB_GPUS",
            "SLURM_STEP_GPUS",
            "SLURM_GPUS",
            "SLURM_GPUS_ON_NODE",
            "SLURM_GPUS_PER_NODE",
            "SLURM_GPUS_PER_TASK",
        ];
        ("slurm", granted(&by_slurm))
    } else if any(&["PBS_JOBID"]) {
        ("pbs", granted(&["PBS_NGPUS", "PBS_GPUFILE"]))
    } else if any(&["LSB_JOBID"]) {
        // LSF tells of GPUs by the visibility variable alone.
        (
            "lsf",
            granted(&["CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES1"]),
        )
    } else if any(&["SGE_TASK_ID"]) && any(&["JOB_ID"]) {
        ("sge", any(&["SGE_HGR_gpu"]).then_some("granted"))
    } else if any(&[
        "COBALT_JOBID",
        "FLUX_JOB_ID",
        "OAR_JOB_ID",
        "_CONDOR_JOB_AD",
    ]) {
        ("other", None)
    } else {
        ("none", None)
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn glibc_version() -> Option<String> {
    unsafe extern "C" {
        safe fn gnu_get_libc_version() -> *const std::ffi::c_char;
    }
    // SAFETY: the C library returns a pointer to a constant, zero-terminated text that lives as long as the process.
    let text = unsafe { std::ffi::CStr::from_ptr(gnu_get_libc_version()) };
    text.to_str().ok().map(str::to_owned)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn glibc_version() -> Option<String> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    #[test]
    fn a_slurm_job_without_a_gpu_is_told() {
        let mut machine = Machine::new();
        machine.write("proc/filesystems", "nodev\tsysfs\nnodev\tproc\n\text4\n");
        machine.set("SLURM_JOB_ID", "42");
        let collect_all = |surroundings: &Surroundings, collector: &mut Collector<'_>| {
            collect(surroundings, collector);
        };
        let found = machine.facts(collect_all);
        assert_eq!(value(&found, facts::SCHEDULER), "slurm");
        assert_eq!(value(&found, facts::SCHEDULER_GPU), "not_granted");
        assert_eq!(value(&found, facts::SELINUX), "disabled");
        assert_eq!(value(&found, facts::CONTAINER), "none");
        assert_eq!(value(&found, facts::TEGRA), "false");
        machine.set("SLURM_JOB_GPUS", "0");
        assert_eq!(
            value(&machine.facts(collect_all), facts::SCHEDULER_GPU),
            "granted"
        );
    }

    #[test]
    fn a_jetson_is_known_by_its_device_tree() {
        let machine = Machine::new();
        machine.write(
            "proc/device-tree/compatible",
            "nvidia,p3768-0000+p3767-0000\0nvidia,p3767-0000\0nvidia,tegra234\0",
        );
        machine.write("sys/fs/selinux/enforce", "1");
        assert!(is_tegra(&machine.surroundings()));
        assert_eq!(selinux(&machine.surroundings()), Some("enforcing"));
    }

    #[test]
    #[cfg(target_env = "gnu")]
    fn the_c_library_tells_its_version() {
        let version = glibc_version().unwrap();
        assert!(firstfault_schema::facts::is_version(&version), "{version}");
    }
}

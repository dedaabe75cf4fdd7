//! The host check: what `nvidia-smi` is asked, and how its answers are read. NVIDIA's only: it has no equivalent for ROCm.

use std::path::Path;

use firstfault_schema::facts::is_version;
use firstfault_schema::report::{Host, HostGpu, HostStatus};

/// The program's name, looked for on PATH.
pub const PROGRAM: &str = "nvidia-smi";

/// Its arguments for the GPUs. The UUID connects the two answers and is left out of what is read.
pub const fn arguments() -> [&'static str; 2] {
    [
        "--query-gpu=uuid,name,memory.total,memory.used,driver_version",
        "--format=csv,noheader,nounits",
    ]
}

/// Its arguments for the processes that hold memory.
pub const fn process_arguments() -> [&'static str; 2] {
    [
        "--query-compute-apps=gpu_uuid,used_memory",
        "--format=csv,noheader,nounits",
    ]
}

/// Whether the list of processes can be complete. The driver leaves out those that the asking process can't see, which in
/// a container are nearly all: there, memory that no process is named for accuses nobody.
pub fn sees_all_processes() -> bool {
    // The number that the kernel gives to its first namespace of processes, whatever the machine.
    let first = Path::new("pid:[4026531836]");
    cfg!(not(target_os = "linux"))
        || std::fs::read_link("/proc/self/ns/pid").is_ok_and(|own| own == first)
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this number.
    Exited(i32),
    /// It was stopped at its limit.
    TimedOut,
    /// It isn't there, or can't be started.
    NotStarted,
    /// A signal ended it.
    Crashed,
}

const NO_DEVICES: &str = "No devices were found";
/// The most GPUs that are kept.
const MOST_GPUS: usize = 64;

/// Reads the answer. A failure keeps what was told before it: with one broken GPU among several, `nvidia-smi` lists the
/// others and exits with a number other than zero. `processes` is the list of processes, where there is one that can be
/// trusted.
pub fn parse(stdout: &str, end: End, processes: Option<&str>) -> Host {
    let mut gpus = Vec::new();
    let mut driver_version = None;
    for line in stdout.lines() {
        if let Some((uuid, mut gpu, version)) = parse_line(line)
            && gpus.len() < MOST_GPUS
        {
            gpu.process_memory_bytes = processes.and_then(|list| memory_of_processes(list, &uuid));
            gpus.push(gpu);
            driver_version = driver_version.or(version);
        }
    }
    let answered = !gpus.is_empty();
    let status = match end {
        End::NotStarted => HostStatus::NotInstalled,
        End::TimedOut => HostStatus::TimedOut,
        End::Exited(0) if answered || says_no_devices(stdout) => HostStatus::Answered,
        End::Exited(6) if says_no_devices(stdout) => HostStatus::Answered,
        End::Exited(_) | End::Crashed => HostStatus::Failed,
    };
    Host {
        status,
        driver_version,
        gpus: (answered || status == HostStatus::Answered).then_some(gpus),
    }
}

/// With a driver and no GPU it says on standard output, and exits with 6:
/// ```text
/// No devices were found
/// ```
fn says_no_devices(stdout: &str) -> bool {
    stdout.lines().any(|line| line.trim() == NO_DEVICES)
}

/// The memory of all processes that are listed for a GPU, in MiB; none where one of them is not told, or the list is no list:
/// ```text
/// GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d, 1374
/// GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d, [N/A]
/// [Insufficient Permissions], [Insufficient Permissions]
/// No running processes found
/// ```
fn memory_of_processes(list: &str, uuid: &str) -> Option<u64> {
    if !uuid.starts_with("GPU-") {
        return None;
    }
    let mut sum = 0_u64;
    for line in list.lines().map(str::trim).filter(|line| {
        !line.is_empty() && *line != "No running processes found" && *line != NO_DEVICES
    }) {
        let (of, used) = line.split_once(',')?;
        if !of.trim().starts_with("GPU-") {
            return None;
        }
        if of.trim() == uuid {
            let mebibytes: u64 = used.trim().parse().ok()?;
            sum = sum.checked_add(mebibytes.checked_mul(1024 * 1024)?)?;
        }
    }
    Some(sum)
}

/// One GPU a line, memory in MiB:
/// ```text
/// GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d, NVIDIA H200, 143771, 0, 570.124.06
/// GPU-8e0b3a71-1c5f-4d2e-9b66-1f7a4b3c2d0e, NVIDIA GeForce RTX 3060 Laptop GPU, 6144, 10, 535.183.01
/// GPU-9f1c4b82-2d60-4e3f-8c77-2a8b5c4d3e1f, NVIDIA GH200 480GB, [N/A], [N/A], 550.54.14
/// [N/A], Orin (nvgpu), [N/A], [N/A], 540.3.0
/// ```
/// What is no such line is an error's text:
/// ```text
/// NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA ...
/// Failed to initialize NVML: Driver/library version mismatch
/// NVML library version: 550.144
/// Unable to determine the device handle for GPU0000:41:00.0: Unknown Error
/// ```
fn parse_line(line: &str) -> Option<(String, HostGpu, Option<String>)> {
    let (uuid, line) = line.split_once(',')?;
    let uuid = uuid.trim();
    if !uuid.starts_with("GPU-") && !is_not_told(uuid) {
        return None;
    }
    // A name may hold a comma, so the fields are taken from the end.
    let mut fields = line.rsplitn(4, ',').map(str::trim);
    let driver = fields.next()?;
    let used = fields.next()?;
    let total = fields.next()?;
    let name = fields.next().filter(|name| !name.is_empty())?;
    if !is_version(driver) && !is_not_told(driver) {
        return None;
    }
    let mebibytes = |text: &str| -> Option<Option<u64>> {
        if is_not_told(text) {
            return Some(None);
        }
        let number: u64 = text.parse().ok()?;
        Some(Some(number.checked_mul(1024 * 1024)?))
    };
    let gpu = HostGpu {
        name: crate::names::product(name),
        total_memory_bytes: mebibytes(total)?,
        used_memory_bytes: mebibytes(used)?,
        process_memory_bytes: None,
    };
    Some((
        uuid.to_owned(),
        gpu,
        is_version(driver).then(|| driver.to_owned()),
    ))
}

/// `[N/A]`, `[Not Supported]`, `[Insufficient Permissions]`.
fn is_not_told(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn every_gpu_is_read_with_its_memory() {
        let host = parse(
            "GPU-1, NVIDIA H200, 143771, 512, 570.124.06\nGPU-2, NVIDIA H200, 143771, 0, 570.124.06\n",
            End::Exited(0),
            None,
        );
        assert_eq!(host.status, HostStatus::Answered);
        assert_eq!(host.driver_version.as_deref(), Some("570.124.06"));
        let gpus = host.gpus.unwrap();
        assert_eq!(gpus.len(), 2);
        assert_eq!(gpus[0].name, "NVIDIA H200");
        assert_eq!(gpus[0].total_memory_bytes, Some(143_771 * MIB));
        assert_eq!(gpus[0].used_memory_bytes, Some(512 * MIB));
    }

    #[test]
    fn what_is_not_told_is_null_and_not_zero() {
        let host = parse(
            "GPU-1, NVIDIA GH200 480GB, [N/A], [N/A], 550.54.14\n",
            End::Exited(0),
            None,
        );
        let gpus = host.gpus.unwrap();
        assert_eq!(gpus[0].total_memory_bytes, None);
        assert_eq!(gpus[0].used_memory_bytes, None);
        let host = parse(
            "[N/A], Orin (nvgpu), [N/A], [N/A], [N/A]\n",
            End::Exited(0),
            None,
        );
        assert_eq!(host.driver_version, None);
        assert_eq!(host.gpus.unwrap().len(), 1);
    }

    #[test]
    fn an_errors_text_is_no_answer() {
        for text in [
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n",
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n",
            "Failed to initialize NVML: Unknown Error\n",
            "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error\n",
            "a, b, c, 1.2.3\n",
            "a, b, c, d, 1.2.3\n",
            "",
        ] {
            let host = parse(text, End::Exited(9), None);
            assert_eq!(host.status, HostStatus::Failed, "{text}");
            assert_eq!(host.gpus, None, "{text}");
            assert_eq!(host.driver_version, None, "{text}");
        }
        // An answer without a GPU is no pass either.
        assert_eq!(parse("", End::Exited(0), None).status, HostStatus::Failed);
    }

    #[test]
    fn a_driver_without_a_gpu_has_answered() {
        let host = parse("No devices were found\n", End::Exited(6), None);
        assert_eq!(host.status, HostStatus::Answered);
        assert_eq!(host.gpus, Some(Vec::new()));
    }

    #[test]
    fn a_broken_gpu_among_several_keeps_the_others() {
        let host = parse(
            "GPU-1, NVIDIA A100-SXM4-80GB, 81920, 4, 535.104.05\nUnable to determine the device handle for GPU0000:47:00.0: Unknown Error\n",
            End::Exited(255),
            None,
        );
        assert_eq!(host.status, HostStatus::Failed);
        assert_eq!(host.gpus.unwrap().len(), 1);
    }

    #[test]
    fn an_end_without_an_answer_is_told_apart() {
        assert_eq!(parse("", End::TimedOut, None).status, HostStatus::TimedOut);
        assert_eq!(
            parse("", End::NotStarted, None).status,
            HostStatus::NotInstalled
        );
        assert_eq!(parse("", End::Crashed, None).status, HostStatus::Failed);
    }

    #[test]
    fn memory_of_processes_is_summed_for_each_gpu_or_not_told_at_all() {
        let gpus = "GPU-1, NVIDIA H200, 143771, 5000, 570.124.06\nGPU-2, NVIDIA H200, 143771, 3, 570.124.06\n";
        let told = |processes: Option<&str>| {
            parse(gpus, End::Exited(0), processes)
                .gpus
                .unwrap()
                .iter()
                .map(|gpu| gpu.process_memory_bytes.map(|bytes| bytes / MIB))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(None), [None, None]);
        for nothing in ["", "No running processes found\n"] {
            assert_eq!(told(Some(nothing)), [Some(0), Some(0)]);
        }
        assert_eq!(
            told(Some("GPU-1, 4000\nGPU-1, 500\n")),
            [Some(4500), Some(0)]
        );
        assert_eq!(told(Some("GPU-1, [N/A]\nGPU-2, 1\n")), [None, Some(1)]);
        for broken in [
            "[Insufficient Permissions], [Insufficient Permissions]\n",
            "Failed to initialize NVML: Unknown Error\n",
            "GPU-1, 4000\nsomething, else\n",
        ] {
            let told = told(Some(broken));
            assert_eq!(told[1], None, "{broken}");
        }
    }
}

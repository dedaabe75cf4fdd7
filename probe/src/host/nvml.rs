//! NVIDIA's management library. It may hang, or crash: only for a process of its own.

use std::ffi::OsStr;

use firstfault_schema::facts;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{ComputeMode, EccCounter, MemoryError};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::{NvmlError, nvml_try};
use nvml_wrapper::{Device, Nvml};

use super::Collector;
use super::variables::{Entry, entries};
use crate::interpreter::Surroundings;

const LIBRARY: &str = if cfg!(windows) {
    "nvml.dll"
} else {
    "libnvidia-ml.so.1"
};
/// The most GPUs that are looked at.
const MOST_GPUS: u32 = 64;

/// Asks about every GPU, and about the wanted one where it is known which it is. `library_found` says whether the
/// loader has a file of that name; `architectures` are those that the PyTorch build has kernels for.
pub(super) fn collect(
    surroundings: &Surroundings,
    index: u32,
    library_found: bool,
    architectures: &[String],
    collector: &mut Collector<'_>,
) {
    let nvml = match Nvml::builder().lib_path(OsStr::new(LIBRARY)).init() {
        Ok(nvml) => nvml,
        Err(error) => {
            collector.add(facts::NVML_STATUS, Some(status(&error, library_found)));
            return;
        }
    };
    let count = match nvml.device_count() {
        Ok(count) => count,
        Err(error) => {
            collector.add(facts::NVML_STATUS, Some(status(&error, library_found)));
            return;
        }
    };
    collector.add(facts::NVML_GPU_COUNT, Some(u64::from(count)));
    let mut devices = Vec::new();
    let mut first_problem = None;
    for number in 0..count.min(MOST_GPUS) {
        match nvml.device_by_index(number) {
            Ok(device) => devices.push(device),
            Err(error) => {
                first_problem.get_or_insert(status(&error, library_found));
            }
        }
    }
    let word = first_problem.unwrap_or(if count == 0 { "no_devices" } else { "ok" });
    let wanted = wanted(&nvml, &devices, surroundings, index);
    modes(&devices, wanted.as_ref(), collector);
    fabric(&nvml, &devices, collector);
    #[cfg(target_os = "linux")]
    virtual_gpu(&nvml, &devices, wanted.as_ref(), collector);
    if let Some(device) = &wanted {
        architecture(device, architectures, collector);
        memory(device, collector);
        health(&nvml, device, collector);
    }
    // Last: of a later hang or crash only the parent can tell.
    collector.add(facts::NVML_STATUS, Some(word));
    // Shutting the library down may hang as well; the process ends soon.
    std::mem::forget(nvml);
}

/// Memory of one GPU, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuMemory {
    pub(crate) used: u64,
    pub(crate) total: u64,
}

/// Memory of all GPUs at one moment.
#[derive(Debug)]
pub(crate) struct GpuMemories {
    /// In the order of NVML.
    pub(crate) all: Vec<GpuMemory>,
    /// Of the one that the index means, or of its instance (MIG); none where that can't be told.
    pub(crate) wanted: Option<GpuMemory>,
}

/// Tells memory of every GPU, and of the one that `index` means to PyTorch, again and again until `tell` answers false.
/// Returns at once where NVML tells nothing.
pub(crate) fn watch_memory(
    interval: std::time::Duration,
    index: u32,
    mut tell: impl FnMut(GpuMemories) -> bool,
) {
    let Ok(nvml) = Nvml::builder().lib_path(OsStr::new(LIBRARY)).init() else {
        return;
    };
    let count = nvml.device_count().unwrap_or(0).min(MOST_GPUS);
    let devices: Vec<Device<'_>> = (0..count)
        .filter_map(|number| nvml.device_by_index(number).ok())
        .collect();
    let wanted = Surroundings::of_this_process()
        .ok()
        .and_then(|surroundings| part(&nvml, &devices, &surroundings, index));
    let memory = |device: &Device<'_>| {
        let memory = device.memory_info().ok()?;
        Some(GpuMemory {
            used: memory.used,
            total: memory.total,
        })
    };
    while !devices.is_empty() {
        let all: Option<Vec<GpuMemory>> = devices.iter().map(memory).collect();
        let seen = all.map(|all| GpuMemories {
            all,
            wanted: wanted.as_ref().and_then(memory),
        });
        if !seen.is_some_and(&mut tell) {
            break;
        }
        std::thread::sleep(interval);
    }
    std::mem::forget(nvml);
}

/// The GPU that the index means, or the instance of it that alone is visible (MIG); none where that can't be told.
fn part<'nvml>(
    nvml: &'nvml Nvml,
    devices: &[Device<'nvml>],
    surroundings: &Surroundings,
    index: u32,
) -> Option<Device<'nvml>> {
    let visible = surroundings
        .raw_variable("CUDA_VISIBLE_DEVICES")
        .map(|value| value.to_string_lossy().into_owned());
    if let Some(Entry::Mig(uuid)) = visible
        .as_deref()
        .and_then(|list| entries(list).nth(index as usize))
    {
        return nvml.device_by_uuid(uuid).ok();
    }
    wanted(nvml, devices, surroundings, index)
}

/// The word of `nvml_status` for an error.
fn status(error: &NvmlError, library_found: bool) -> &'static str {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound if !library_found => {
            "library_missing"
        }
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => "function_missing",
        NvmlError::DriverNotLoaded => "driver_not_loaded",
        NvmlError::LibRmVersionMismatch => "version_mismatch",
        NvmlError::NoPermission | NvmlError::OperatingSystem => "no_permission",
        NvmlError::GpuLost | NvmlError::ResetRequired => "gpu_lost",
        NvmlError::NotFound => "no_devices",
        _ => "failed",
    }
}

/// The GPU that the index means to CUDA; none where that can't be told: CUDA orders by speed unless it is told to order
/// by bus, and NVML always orders by bus.
fn wanted<'nvml>(
    nvml: &'nvml Nvml,
    devices: &[Device<'nvml>],
    surroundings: &Surroundings,
    index: u32,
) -> Option<Device<'nvml>> {
    let visible = surroundings
        .raw_variable("CUDA_VISIBLE_DEVICES")
        .map(|value| value.to_string_lossy().into_owned());
    let entry = match &visible {
        Some(list) => entries(list).nth(index as usize)?,
        None => Entry::Index(u64::from(index)),
    };
    let number = match entry {
        Entry::Index(number) => u32::try_from(number).ok()?,
        Entry::Uuid(uuid) => return nvml.device_by_uuid(uuid).ok(),
        Entry::Mig(uuid) => return nvml.device_by_uuid(uuid).ok()?.mig_parent_device().ok(),
        Entry::Unreadable => return None,
    };
    let by_bus = surroundings.variable("CUDA_DEVICE_ORDER") == Some(OsStr::new("PCI_BUS_ID"));
    let names: Vec<String> = devices
        .iter()
        .filter_map(|device| device.name().ok())
        .collect();
    let alike = names.windows(2).all(|pair| pair[0] == pair[1]);
    (by_bus || alike)
        .then(|| nvml.device_by_index(number).ok())
        .flatten()
}

/// Compute mode and MIG: of the wanted GPU, or the strictest of all.
fn modes(devices: &[Device<'_>], wanted: Option<&Device<'_>>, collector: &mut Collector<'_>) {
    let asked: Vec<&Device<'_>> =
        wanted.map_or_else(|| devices.iter().collect(), |device| vec![device]);
    let strictness = |mode: &&'static str| {
        [
            "default",
            "exclusive_thread",
            "exclusive_process",
            "prohibited",
        ]
        .iter()
        .position(|known| known == mode)
    };
    let mode = asked
        .iter()
        .filter_map(|device| device.compute_mode().ok())
        .map(|mode| match mode {
            ComputeMode::Default => "default",
            ComputeMode::ExclusiveThread => "exclusive_thread",
            ComputeMode::ExclusiveProcess => "exclusive_process",
            ComputeMode::Prohibited => "prohibited",
        })
        .max_by_key(strictness);
    collector.add(facts::COMPUTE_MODE, mode);
    let mut mig = None;
    let mut instances = 0_u64;
    for device in &asked {
        let word = match device.mig_mode() {
            Ok(mode) if mode.current == 1 => "enabled",
            Ok(_) => "disabled",
            Err(NvmlError::NotSupported) => "unsupported",
            Err(_) => continue,
        };
        if word == "enabled" {
            // The count is that of possible places; only a handle says that one is taken.
            let places = device.mig_device_count().unwrap_or(0);
            instances += (0..places)
                .filter(|place| device.mig_device_by_index(*place).is_ok())
                .count() as u64;
        }
        if mig != Some("enabled") {
            mig = Some(word);
        }
    }
    collector.add(facts::MIG_MODE, mig);
    collector.add(
        facts::MIG_INSTANCE_COUNT,
        (mig == Some("enabled")).then_some(instances),
    );
}

fn architecture(device: &Device<'_>, compiled: &[String], collector: &mut Collector<'_>) {
    let Ok(capability) = device.cuda_compute_capability() else {
        return;
    };
    let (Ok(major), Ok(minor)) = (
        u32::try_from(capability.major),
        u32::try_from(capability.minor),
    ) else {
        return;
    };
    collector.add(facts::DEVICE_ARCHITECTURE, Some(format!("{major}.{minor}")));
    collector.add(
        facts::ARCHITECTURE_SUPPORT,
        architecture_support(compiled, major, minor),
    );
}

/// Whether a build with kernels for `compiled` (`sm_80`, `sm_90a`, `compute_90`) runs on a device. Machine code runs on the
/// same major version with at least its minor one; code for a virtual architecture is compiled for every newer device by
/// the driver; the suffix `a` binds it to one architecture.
fn architecture_support(compiled: &[String], major: u32, minor: u32) -> Option<&'static str> {
    let device = (major, minor);
    let mut compilable = false;
    let mut known = false;
    for name in compiled {
        let (number, real) = match (name.strip_prefix("sm_"), name.strip_prefix("compute_")) {
            (Some(number), _) => (number, true),
            (_, Some(number)) => (number, false),
            _ => continue,
        };
        let digits = number.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        let Ok(version) = digits.parse::<u32>() else {
            continue;
        };
        let built = (version / 10, version % 10);
        known = true;
        if number.ends_with('a') && built != device {
            continue;
        }
        if real && built.0 == device.0 && built.1 <= device.1 {
            return Some("supported");
        }
        compilable |= !real && built <= device;
    }
    known.then_some(if compilable { "ptx" } else { "missing" })
}

fn memory(device: &Device<'_>, collector: &mut Collector<'_>) {
    let own = std::process::id();
    let mut processes = device.running_compute_processes();
    if let (Ok(known), Ok(graphics)) = (&mut processes, device.running_graphics_processes()) {
        for process in graphics {
            if !known.iter().any(|other| other.pid == process.pid) {
                known.push(process);
            }
        }
    }
    if let Ok(known) = &mut processes {
        known.retain(|process| process.pid != own);
        collector.add(facts::GPU_PROCESS_COUNT, Some(known.len() as u64));
    }
    let Ok(memory) = device.memory_info() else {
        return;
    };
    collector.add(facts::GPU_MEMORY_TOTAL_BYTES, Some(memory.total));
    collector.add(facts::GPU_MEMORY_FREE_BYTES, Some(memory.free));
    let explained: Option<u64> = processes.ok().and_then(|known| {
        known
            .iter()
            .map(|process| match process.used_gpu_memory {
                UsedGpuMemory::Used(bytes) => Some(bytes),
                UsedGpuMemory::Unavailable => None,
            })
            .sum()
    });
    collector.add(
        facts::GPU_MEMORY_UNEXPLAINED_BYTES,
        explained.map(|explained| memory.used.saturating_sub(explained)),
    );
}

fn health(nvml: &Nvml, device: &Device<'_>, collector: &mut Collector<'_>) {
    let errors = device.total_ecc_errors(MemoryError::Uncorrected, EccCounter::Volatile);
    collector.add(facts::ECC_UNCORRECTED_COUNT, errors.ok());
    let repair = remapped_rows(nvml, device).or_else(|| {
        // Before Ampere whole pages are retired instead of rows.
        let pending = device.are_pages_pending_retired().ok()?;
        Some(if pending { "pending" } else { "none" })
    });
    collector.add(facts::MEMORY_REPAIR, repair);
    let clocks = device.current_throttle_reasons().ok().map(limited_by);
    collector.add(facts::CLOCKS_LIMITED_BY, clocks);
}

/// The gravest reason among several.
fn limited_by(reasons: ThrottleReasons) -> &'static str {
    let any = |wanted: ThrottleReasons| reasons.intersects(wanted);
    if any(ThrottleReasons::SW_THERMAL_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN) {
        "thermal"
    } else if any(ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN) {
        "hardware"
    } else if any(ThrottleReasons::SW_POWER_CAP) {
        "power"
    } else if any(ThrottleReasons::GPU_IDLE) {
        "idle"
    } else {
        "none"
    }
}

fn remapped_rows(nvml: &Nvml, device: &Device<'_>) -> Option<&'static str> {
    let ask = nvml.lib().nvmlDeviceGetRemappedRows.as_ref().ok()?;
    let (mut corrected, mut uncorrected, mut pending, mut failed) = (0, 0, 0, 0);
    // SAFETY: the handle belongs to this library, which is loaded, and the four pointers are valid during the call.
    let result = unsafe {
        ask(
            device.handle(),
            &raw mut corrected,
            &raw mut uncorrected,
            &raw mut pending,
            &raw mut failed,
        )
    };
    nvml_try(result).ok()?;
    Some(if failed != 0 {
        "failed"
    } else if pending != 0 {
        "pending"
    } else {
        "none"
    })
}

/// The state of the NVSwitch fabric: that of the GPU that is least far.
fn fabric(nvml: &Nvml, devices: &[Device<'_>], collector: &mut Collector<'_>) {
    const ORDER: [&str; 5] = [
        "failed",
        "not_started",
        "in_progress",
        "completed",
        "not_supported",
    ];
    let Ok(ask) = nvml.lib().nvmlDeviceGetGpuFabricInfo.as_ref() else {
        return;
    };
    let state = devices
        .iter()
        .filter_map(|device| {
            let mut info = nvml_wrapper_sys::bindings::nvmlGpuFabricInfo_t {
                clusterUuid: [0; 16],
                status: 0,
                cliqueId: 0,
                state: 0,
            };
            // SAFETY: the handle belongs to this library, which is loaded, and the pointer is valid during the call.
            nvml_try(unsafe { ask(device.handle(), &raw mut info) }).ok()?;
            fabric_state(info.state, info.status)
        })
        .min_by_key(|state| ORDER.iter().position(|known| known == state));
    collector.add(facts::FABRIC_STATE, state);
}

/// `NVML_GPU_FABRIC_STATE_*` in nvml.h; a completed registration tells by its status whether it went well.
const fn fabric_state(state: u8, status: u32) -> Option<&'static str> {
    match (state, status) {
        (0, _) => Some("not_supported"),
        (1, _) => Some("not_started"),
        (2, _) => Some("in_progress"),
        (3, 0) => Some("completed"),
        (3, _) => Some("failed"),
        _ => None,
    }
}

/// The library tells this on Linux alone.
#[cfg(target_os = "linux")]
fn virtual_gpu(
    nvml: &Nvml,
    devices: &[Device<'_>],
    wanted: Option<&Device<'_>>,
    collector: &mut Collector<'_>,
) {
    let Some(device) = wanted.or(devices.first()) else {
        return;
    };
    let Ok(mode) = device.virtualization_mode() else {
        return;
    };
    let is_virtual = mode == nvml_wrapper::enum_wrappers::device::GpuVirtualizationMode::Vgpu;
    collector.add(facts::VGPU, Some(is_virtual));
    if !is_virtual {
        return;
    }
    let Ok(ask) = nvml.lib().nvmlDeviceGetGridLicensableFeatures_v4.as_ref() else {
        return;
    };
    // SAFETY: a struct of numbers and arrays of them, for which all bits zero is a value.
    let mut features: nvml_wrapper_sys::bindings::nvmlGridLicensableFeatures_t =
        unsafe { std::mem::zeroed() };
    // SAFETY: the handle belongs to this library, which is loaded, and the pointer is valid during the call.
    if nvml_try(unsafe { ask(device.handle(), &raw mut features) }).is_err() {
        return;
    }
    let count =
        (features.licensableFeaturesCount as usize).min(features.gridLicensableFeatures.len());
    let licensed = features.gridLicensableFeatures[..count]
        .iter()
        .any(|feature| feature.featureState != 0);
    let word = if features.isGridLicenseSupported == 0 || count == 0 {
        "not_needed"
    } else if licensed {
        "licensed"
    } else {
        "unlicensed"
    };
    collector.add(facts::VGPU_LICENCE, Some(word));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(compiled: &[&str], major: u32, minor: u32) -> Option<&'static str> {
        let compiled: Vec<String> = compiled.iter().map(|name| (*name).to_owned()).collect();
        architecture_support(&compiled, major, minor)
    }

    #[test]
    fn kernels_run_on_their_own_major_version_upwards() {
        let wheel = [
            "sm_75",
            "sm_80",
            "sm_86",
            "sm_90",
            "sm_100",
            "sm_120",
            "compute_120",
        ];
        assert_eq!(support(&wheel, 8, 9), Some("supported"));
        assert_eq!(support(&wheel, 12, 1), Some("supported"));
        assert_eq!(support(&wheel, 7, 0), Some("missing"));
        assert_eq!(support(&["sm_80", "sm_90"], 12, 0), Some("missing"));
        assert_eq!(support(&["sm_80", "compute_90"], 12, 0), Some("ptx"));
        assert_eq!(support(&["sm_90a"], 9, 0), Some("supported"));
        assert_eq!(support(&["sm_90a", "compute_90a"], 10, 0), Some("missing"));
        assert_eq!(support(&["sm_100f"], 10, 3), Some("supported"));
        assert_eq!(support(&["gfx90a"], 9, 0), None);
        assert_eq!(support(&[], 9, 0), None);
    }

    #[test]
    fn a_missing_library_is_told_from_one_that_does_not_load() {
        assert_eq!(
            status(&NvmlError::LibraryNotFound, false),
            "library_missing"
        );
        assert_eq!(status(&NvmlError::LibraryNotFound, true), "failed");
        assert_eq!(
            status(&NvmlError::LibRmVersionMismatch, true),
            "version_mismatch"
        );
        assert_eq!(status(&NvmlError::Unknown, true), "failed");
    }

    #[test]
    fn the_gravest_reason_for_slow_clocks_is_told() {
        let both = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(limited_by(both), "thermal");
        assert_eq!(limited_by(ThrottleReasons::GPU_IDLE), "idle");
        assert_eq!(limited_by(ThrottleReasons::empty()), "none");
    }

    #[test]
    fn a_completed_fabric_is_good_only_with_a_good_status() {
        assert_eq!(fabric_state(3, 0), Some("completed"));
        assert_eq!(fabric_state(3, 999), Some("failed"));
        assert_eq!(fabric_state(9, 0), None);
    }
}

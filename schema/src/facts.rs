//! The facts that a failed check may collect: the one list of their identifiers, kinds and allowed values.
//!
//! The collector writes them, the diagnosis and the catalogue read them, and nothing else may stand in
//! `diagnosis.evidence`. A fact that could not be learnt is left out: absent is neither false nor zero.
//! No fact holds a path, a name of a user or host, or the value of a variable.

use crate::report::Scalar;
use crate::vocabulary::known_library;

/// What the value of a fact may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number from 0.
    Count,
    /// A whole number of bytes.
    Bytes,
    /// Digits and dots, at most 24 characters: `550.54.14`, `12.4`.
    Version,
    /// Exactly one of these words.
    Word(&'static [&'static str]),
    /// Base names out of `catalogue/libraries.txt`, sorted, joined by `, `.
    Libraries,
    /// An architecture: `9.0`, `sm_90` or `gfx1100`.
    Architecture,
}

/// A fact that may stand in a report.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Its identifier in `diagnosis.evidence`; its text for people is `fact-` and this in kebab-case.
    pub id: &'static str,
    /// What its value may be.
    pub kind: Kind,
}

/// The state of a variable, never its value: `unset`, `empty`, `set`, or `odd`, which means that it is set to something that can't do what
/// it is for (an index outside the GPUs, `-1`, `none`, `void`, a repeated or unreadable entry).
pub const VARIABLE_STATES: &[&str] = &["unset", "empty", "set", "odd"];
/// The state of a device node. `denied`: opening it is refused by mode, group, cgroup or security module.
/// `failing`: it is there and may be opened, and opening ends with another error.
pub const NODE_STATES: &[&str] = &["missing", "openable", "denied", "failing"];
/// Signals, and exceptions of Windows, that may end a process.
pub const SIGNALS: &[&str] = &[
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGKILL",
    "SIGPIPE",
    "SIGSEGV",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGXCPU",
    "SIGXFSZ",
    "ACCESS_VIOLATION",
    "ILLEGAL_INSTRUCTION",
    "STACK_OVERFLOW",
    "other",
];
/// Points of a contract that can be broken.
pub const CONTRACT_POINTS: &[&str] = &[
    "input_readable",
    "input_ids_unique",
    "output_written",
    "well_formed",
    "output_count",
    "each_id_once",
    "ids_missing",
    "ids_repeated",
    "ids_unknown",
    "dimension",
    "all_finite",
    "value_range",
    "unit_norm",
    "metric",
    "loss_finite",
    "parameters_changed",
    "parameters_kept",
    "parameters_finite",
    "checkpoint_opens",
    "model_mode",
    "stages_ended",
];
/// What a proof of stop and resume can come to, beside a clean one.
pub const RESUME_FINDINGS: &[&str] = &[
    "ended_before",
    "did_not_stop",
    "checkpoint_damaged",
    "continuation_failed",
    "outputs_lost",
    "outputs_repeated",
    "outputs_changed",
    "outputs_differ",
    "training_diverged",
    "contract_broken",
    "began_anew",
];
/// The state of a kernel module.
pub const MODULE_STATES: &[&str] = &["loaded", "absent"];

macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal, $kind:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $id;)+

        /// Every fact, in the order in which it is shown.
        pub const ALL: &[Fact] = &[$(Fact { id: $id, kind: $kind },)+];
    };
}

facts! {
    // NVIDIA's driver.
    /// Version of the loaded kernel module (`/proc/driver/nvidia/version`).
    KERNEL_DRIVER_VERSION = "kernel_driver_version", Kind::Version;
    /// Version of `libcuda.so.1` that the loader would take, from the file it points at.
    USER_DRIVER_VERSION = "user_driver_version", Kind::Version;
    /// Version of `libnvidia-ml.so.1` that the loader would take, from the file it points at.
    NVML_LIBRARY_VERSION = "nvml_library_version", Kind::Version;
    /// Kernel module and user library have different versions. In a container with a compatibility library, that library's.
    DRIVER_MISMATCH = "driver_mismatch", Kind::Flag;
    /// Highest CUDA version that the driver serves, as `cuDriverGetVersion` tells it.
    DRIVER_CUDA_VERSION = "driver_cuda_version", Kind::Version;
    /// What `cuInit` returned in a worker of its own: 0, 3, 34, 46, 100, 802, 803, 804, 999 and so on.
    CUDA_INIT_RESULT = "cuda_init_result", Kind::Count;
    /// Devices that `cuDeviceGetCount` told after a good `cuInit`.
    CUDA_DEVICE_COUNT = "cuda_device_count", Kind::Count;
    /// Which `libcuda.so.1` the loader would take. `compat`: a forward-compatibility folder of the CUDA toolkit; `stub`: the
    /// toolkit's stubs; `wsl`: that of WSL; `environment`: one inside the Python environment.
    LIBCUDA = "libcuda", Kind::Word(&["missing", "system", "wsl", "compat", "stub", "environment", "other"]);
    /// Flavour of the loaded kernel module.
    KERNEL_MODULE_FLAVOUR = "kernel_module_flavour", Kind::Word(&["open", "proprietary"]);
    /// Kernel module `nvidia`.
    NVIDIA_MODULE = "nvidia_module", Kind::Word(MODULE_STATES);
    /// Kernel module `nvidia_uvm`, without which CUDA can't start though nvidia-smi works.
    NVIDIA_UVM_MODULE = "nvidia_uvm_module", Kind::Word(MODULE_STATES);
    /// Kernel module `nouveau`, which keeps NVIDIA's own from the GPU.
    NOUVEAU_MODULE = "nouveau_module", Kind::Word(MODULE_STATES);
    /// How NVML answered in a worker of its own.
    NVML_STATUS = "nvml_status", Kind::Word(&[
        "ok", "library_missing", "function_missing", "driver_not_loaded", "version_mismatch", "no_permission", "gpu_lost",
        "no_devices", "failed", "timed_out", "crashed",
    ]);
    /// GPUs that NVML counts, whatever this process may see.
    NVML_GPU_COUNT = "nvml_gpu_count", Kind::Count;
    /// Compute mode of the wanted GPU; the strictest one where the GPU is not known.
    COMPUTE_MODE = "compute_mode", Kind::Word(&["default", "exclusive_thread", "exclusive_process", "prohibited"]);
    /// MIG of the wanted GPU; `enabled` where the GPU is not known and any has it.
    MIG_MODE = "mig_mode", Kind::Word(&["enabled", "disabled", "unsupported"]);
    /// MIG instances that NVML shows.
    MIG_INSTANCE_COUNT = "mig_instance_count", Kind::Count;
    /// Total memory of the wanted GPU.
    GPU_MEMORY_TOTAL_BYTES = "gpu_memory_total_bytes", Kind::Bytes;
    /// Free memory of the wanted GPU.
    GPU_MEMORY_FREE_BYTES = "gpu_memory_free_bytes", Kind::Bytes;
    /// Processes that NVML shows on the wanted GPU, other than FirstFault's own.
    GPU_PROCESS_COUNT = "gpu_process_count", Kind::Count;
    /// Used memory of the wanted GPU that no shown process accounts for (another container, a process that ended badly).
    GPU_MEMORY_UNEXPLAINED_BYTES = "gpu_memory_unexplained_bytes", Kind::Bytes;
    /// Uncorrected ECC errors since the driver was loaded.
    ECC_UNCORRECTED_COUNT = "ecc_uncorrected_count", Kind::Count;
    /// Rows or pages of GPU memory wait for a reset, or could not be remapped.
    MEMORY_REPAIR = "memory_repair", Kind::Word(&["none", "pending", "failed"]);
    /// Newest Xid in the kernel log, where that may be read.
    LAST_XID = "last_xid", Kind::Count;
    /// State of the NVSwitch fabric as NVML tells it.
    FABRIC_STATE = "fabric_state", Kind::Word(&["not_supported", "not_started", "in_progress", "completed", "failed"]);
    /// NVSwitch devices are there.
    NVSWITCH = "nvswitch", Kind::Flag;
    /// The GPU is a virtual one (vGPU, GRID).
    VGPU = "vgpu", Kind::Flag;
    /// Licence of a virtual GPU.
    VGPU_LICENCE = "vgpu_licence", Kind::Word(&["licensed", "unlicensed", "not_needed"]);
    /// Why clocks are held down; `none` when they are not.
    CLOCKS_LIMITED_BY = "clocks_limited_by", Kind::Word(&["none", "idle", "power", "thermal", "hardware"]);

    // The bus.
    /// NVIDIA display and compute controllers on the PCI bus.
    PCI_NVIDIA_COUNT = "pci_nvidia_count", Kind::Count;
    /// AMD display and compute controllers on the PCI bus.
    PCI_AMD_COUNT = "pci_amd_count", Kind::Count;
    /// Intel display and compute controllers on the PCI bus.
    PCI_INTEL_COUNT = "pci_intel_count", Kind::Count;
    /// Kernel driver that holds the first discrete GPU.
    PCI_DRIVER = "pci_driver", Kind::Word(&["nvidia", "nouveau", "nova", "amdgpu", "radeon", "i915", "xe", "vfio", "none", "other"]);
    /// Power state of the first discrete GPU.
    PCI_POWER = "pci_power", Kind::Word(&["on", "suspended", "cold"]);
    /// Secure Boot, which refuses kernel modules that are not signed.
    SECURE_BOOT = "secure_boot", Kind::Flag;
    /// An IOMMU translates device addresses.
    IOMMU = "iommu", Kind::Flag;

    // Device nodes, opened and closed only after a failure.
    /// `/dev/nvidiactl`.
    NODE_NVIDIACTL = "node_nvidiactl", Kind::Word(NODE_STATES);
    /// `/dev/nvidia0` and its siblings: the worst state among them.
    NODE_NVIDIA = "node_nvidia", Kind::Word(NODE_STATES);
    /// How many `/dev/nvidia<number>` there are.
    NODE_NVIDIA_COUNT = "node_nvidia_count", Kind::Count;
    /// `/dev/nvidia-uvm`.
    NODE_NVIDIA_UVM = "node_nvidia_uvm", Kind::Word(NODE_STATES);
    /// `/dev/nvidia-caps/*`, needed for MIG: the worst state among them.
    NODE_NVIDIA_CAPS = "node_nvidia_caps", Kind::Word(NODE_STATES);
    /// `/dev/dxg`, the GPU of WSL.
    NODE_DXG = "node_dxg", Kind::Word(NODE_STATES);
    /// `/dev/kfd`, without which ROCm can't start though rocm-smi works.
    NODE_KFD = "node_kfd", Kind::Word(NODE_STATES);
    /// `/dev/dri/renderD*`: the worst state among them.
    NODE_RENDER = "node_render", Kind::Word(NODE_STATES);
    /// `/dev/nvhost-gpu` or `/dev/nvmap` of a Jetson: the worst state among them.
    NODE_TEGRA = "node_tegra", Kind::Word(NODE_STATES);

    // AMD.
    /// Kernel module `amdgpu`.
    AMDGPU_MODULE = "amdgpu_module", Kind::Word(MODULE_STATES);
    /// GPUs in the KFD's topology.
    KFD_GPU_COUNT = "kfd_gpu_count", Kind::Count;
    /// Whether this process is in the group that owns `/dev/kfd` or the render nodes; `root` needs none.
    RENDER_GROUP = "render_group", Kind::Word(&["member", "not_member", "not_active", "root"]);
    /// The first AMD GPU is an integrated one, beside a discrete one.
    AMD_INTEGRATED_FIRST = "amd_integrated_first", Kind::Flag;
    /// Architecture of the first AMD GPU, from the KFD's topology.
    AMD_ARCHITECTURE = "amd_architecture", Kind::Architecture;

    // Container and system.
    /// Kind of container.
    CONTAINER = "container", Kind::Word(&["none", "docker", "podman", "kubernetes", "apptainer", "lxc", "wsl", "other"]);
    /// Whether a GPU was passed into the container: `nodes_only` and `libraries_only` are halves that do not work.
    CONTAINER_GPU = "container_gpu", Kind::Word(&["passed", "nodes_only", "libraries_only", "not_passed"]);
    /// Windows Subsystem for Linux.
    WSL = "wsl", Kind::Word(&["none", "wsl1", "wsl2"]);
    /// A Jetson or another Tegra.
    TEGRA = "tegra", Kind::Flag;
    /// SELinux.
    SELINUX = "selinux", Kind::Word(&["enforcing", "permissive", "disabled"]);
    /// Batch system that started this process.
    SCHEDULER = "scheduler", Kind::Word(&["none", "slurm", "pbs", "lsf", "sge", "other"]);
    /// Whether the batch system says that it granted a GPU.
    SCHEDULER_GPU = "scheduler_gpu", Kind::Word(&["granted", "not_granted"]);
    /// Version of the C library.
    GLIBC_VERSION = "glibc_version", Kind::Version;
    /// Size of `/dev/shm`.
    DEV_SHM_BYTES = "dev_shm_bytes", Kind::Bytes;
    /// Free space in `/dev/shm`.
    DEV_SHM_FREE_BYTES = "dev_shm_free_bytes", Kind::Bytes;
    /// Memory that programs could still get.
    MEMORY_AVAILABLE_BYTES = "memory_available_bytes", Kind::Bytes;
    /// Memory limit of the control group; absent where there is none.
    MEMORY_LIMIT_BYTES = "memory_limit_bytes", Kind::Bytes;
    /// Kills for memory that the control group counted during this attempt.
    MEMORY_KILLS = "memory_kills", Kind::Count;
    /// Limit on locked memory (`ulimit -l`); absent where it is unlimited.
    LOCKED_MEMORY_LIMIT_BYTES = "locked_memory_limit_bytes", Kind::Bytes;

    // Variables: states, never values.
    /// `CUDA_VISIBLE_DEVICES`.
    CUDA_VISIBLE_DEVICES = "cuda_visible_devices", Kind::Word(VARIABLE_STATES);
    /// How `CUDA_VISIBLE_DEVICES` names devices, where it is set.
    CUDA_VISIBLE_DEVICES_FORM = "cuda_visible_devices_form", Kind::Word(&["index", "uuid", "mig", "mixed"]);
    /// `NVIDIA_VISIBLE_DEVICES`, which the container toolkit reads; `odd` for `void` and `none`.
    NVIDIA_VISIBLE_DEVICES = "nvidia_visible_devices", Kind::Word(VARIABLE_STATES);
    /// `NVIDIA_DRIVER_CAPABILITIES`; `odd` when it is set without `compute` or `all`.
    NVIDIA_DRIVER_CAPABILITIES = "nvidia_driver_capabilities", Kind::Word(VARIABLE_STATES);
    /// `HIP_VISIBLE_DEVICES`.
    HIP_VISIBLE_DEVICES = "hip_visible_devices", Kind::Word(VARIABLE_STATES);
    /// `ROCR_VISIBLE_DEVICES`.
    ROCR_VISIBLE_DEVICES = "rocr_visible_devices", Kind::Word(VARIABLE_STATES);
    /// `GPU_DEVICE_ORDINAL`.
    GPU_DEVICE_ORDINAL = "gpu_device_ordinal", Kind::Word(VARIABLE_STATES);
    /// `ZE_AFFINITY_MASK`.
    ZE_AFFINITY_MASK = "ze_affinity_mask", Kind::Word(VARIABLE_STATES);
    /// `CUDA_DEVICE_ORDER`.
    CUDA_DEVICE_ORDER = "cuda_device_order", Kind::Word(VARIABLE_STATES);
    /// `CUDA_LAUNCH_BLOCKING`.
    CUDA_LAUNCH_BLOCKING = "cuda_launch_blocking", Kind::Word(VARIABLE_STATES);
    /// `HSA_OVERRIDE_GFX_VERSION`.
    HSA_OVERRIDE_GFX_VERSION = "hsa_override_gfx_version", Kind::Word(VARIABLE_STATES);
    /// `PYTORCH_CUDA_ALLOC_CONF`, `PYTORCH_HIP_ALLOC_CONF` or `PYTORCH_ALLOC_CONF`.
    PYTORCH_ALLOC_CONF = "pytorch_alloc_conf", Kind::Word(VARIABLE_STATES);
    /// `LD_LIBRARY_PATH` (on Windows no equivalent).
    LD_LIBRARY_PATH = "ld_library_path", Kind::Word(VARIABLE_STATES);
    /// `LD_PRELOAD`.
    LD_PRELOAD = "ld_preload", Kind::Word(VARIABLE_STATES);
    /// `PYTHONPATH`.
    PYTHONPATH = "pythonpath", Kind::Word(VARIABLE_STATES);
    /// `PYTHONHOME`.
    PYTHONHOME = "pythonhome", Kind::Word(VARIABLE_STATES);

    // Python, package and libraries.
    /// Libraries that `LD_LIBRARY_PATH` puts before the wheel's own of the same name.
    LIBRARIES_BEFORE_WHEEL = "libraries_before_wheel", Kind::Libraries;
    /// Libraries that PyTorch's own ones need and the loader would not find.
    LIBRARIES_MISSING = "libraries_missing", Kind::Libraries;
    /// A local file or folder that stands before the package on `sys.path`.
    TORCH_SHADOW = "torch_shadow", Kind::Word(&["none", "file", "folder"]);
    /// Where the `torch` that an import would take comes from.
    TORCH_ORIGIN = "torch_origin", Kind::Word(&["site_packages", "user_site", "program_directory", "other", "none"]);
    /// Which build the installed metadata or the local version tag names.
    TORCH_BUILD = "torch_build", Kind::Word(&["cuda", "rocm", "cpu", "xpu", "untagged"]);
    /// Backends other than CUDA and ROCm that the build has.
    OTHER_BACKENDS = "other_backends", Kind::Word(&["none", "xpu", "mps", "mps, xpu"]);
    /// Whether the build has kernels for the device: `ptx` when only code that the driver must compile.
    ARCHITECTURE_SUPPORT = "architecture_support", Kind::Word(&["supported", "ptx", "missing"]);
    /// Compute capability or gfx target of the wanted device.
    DEVICE_ARCHITECTURE = "device_architecture", Kind::Architecture;
    /// CUDA version that the build was made for, against the driver's ceiling: whether the driver is new enough.
    DRIVER_NEW_ENOUGH = "driver_new_enough", Kind::Flag;
    /// The interpreter runs under emulation (Rosetta, or x64 on ARM).
    EMULATED_INTERPRETER = "emulated_interpreter", Kind::Flag;
    /// Word size of the interpreter.
    INTERPRETER_BITS = "interpreter_bits", Kind::Count;
    /// Other interpreters near the program that do have PyTorch.
    OTHER_INTERPRETERS_WITH_TORCH = "other_interpreters_with_torch", Kind::Count;
    /// Local version tags of torch and torchvision: `differs` when they name different builds.
    TORCHVISION_BUILD = "torchvision_build", Kind::Word(&["none", "same", "differs"]);

    // How the attempt itself ended.
    /// Set by the diagnosis: a collected fact speaks against the fault that was named.
    CONFLICTING_EVIDENCE = "conflicting_evidence", Kind::Flag;
    /// How the interpreter could not be started.
    INTERPRETER_START = "interpreter_start", Kind::Word(&[
        "not_found", "not_executable", "wrong_architecture", "loader_failed", "no_python", "too_old", "exited", "crashed",
    ]);
    /// Signal or exception that ended the worker.
    WORKER_SIGNAL = "worker_signal", Kind::Word(SIGNALS);
    /// Exit number of the worker that gave no usable answer.
    WORKER_EXIT_CODE = "worker_exit_code", Kind::Count;
    /// What ended the user's own command.
    APPLICATION_END = "application_end", Kind::Word(&[
        "exited", "signalled", "timed_out", "interrupted", "not_started", "lost",
    ]);
    /// Why the user's own command could not be started.
    APPLICATION_START = "application_start", Kind::Word(&[
        "not_found", "loader_missing", "not_permitted", "is_a_folder", "other_format", "other",
    ]);
    /// No message that is known and no stage that never ended tells in which layer the user's own command failed.
    APPLICATION_UNEXPLAINED = "application_unexplained", Kind::Flag;
    /// Signal that ended the user's own command.
    APPLICATION_SIGNAL = "application_signal", Kind::Word(SIGNALS);
    /// Exit number of the user's own command.
    APPLICATION_EXIT_CODE = "application_exit_code", Kind::Count;
    /// When the memory of the command was at its most, or ran out: while loading, in the first computation, or after
    /// several passes, level or growing.
    MEMORY_PHASE = "memory_phase", Kind::Word(&["load", "first_computation", "plateau", "growth"]);
    /// Memory ran out during the command: an allocation was refused, or the system killed a process for it.
    MEMORY_RAN_OUT = "memory_ran_out", Kind::Flag;
    /// Which point of the contract is broken first.
    CONTRACT_POINT = "contract_point", Kind::Word(CONTRACT_POINTS);
    /// What stands where the command's own file should: one from before this run, none, or one without content.
    CONTRACT_FILE = "contract_file", Kind::Word(&["older_than_run", "missing", "empty"]);
    /// What a proof of stop and resume came to.
    RESUME_FINDING = "resume_finding", Kind::Word(RESUME_FINDINGS);
    /// The point at which the command was to be stopped, and which never came.
    RESUME_POINT_NOT_MET = "resume_point_not_met", Kind::Word(&["checkpoint"]);
    /// How the loss after resuming differs from that of a run without a stop.
    LOSS_SHAPE = "loss_shape", Kind::Word(&["jump", "drift", "offset"]);
    /// The worker could not be ended: the kernel holds it inside a driver.
    WORKER_UNKILLABLE = "worker_unkillable", Kind::Flag;
    /// The attempt before this one did not finish: the host may have been locked.
    PREVIOUS_ATTEMPT = "previous_attempt", Kind::Word(&["finished", "unfinished"]);
}

/// The fact with this identifier.
pub fn find(id: &str) -> Option<&'static Fact> {
    ALL.iter().find(|fact| fact.id == id)
}

/// Whether `value` is allowed for the fact `id`. An unknown fact allows nothing.
pub fn is_allowed(id: &str, value: &Scalar) -> bool {
    let Some(fact) = find(id) else { return false };
    match (fact.kind, value) {
        (Kind::Flag, Scalar::Bool(_)) => true,
        (Kind::Count | Kind::Bytes, Scalar::Number(number)) => number.as_u64().is_some(),
        (Kind::Version, Scalar::Text(text)) => is_version(text),
        (Kind::Word(words), Scalar::Text(text)) => words.contains(&text.as_str()),
        (Kind::Libraries, Scalar::Text(text)) => {
            !text.is_empty() && text.split(", ").all(|name| known_library(name).is_some())
        }
        (Kind::Architecture, Scalar::Text(text)) => is_architecture(text),
        _ => false,
    }
}

/// Digits and dots, a digit at both ends, at most 24 characters and at most four digits in a row.
pub fn is_version(text: &str) -> bool {
    text.len() <= 24
        && text.split('.').count() <= 4
        && text.split('.').all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// `9.0`, `sm_90`, `sm_90a`, `compute_90` or `gfx90a`.
pub fn is_architecture(text: &str) -> bool {
    let rest = ["sm_", "compute_", "gfx"]
        .into_iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    match rest {
        Some(rest) => {
            (1..=5).contains(&rest.len())
                && rest
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        }
        None => text.len() <= 5 && text.contains('.') && is_version(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_snake_case() {
        for (at, fact) in ALL.iter().enumerate() {
            assert!(
                fact.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{}",
                fact.id
            );
            assert!(
                ALL[..at].iter().all(|other| other.id != fact.id),
                "{} stands twice",
                fact.id
            );
        }
    }

    #[test]
    fn values_are_held_to_their_kind() {
        assert!(is_allowed(CUDA_VISIBLE_DEVICES, &"empty".into()));
        assert!(!is_allowed(CUDA_VISIBLE_DEVICES, &"0,1".into()));
        assert!(is_allowed(KERNEL_DRIVER_VERSION, &"550.54.14".into()));
        assert!(!is_allowed(
            KERNEL_DRIVER_VERSION,
            &"550.54.14-alice".into()
        ));
        assert!(is_allowed(DEVICE_ARCHITECTURE, &"gfx90a".into()));
        assert!(!is_allowed(DEVICE_ARCHITECTURE, &"gfxalice".into()));
        assert!(is_allowed(DEV_SHM_BYTES, &67_108_864_u64.into()));
        assert!(!is_allowed("home", &"x".into()));
    }
}

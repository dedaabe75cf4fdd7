//! From what an attempt saw to the first failing layer, whose job it is, and what to do.

use firstfault_schema::catalogue;
use firstfault_schema::diagnosis::{Observation, architecture_support, diagnose};
use firstfault_schema::report::{
    Backend, Device, Diagnosis, Evidence, Layer, Libtorch, Owner, Pytorch, RequestedDevice, Scalar,
    Stage, WitnessAnswer,
};
use firstfault_schema::{Code, Status};

struct Seen {
    code: Code,
    stage: Stage,
    message: Option<String>,
    stderr: String,
    pytorch: Pytorch,
    libtorch: Libtorch,
    evidence: Vec<Evidence>,
}

fn seen(code: Code, stage: Stage) -> Seen {
    Seen {
        code,
        stage,
        message: None,
        stderr: String::new(),
        pytorch: Pytorch::default(),
        libtorch: Libtorch::only(WitnessAnswer::NotRun),
        evidence: Vec::new(),
    }
}

impl Seen {
    fn message(mut self, text: &str) -> Self {
        self.message = Some(text.to_owned());
        self
    }

    fn cuda(mut self, version: &str) -> Self {
        self.pytorch.version = Some("2.13.0+cu130".to_owned());
        self.pytorch.cuda_version = Some(version.to_owned());
        self.pytorch.backend = Some(Backend::Cuda);
        self
    }

    fn rocm(mut self) -> Self {
        self.pytorch.hip_version = Some("7.0".to_owned());
        self.pytorch.backend = Some(Backend::Rocm);
        self
    }

    fn fact(mut self, fact: &str, value: impl Into<Scalar>) -> Self {
        self.evidence.push(Evidence {
            fact: fact.to_owned(),
            value: value.into(),
        });
        self
    }

    fn device(mut self, capability: &str, compiled: &[&str]) -> Self {
        self.pytorch.devices = Some(vec![Device {
            index: 0,
            name: "GPU".to_owned(),
            compute_capability: Some(capability.to_owned()),
            total_memory_bytes: None,
            identity: None,
        }]);
        self.pytorch.compiled_architectures =
            Some(compiled.iter().map(|name| (*name).to_owned()).collect());
        self
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose(&Observation {
            code: self.code,
            stage: self.stage,
            requested_device: RequestedDevice::Gpu,
            message: self.message.as_deref(),
            stderr: &self.stderr,
            pytorch: &self.pytorch,
            libtorch: &self.libtorch,
            evidence: &self.evidence,
        })
    }

    #[track_caller]
    fn is(&self, signature: &str, layer: Layer, owner: Owner) -> Diagnosis {
        let found = self.diagnose();
        assert_eq!(
            (found.signature.as_str(), found.layer, found.owner),
            (signature, layer, owner),
            "{found:#?}"
        );
        found
    }
}

fn unavailable() -> Seen {
    seen(Code::GpuUnavailable, Stage::Device).cuda("13.0")
}

#[test]
fn every_failure_has_an_action_and_a_layer_that_its_stage_allows() {
    for code in Code::ALL
        .into_iter()
        .filter(|code| code.status() == Status::Failed)
    {
        for stage in Stage::ALL {
            let found = seen(code, stage).diagnose();
            assert!(!found.actions.is_empty(), "{code} {stage:?}");
            for action in &found.actions {
                assert!(
                    catalogue::action(action).is_some(),
                    "{code} {stage:?}: {action}"
                );
            }
        }
    }
}

#[test]
fn the_drivers_own_words_name_the_fault() {
    for (message, signature, layer, owner) in [
        (
            "RuntimeError: The NVIDIA driver on your system is too old (found version 12020).",
            "driver-too-old",
            Layer::Driver,
            Owner::Host,
        ),
        (
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized",
            "fabric-not-ready",
            Layer::Driver,
            Owner::Host,
        ),
        (
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW",
            "forward-compatibility-refused",
            Layer::Driver,
            Owner::Host,
        ),
        (
            "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero.",
            "cuda-unknown-error",
            Layer::Driver,
            Owner::Host,
        ),
        (
            "RuntimeError: CUDA driver initialization failed, you might not have a CUDA gpu.",
            "cuda-init-failed",
            Layer::Driver,
            Owner::Host,
        ),
        (
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 34: CUDA driver is a stub library",
            "stub-libcuda",
            Layer::Exposure,
            Owner::Image,
        ),
        (
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 46: CUDA-capable device(s) is/are busy or unavailable",
            "device-busy",
            Layer::Exposure,
            Owner::Program,
        ),
        (
            "RuntimeError: No CUDA GPUs are available",
            "no-cuda-device",
            Layer::Exposure,
            Owner::Image,
        ),
        (
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
            "no-driver-visible",
            Layer::Exposure,
            Owner::Image,
        ),
    ] {
        let found = unavailable().message(message).is(signature, layer, owner);
        assert!(found.message.is_some());
    }
}

#[test]
fn the_same_words_mean_another_thing_under_other_facts() {
    let no_gpu = || unavailable().message("RuntimeError: No CUDA GPUs are available");
    no_gpu().fact("cuda_visible_devices", "empty").is(
        "gpu-hidden-on-purpose",
        Layer::Exposure,
        Owner::Image,
    );
    no_gpu().fact("cuda_visible_devices", "odd").is(
        "visibility-odd",
        Layer::Exposure,
        Owner::Image,
    );
    no_gpu().fact("wsl", "wsl2").fact("libcuda", "system").is(
        "wsl-driver-shadowed",
        Layer::Driver,
        Owner::Image,
    );

    let no_driver =
        || unavailable().message("RuntimeError: Found no NVIDIA driver on your system.");
    no_driver()
        .fact("container", "none")
        .fact("wsl", "none")
        .fact("libcuda", "missing")
        .is("no-driver-visible", Layer::Driver, Owner::Host);
    no_driver()
        .fact("container", "docker")
        .fact("container_gpu", "not_passed")
        .is("container-without-gpu", Layer::Exposure, Owner::Image);
    no_driver()
        .fact("container", "apptainer")
        .fact("container_gpu", "not_passed")
        .is("apptainer-without-gpu", Layer::Exposure, Owner::Image);
    no_driver()
        .fact("container", "docker")
        .fact("nvidia_driver_capabilities", "odd")
        .is("container-without-compute", Layer::Exposure, Owner::Image);

    let unknown = || {
        unavailable().message("RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment")
    };
    unknown()
        .fact("node_nvidia_uvm", "missing")
        .fact("nvidia_module", "loaded")
        .is("uvm-node-missing", Layer::Exposure, Owner::Host);

    let compat = || {
        unavailable().message(
            "RuntimeError: Error 804: forward compatibility was attempted on non supported HW",
        )
    };
    compat().fact("libcuda", "compat").is(
        "forward-compatibility-refused",
        Layer::Driver,
        Owner::Image,
    );

    let not_ready = || unavailable().message("RuntimeError: Error 802: system not yet initialized");
    not_ready()
        .fact("cuda_init_result", 802_u64)
        .fact("pci_nvidia_count", 1_u64)
        .fact("nvswitch", false)
        .is("hmm-conflict", Layer::Driver, Owner::Host);

    let busy = || {
        unavailable()
            .message("RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable")
    };
    busy().fact("compute_mode", "exclusive_process").is(
        "exclusive-mode",
        Layer::Exposure,
        Owner::Program,
    );
    busy()
        .fact("vgpu_licence", "unlicensed")
        .is("vgpu-unlicensed", Layer::Driver, Owner::Host);
}

#[test]
fn facts_alone_name_the_fault() {
    unavailable().fact("nvml_status", "version_mismatch").is(
        "driver-version-mismatch",
        Layer::Driver,
        Owner::Host,
    );
    unavailable()
        .fact("nvml_status", "timed_out")
        .is("nvml-hangs", Layer::Driver, Owner::Host);
    unavailable()
        .fact("nvml_status", "gpu_lost")
        .is("gpu-lost", Layer::Driver, Owner::Host);
    unavailable()
        .fact("nouveau_module", "loaded")
        .fact("nvidia_module", "absent")
        .fact("pci_nvidia_count", 1_u64)
        .is("nouveau-holds-gpu", Layer::Driver, Owner::Host);
    unavailable()
        .fact("node_nvidiactl", "denied")
        .fact("container", "none")
        .is("gpu-nodes-denied", Layer::Exposure, Owner::Host);
    seen(Code::GpuUnavailable, Stage::Device)
        .rocm()
        .message("RuntimeError: No HIP GPUs are available")
        .fact("node_kfd", "denied")
        .fact("container", "none")
        .is("kfd-denied", Layer::Exposure, Owner::Host);
    unavailable()
        .fact("pci_nvidia_count", 0_u64)
        .fact("pci_amd_count", 0_u64)
        .fact("container", "none")
        .fact("wsl", "none")
        .fact("libcuda", "missing")
        .is("no-nvidia-hardware", Layer::Driver, Owner::Host);
    seen(Code::TorchMissing, Stage::Import)
        .fact("other_interpreters_with_torch", 2_u64)
        .is("torch-in-other-python", Layer::Interpreter, Owner::Program);
    seen(Code::TorchImportFailed, Stage::Import)
        .message("AttributeError: module 'torch' has no attribute '__version__'")
        .fact("torch_shadow", "file")
        .is("torch-shadowed", Layer::Interpreter, Owner::Program);
    seen(Code::WorkerFailed, Stage::Import)
        .fact("worker_signal", "SIGKILL")
        .fact("memory_kills", 1_u64)
        .is("killed-for-memory", Layer::Memory, Owner::Program);
}

#[test]
fn a_file_of_an_earlier_run_is_told_as_such() {
    for (word, signature, action) in [
        (
            "older_than_run",
            "outputs-older-than-run",
            "move-earlier-outputs",
        ),
        ("missing", "outputs-not-written", "check-output-path"),
        ("empty", "outputs-not-written", "check-output-path"),
    ] {
        let found = seen(Code::ContractFailed, Stage::Application)
            .fact("contract_file", word)
            .is(signature, Layer::Output, Owner::Program);
        assert_eq!(found.actions[0], action);
        assert!(found.candidates.is_empty(), "{:?}", found.candidates);
    }
}

#[test]
fn every_way_to_end_has_an_entry_of_its_own() {
    for (code, stage, signature, layer) in [
        (
            Code::InterpreterFailed,
            Stage::Interpreter,
            "python-cannot-start",
            Layer::Interpreter,
        ),
        (
            Code::TorchMissing,
            Stage::Import,
            "torch-missing",
            Layer::Interpreter,
        ),
        (
            Code::TorchImportFailed,
            Stage::Import,
            "import-failed",
            Layer::Import,
        ),
        (
            Code::GpuBackendAbsent,
            Stage::Backend,
            "gpu-backend-absent",
            Layer::Package,
        ),
        (
            Code::GpuUnavailable,
            Stage::Device,
            "driver-trouble",
            Layer::Driver,
        ),
        (
            Code::DeviceIndexInvalid,
            Stage::Device,
            "device-index-invalid",
            Layer::Exposure,
        ),
        (
            Code::CheckFailed,
            Stage::Product,
            "wrong-result",
            Layer::Computation,
        ),
        (
            Code::OutOfMemory,
            Stage::Allocation,
            "gpu-memory-taken",
            Layer::Allocation,
        ),
        (
            Code::Timeout,
            Stage::Interpreter,
            "python-start-hangs",
            Layer::Interpreter,
        ),
        (Code::Timeout, Stage::Import, "import-hangs", Layer::Import),
        (Code::Timeout, Stage::Device, "driver-hangs", Layer::Driver),
        (
            Code::Timeout,
            Stage::Allocation,
            "allocation-hangs",
            Layer::Allocation,
        ),
        (
            Code::Timeout,
            Stage::Synchronize,
            "computation-hangs",
            Layer::Synchronization,
        ),
        (
            Code::WorkerFailed,
            Stage::Import,
            "import-crashed",
            Layer::Import,
        ),
        (
            Code::WorkerFailed,
            Stage::Device,
            "driver-crashes",
            Layer::Driver,
        ),
        (
            Code::ApplicationFailed,
            Stage::Application,
            "application-failed",
            Layer::Output,
        ),
        (
            Code::ContractFailed,
            Stage::Application,
            "contract-broken",
            Layer::Output,
        ),
        (
            Code::ResumeFailed,
            Stage::Application,
            "resume-broken",
            Layer::Resume,
        ),
    ] {
        let found = seen(code, stage).diagnose();
        assert_eq!(
            (found.signature.as_str(), found.layer),
            (signature, layer),
            "{code} {stage:?}"
        );
    }
}

#[test]
fn each_finding_of_a_proof_has_its_own_signature() {
    let mut known = std::collections::HashSet::new();
    for finding in firstfault_schema::facts::RESUME_FINDINGS {
        let shapes: &[&str] = match *finding {
            "training_diverged" => &["jump", "drift", "offset"],
            _ => &[""],
        };
        for shape in shapes {
            let mut seen = seen(Code::ResumeFailed, Stage::Application);
            seen = seen.fact("resume_finding", *finding);
            if !shape.is_empty() {
                seen = seen.fact("loss_shape", *shape);
            }
            let found = seen.diagnose();
            assert_eq!(found.layer, Layer::Resume, "{finding}");
            assert_eq!(found.owner, Owner::Program, "{finding}");
            assert_ne!(found.signature, "resume-broken", "{finding} {shape}");
            assert!(found.actions.len() >= 2, "{finding}");
            assert!(known.insert(found.signature), "{finding} {shape}");
        }
    }
    assert_eq!(known.len(), 13);
}

#[test]
fn a_message_that_nobody_knows_stays_unknown_and_clean() {
    let found = seen(Code::RuntimeError, Stage::Product)
        .cuda("13.0")
        .message("RuntimeError: the flux of alice at /home/alice is out of phase")
        .diagnose();
    assert_eq!(found.layer, Layer::Computation);
    assert!(!found.actions.is_empty());
    let message = found.message.unwrap_or_default();
    assert!(
        message.starts_with("RuntimeError: the") && !message.contains("alice"),
        "{message}"
    );
}

#[test]
fn texts_that_point_the_wrong_way_do_not_mislead() {
    // The fragmentation hint, the map_location hint and a later operation's name all stand in the message.
    seen(Code::OutOfMemory, Stage::Allocation)
        .cuda("13.0")
        .message("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB. If reserved memory is >> allocated memory try setting PYTORCH_ALLOC_CONF=expandable_segments:True")
        .is("gpu-memory-taken", Layer::Allocation, Owner::Program);
    // nvidia-smi works and is_available() is True, but the build has no kernels.
    seen(Code::RuntimeError, Stage::Product)
        .cuda("12.4")
        .device("12.0", &["sm_80", "sm_90"])
        .message(
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        )
        .is("gpu-newer-than-build", Layer::Package, Owner::Package);
    seen(Code::RuntimeError, Stage::Product)
        .cuda("13.0")
        .device("7.0", &["sm_75", "sm_80", "sm_90"])
        .message(
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        )
        .is("gpu-too-old-for-build", Layer::Package, Owner::Package);
    // An import failure is never the driver's, whatever the noise says.
    let mut noisy = seen(Code::TorchImportFailed, Stage::Import).message(
        "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
    );
    noisy.stderr = "UserWarning: Found no NVIDIA driver on your system.".to_owned();
    noisy.is("gpu-library-missing", Layer::Import, Owner::Package);
}

#[test]
fn evidence_that_contradicts_is_said() {
    let found = unavailable()
        .message("RuntimeError: The NVIDIA driver on your system is too old (found version 12020).")
        .fact("driver_new_enough", true)
        .diagnose();
    assert!(
        found
            .evidence
            .iter()
            .any(|item| item.fact == "conflicting_evidence"),
        "{found:#?}"
    );
}

#[test]
fn where_the_words_fit_several_faults_the_others_are_named() {
    let found = unavailable()
        .message("RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable")
        .diagnose();
    assert!(
        found
            .candidates
            .iter()
            .any(|candidate| candidate == "vgpu-unlicensed"),
        "{found:#?}"
    );
    let known = unavailable()
        .message("RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable")
        .fact("compute_mode", "default")
        .fact("vgpu_licence", "licensed")
        .diagnose();
    assert_eq!(known.signature, "device-busy");
}

#[test]
fn the_second_witness_explains_a_failure_of_the_python_layer() {
    let mut failing = unavailable();
    failing.libtorch = Libtorch {
        product_verified: Some(true),
        gradient_verified: Some(true),
        synchronized: Some(true),
        ..Libtorch::only(WitnessAnswer::Disagrees)
    };
    failing.is("works-without-python", Layer::Interpreter, Owner::Program);
}

#[test]
fn facts_that_may_not_stand_in_a_report_are_left_out() {
    let found = unavailable()
        .fact("home", "/home/alice")
        .fact("cuda_visible_devices", "0,1")
        .fact("wsl", "none")
        .diagnose();
    let facts: Vec<_> = found
        .evidence
        .iter()
        .map(|item| item.fact.as_str())
        .collect();
    assert_eq!(facts, ["wsl"]);
}

#[test]
fn architectures_are_compared_as_the_driver_does() {
    let support = |device: &str, compiled: &[&str]| {
        let compiled: Vec<String> = compiled.iter().map(|name| (*name).to_owned()).collect();
        architecture_support(device, &compiled)
    };
    assert_eq!(support("9.0", &["sm_80", "sm_90"]), Some("supported"));
    assert_eq!(support("8.9", &["sm_80", "sm_86"]), Some("supported"));
    assert_eq!(support("8.0", &["sm_86"]), Some("missing"));
    assert_eq!(support("12.0", &["sm_90"]), Some("missing"));
    assert_eq!(support("12.0", &["sm_90", "compute_90"]), Some("ptx"));
    assert_eq!(support("12.1", &["sm_120"]), Some("supported"));
    assert_eq!(support("12.1", &["sm_120a"]), Some("missing"));
    assert_eq!(support("gfx1100", &["gfx1100"]), Some("supported"));
    assert_eq!(
        support("gfx90a:sramecc+:xnack-", &["gfx90a"]),
        Some("supported")
    );
    assert_eq!(support("gfx1032", &["gfx1030"]), Some("missing"));
    assert_eq!(support("9.0", &[]), None);
}

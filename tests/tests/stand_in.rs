//! What a PyTorch may do that no machine without a GPU shows: with a stand-in, which proves nothing about a GPU.

use std::time::Duration;

use firstfault_schema::Code;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Backend, Layer, Stage, WitnessAnswer};
use firstfault_tests::Scene;
use firstfault_tests::ended::{diagnosis, fact, outcomes};

fn check(words: &str, arguments: &[&str]) -> (firstfault_tests::Ended, Scene) {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene.check(&python, arguments).stand_in(words).end();
    (ended, scene)
}

#[test]
fn a_gpu_pass_needs_every_receipt_and_gets_it() {
    let (ended, _scene) = check("", &[]);
    let report = ended.expect_in(Code::GpuCheckPassed, Stage::Synchronize);
    assert_eq!(
        outcomes(&report),
        [
            Outcome::Passed,
            Outcome::Passed,
            Outcome::Passed,
            Outcome::NotRequested
        ]
    );
    assert_eq!(report.execution.device.as_deref(), Some("cuda:0"));
    assert_eq!(report.execution.loss, Some(196.0));
    assert_eq!(report.pytorch.backend, Some(Backend::Cuda));
    assert_eq!(report.libtorch.answer, WitnessAnswer::NotRun);
    assert!(report.diagnosis.is_none());
}

#[test]
fn a_rocm_build_passes_although_its_cuda_version_is_none() {
    let (ended, _scene) = check("rocm", &[]);
    let report = ended.expect(Code::GpuCheckPassed);
    assert_eq!(report.pytorch.backend, Some(Backend::Rocm));
    assert_eq!(report.pytorch.cuda_version, None);
    assert_eq!(report.pytorch.hip_version.as_deref(), Some("6.2.41133"));
    let device = &report.pytorch.devices.as_ref().unwrap()[0];
    assert_eq!(device.compute_capability.as_deref(), Some("gfx942"));
    assert_eq!(report.execution.device.as_deref(), Some("cuda:0"));
}

#[test]
fn wrong_values_fail_in_the_stage_that_showed_them() {
    let cases = [
        ("wrong-product", Stage::Product),
        ("nan", Stage::Product),
        ("infinite", Stage::Product),
        ("wrong-gradient", Stage::Gradient),
        ("wrong-receipt", Stage::Synchronize),
        ("short-receipt", Stage::Synchronize),
    ];
    for (words, stage) in cases {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect_in(Code::CheckFailed, stage);
        assert_eq!(
            outcomes(&report)[..3],
            [Outcome::Passed, Outcome::Passed, Outcome::Failed]
        );
        assert_eq!(diagnosis(&report).layer, Layer::Computation, "{ended}");
    }
}

#[test]
fn a_pass_on_the_cpu_with_wrong_values_fails_and_claims_nothing_about_a_gpu() {
    let (ended, _scene) = check("wrong-product", &["--device", "cpu"]);
    let report = ended.expect_in(Code::CheckFailed, Stage::Product);
    assert_eq!(
        outcomes(&report)[..3],
        [Outcome::Passed, Outcome::NotRequested, Outcome::Failed]
    );
    assert_eq!(report.pytorch.gpu_available, None);
    assert_eq!(
        diagnosis(&report).signature,
        "wrong-result-on-cpu",
        "{ended}"
    );
}

#[test]
fn memory_and_runtime_errors_have_their_own_codes() {
    let cases = [
        (
            "allocation:out-of-memory",
            Code::OutOfMemory,
            Stage::Allocation,
        ),
        ("product:out-of-memory", Code::OutOfMemory, Stage::Product),
        ("allocation:raise", Code::RuntimeError, Stage::Allocation),
        ("product:raise", Code::RuntimeError, Stage::Product),
        ("gradient:raise", Code::RuntimeError, Stage::Gradient),
        ("receipt:raise", Code::RuntimeError, Stage::Synchronize),
        ("device:raise", Code::GpuUnavailable, Stage::Device),
        ("no-gpu", Code::GpuUnavailable, Stage::Device),
        ("cpu-build", Code::GpuBackendAbsent, Stage::Backend),
    ];
    for (words, code, stage) in cases {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect_in(code, stage);
        assert!(!diagnosis(&report).actions.is_empty(), "{ended}");
        if stage >= Stage::Allocation {
            // The device was reached: what this machine lacks can't be the reason.
            let layers = [
                Layer::Allocation,
                Layer::Computation,
                Layer::Synchronization,
            ];
            assert!(layers.contains(&diagnosis(&report).layer), "{ended}");
        }
    }
}

#[test]
fn an_index_outside_the_visible_devices_is_told_with_what_is_visible() {
    let (ended, _scene) = check("", &["--device-index", "3"]);
    let report = ended.expect_in(Code::DeviceIndexInvalid, Stage::Device);
    assert_eq!(report.pytorch.visible_device_count, Some(1));
    assert_eq!(report.execution.requested_index, Some(3));
    assert_eq!(outcomes(&report)[1], Outcome::Failed);
}

#[test]
fn work_on_another_device_than_the_one_asked_for_proves_nothing() {
    for words in ["on-the-cpu", "on-another", "in-double"] {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect(Code::WorkerFailed);
        assert_eq!(outcomes(&report)[2], Outcome::NotProven, "{ended}");
    }
}

#[test]
fn a_pass_without_its_receipt_is_not_proven() {
    let (ended, _scene) = check("no-receipt", &[]);
    let report = ended.expect_in(Code::WorkerFailed, Stage::Synchronize);
    assert_eq!(outcomes(&report)[2], Outcome::NotProven, "{ended}");
    assert_eq!(report.execution.synchronized, None);
    let (ended, _scene) = check("gradient:early-done", &[]);
    ended.expect(Code::WorkerFailed);
}

#[test]
fn forged_events_change_nothing() {
    for words in [
        "import:forge-stdout",
        "import:forge-stderr",
        "import:forge-guessed",
        "product:forge-guessed",
    ] {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect(Code::GpuCheckPassed);
        assert_ne!(
            report.runtime.python_version.as_deref(),
            Some("9.9.9"),
            "{ended}"
        );
    }
}

#[test]
fn events_that_break_the_order_are_not_believed() {
    for words in ["import:forge-events", "product:turned", "import:torn"] {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect(Code::WorkerFailed);
        assert_ne!(
            report.runtime.python_version.as_deref(),
            Some("9.9.9"),
            "{ended}"
        );
    }
}

#[test]
fn what_libraries_print_and_warn_disturbs_nothing() {
    for words in [
        "import:print,device:print,product:print",
        "import:warn,product:warn",
    ] {
        let (ended, _scene) = check(words, &[]);
        ended.expect(Code::GpuCheckPassed);
    }
}

#[test]
fn what_sitecustomize_prints_and_leaves_disturbs_nothing() {
    let cases = [
        "print('hello', end='')",
        "import os\nos.write(1, b'{\"nonce\":\"')",
        "import os, sys\nos.write(1, b'\\n'.join([b'{\"nonce\":\"' + b'0' * 32 + b'\",\"seq\":0,\"event\":\"done\"}'] * 1000))",
        "import os\nblock = b'z' * 65536\nfor _ in range(16384): os.write(1, block)",
        "import warnings\nwarnings.simplefilter('error')",
        "import sys\nsys.stdout = sys.stderr = None",
        "import os, time\nif os.fork() == 0:\n    time.sleep(3600)",
        "raise RuntimeError('broken')",
    ];
    for text in cases {
        let scene = Scene::new();
        let stand_in = scene.stand_in();
        stand_in.add("sitecustomize.py", text);
        let ended = scene.check(&stand_in.python(), [""; 0]).end();
        ended.expect(Code::GpuCheckPassed);
        ended.expect_within(Duration::from_secs(20));
    }
}

#[test]
fn an_import_that_fails_is_told_as_one() {
    for words in [
        "import:raise",
        "import:raise-import-error",
        "import:sys-exit",
        "import:interrupt",
    ] {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect_in(Code::TorchImportFailed, Stage::Import);
        assert_eq!(outcomes(&report)[0], Outcome::Failed, "{ended}");
    }
}

#[test]
fn a_worker_that_dies_names_its_stage_and_how_it_died() {
    let cases = [
        ("import:abort", Stage::Import, Some("SIGABRT")),
        ("import:c-abort", Stage::Import, Some("SIGABRT")),
        ("import:segfault", Stage::Import, Some("SIGSEGV")),
        ("import:kill", Stage::Import, Some("SIGKILL")),
        ("import:exit", Stage::Import, None),
        ("import:exit-3", Stage::Import, None),
        ("device:segfault", Stage::Device, Some("SIGSEGV")),
        ("product:abort", Stage::Product, Some("SIGABRT")),
        ("gradient:exit", Stage::Gradient, None),
    ];
    for (words, stage, signal) in cases {
        let (ended, _scene) = check(words, &[]);
        let report = ended.expect_in(Code::WorkerFailed, stage);
        assert_eq!(
            fact(&report, "worker_signal").as_deref(),
            signal,
            "{words}\n{ended}"
        );
        assert_eq!(
            fact(&report, "worker_exit_code").is_some(),
            signal.is_none(),
            "{words}\n{ended}"
        );
    }
}

#[test]
fn the_largest_report_of_a_check_is_still_small() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let value = "w ".repeat(60);
    let parameters = (0..64).flat_map(|number| {
        let name = format!("p{number:02}{}", "-nnnnnnnnn".repeat(6));
        ["--set".to_owned(), format!("{name}={}", value.trim_end())]
    });
    let largest = |parameters: Vec<String>| {
        scene
            .check(
                &python,
                ["--label", value.trim_end(), "--device-index", "99"],
            )
            .args(parameters)
            .stand_in("product:raise")
            .env("STAND_IN_COUNT", "1000")
            .env("STAND_IN_DEVICE", "NVIDIA-H100/RTX-4090-Ti ".repeat(16))
            .env("STAND_IN_ARCHITECTURE", "sm_90")
            .env("STAND_IN_MESSAGE", "CUDA error ".repeat(1000))
            .end()
    };
    let report = largest(parameters.clone().collect()).expect(Code::RuntimeError);
    assert_eq!(report.attempt.parameters.len(), 64);
    assert_eq!(report.pytorch.visible_device_count, Some(1000));
    let devices = report.pytorch.devices.as_ref().unwrap();
    assert!(devices.iter().any(|device| device.index == 99));
    let foreign: Vec<String> = parameters.map(|text| text.replace("w ", "字 ")).collect();
    let ended = largest(foreign);
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
}

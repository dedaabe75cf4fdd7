//! Real Pythons and real builds of PyTorch.

use std::fs;
use std::time::Duration;

use firstfault_schema::Code;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Backend, Layer, Owner, Stage, WitnessAnswer};
use firstfault_tests::Scene;
use firstfault_tests::ended::{diagnosis, outcomes};
use firstfault_tests::environments::{Environment, snapshot};

#[test]
fn the_cpu_passes_on_request_and_both_engines_agree() {
    let scene = Scene::new();
    let python = Environment::Torch.python();
    let ended = scene.check(&python, ["--device", "cpu"]).end();
    let report = ended.expect_in(Code::CpuCheckPassed, Stage::Synchronize);
    assert_eq!(
        outcomes(&report),
        [
            Outcome::Passed,
            Outcome::NotRequested,
            Outcome::PassedCpuOnly,
            Outcome::NotRequested
        ],
        "{ended}"
    );
    assert_eq!(report.execution.loss, Some(196.0), "{ended}");
    assert_eq!(report.execution.device.as_deref(), Some("cpu"));
    assert_eq!(report.execution.dtype.as_deref(), Some("float32"));
    assert_eq!(report.pytorch.gpu_available, None);
    assert_eq!(report.pytorch.visible_device_count, None);
    assert_eq!(report.pytorch.devices, None);
    assert_eq!(report.pytorch.backend, Some(Backend::Cuda));
    assert!(
        report
            .pytorch
            .version
            .as_deref()
            .is_some_and(|version| version.starts_with("2.13.0")),
        "{ended}"
    );
    assert_eq!(report.pytorch.installed_version, report.pytorch.version);
    assert_eq!(report.libtorch.answer, WitnessAnswer::Agrees, "{ended}");
    assert_eq!(report.libtorch.product_verified, Some(true));
    assert_eq!(report.libtorch.gradient_verified, Some(true));
    assert_eq!(report.libtorch.synchronized, Some(true));
    assert_eq!(report.host, None);
    let timings = &report.execution.timings;
    for ms in [
        timings.import_ms,
        timings.first_pass_ms,
        timings.following_pass_ms,
    ] {
        assert!(ms.is_some_and(|ms| ms > 0.0), "{ended}");
    }
}

#[test]
fn the_cpu_passes_with_each_engine_alone() {
    let scene = Scene::new();
    let python = Environment::Torch.python();
    let ended = scene
        .check(&python, ["--device", "cpu", "--engine", "python"])
        .end();
    let report = ended.expect(Code::CpuCheckPassed);
    assert_eq!(report.libtorch.answer, WitnessAnswer::NotRun, "{ended}");
    let ended = scene
        .check(&python, ["--device", "cpu", "--engine", "libtorch"])
        .end();
    let report = ended.expect(Code::CpuCheckPassed);
    assert_eq!(report.libtorch.answer, WitnessAnswer::Decided, "{ended}");
    assert_eq!(outcomes(&report)[0], Outcome::NotRequested, "{ended}");
    assert_eq!(report.execution.loss, Some(196.0), "{ended}");
}

#[test]
fn a_libtorch_alone_is_examined_where_no_python_has_pytorch() {
    let scene = Scene::new();
    let libraries = Environment::Torch.packages().join("torch");
    let ended = scene
        .run(["check", "--json", "--device", "cpu", "--libtorch"])
        .args([&libraries])
        .env("VIRTUAL_ENV", scene.stand_in_without_torch())
        .end();
    let report = ended.expect(Code::CpuCheckPassed);
    assert_eq!(report.libtorch.answer, WitnessAnswer::Decided, "{ended}");
}

#[test]
fn a_demanded_gpu_is_unavailable_here_and_hiding_it_is_told_apart() {
    let scene = Scene::new();
    let python = Environment::Torch.python();
    let ended = scene.check(&python, [""; 0]).end();
    let report = ended.expect_in(Code::GpuUnavailable, Stage::Device);
    assert_eq!(
        outcomes(&report),
        [
            Outcome::Passed,
            Outcome::Failed,
            Outcome::NotReached,
            Outcome::NotRequested
        ]
    );
    assert_eq!(report.pytorch.gpu_available, Some(false));
    assert_eq!(report.pytorch.backend, Some(Backend::Cuda));
    assert_eq!(report.execution.device, None);
    assert_eq!(report.libtorch.answer, WitnessAnswer::Agrees, "{ended}");
    assert_eq!(report.libtorch.cpu_control, Some(true), "{ended}");
    // Only a library that was loaded before the first call into libtorch answers as a driver would.
    assert_eq!(report.libtorch.gpu_hooks, Some(true), "{ended}");

    let hidden = scene
        .check(&python, [""; 0])
        .env("CUDA_VISIBLE_DEVICES", "")
        .end();
    let hidden_report = hidden.expect_in(Code::GpuUnavailable, Stage::Device);
    assert_ne!(
        diagnosis(&hidden_report).signature,
        diagnosis(&report).signature,
        "{hidden}"
    );
    assert_eq!(
        diagnosis(&hidden_report).signature,
        "gpu-hidden-on-purpose",
        "{hidden}"
    );
    assert_eq!(diagnosis(&hidden_report).layer, Layer::Exposure, "{hidden}");
}

#[test]
fn a_build_for_the_cpu_alone_has_no_gpu_backend() {
    let scene = Scene::new();
    let ended = scene.check(&Environment::Debian.python(), [""; 0]).end();
    let report = ended.expect_in(Code::GpuBackendAbsent, Stage::Backend);
    assert_eq!(report.pytorch.backend, Some(Backend::None));
    assert_eq!(report.pytorch.cuda_version, None);
    assert_eq!(report.pytorch.hip_version, None);
    assert_eq!(diagnosis(&report).layer, Layer::Package, "{ended}");
    assert_eq!(diagnosis(&report).owner, Owner::Package, "{ended}");
    // Debian's libraries are older than those that the witness was built for: that accuses nobody.
    assert_eq!(
        report.libtorch.answer,
        WitnessAnswer::Incompatible,
        "{ended}"
    );
    let ended = scene
        .check(&Environment::Debian.python(), ["--device", "cpu"])
        .end();
    let report = ended.expect(Code::CpuCheckPassed);
    assert_eq!(
        report.libtorch.answer,
        WitnessAnswer::Incompatible,
        "{ended}"
    );
}

#[test]
fn no_pytorch_is_told_as_missing() {
    let scene = Scene::new();
    let ended = scene.check(&Environment::Empty.python(), [""; 0]).end();
    let report = ended.expect_in(Code::TorchMissing, Stage::Import);
    assert_eq!(
        outcomes(&report)[..3],
        [Outcome::Failed, Outcome::NotReached, Outcome::NotReached]
    );
    assert_eq!(report.pytorch.installed_version, None);
    assert_eq!(
        report.runtime.python_implementation.as_deref(),
        Some("CPython")
    );
}

#[test]
fn a_wheel_without_its_libraries_fails_to_import() {
    let scene = Scene::new();
    let ended = scene
        .check(&Environment::NoLibraries.python(), [""; 0])
        .end();
    let report = ended.expect_in(Code::TorchImportFailed, Stage::Import);
    assert!(
        report
            .pytorch
            .installed_version
            .as_deref()
            .is_some_and(|version| version.starts_with("2.13.0")),
        "{ended}"
    );
    assert_eq!(report.pytorch.version, None);
    assert_eq!(
        report.libtorch.answer,
        WitnessAnswer::MissingLibrary,
        "{ended}"
    );
    assert!(report.libtorch.missing.is_some(), "{ended}");
    assert!(
        matches!(diagnosis(&report).layer, Layer::Import | Layer::Package),
        "{ended}"
    );
}

#[test]
fn what_is_no_python_is_told_and_nothing_else_is_claimed() {
    let scene = Scene::new();
    fs::write(scene.work("text"), "print('hello')\n").unwrap();
    fs::write(scene.work("script"), "print('hello')\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(scene.work("script"), executable).unwrap();
    for place in [
        "missing/python",
        ".",
        "text",
        "script",
        "/bin/true",
        "/bin/false",
        "/dev/null",
    ] {
        let ended = scene.run(["check", "--json", "--python", place]).end();
        let report = ended.report();
        assert_eq!(report.code, Code::InterpreterFailed, "{ended}");
        assert_eq!(report.stage, Stage::Interpreter, "{ended}");
        assert_eq!(
            outcomes(&report)[..3],
            [Outcome::Failed, Outcome::NotReached, Outcome::NotReached]
        );
        assert_eq!(report.pytorch, Default::default(), "{ended}");
        assert_eq!(diagnosis(&report).layer, Layer::Interpreter, "{ended}");
    }
}

#[test]
fn an_active_environment_is_examined_unasked() {
    let scene = Scene::new();
    let python = Environment::Empty.python();
    let folder = python.ancestors().nth(2).unwrap();
    let ended = scene
        .run(["check", "--json"])
        .env("VIRTUAL_ENV", folder)
        .end();
    ended.expect(Code::TorchMissing);
    assert!(
        ended
            .stderr
            .contains(&format!("Examined: {}", folder.display())),
        "{ended}"
    );
}

#[test]
fn a_torch_in_the_folder_of_the_program_is_told_as_shadowing() {
    let python = Environment::Torch.python();
    for (name, text) in [
        ("torch.py", "tensor_of_mine = 1\n"),
        ("torch/__init__.py", "raise RuntimeError('mine')\n"),
    ] {
        let scene = Scene::new();
        let folder = scene.path("program");
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), text).unwrap();
        fs::write(folder.join("train.py"), "import torch\n").unwrap();
        let ended = scene
            .check(&python, ["--device", "cpu", "--program"])
            .args([folder.join("train.py")])
            .end();
        let report = ended.expect_in(Code::TorchImportFailed, Stage::Import);
        assert_eq!(diagnosis(&report).signature, "torch-shadowed", "{ended}");
        assert_eq!(diagnosis(&report).layer, Layer::Interpreter, "{ended}");
        assert_eq!(diagnosis(&report).owner, Owner::Program, "{ended}");
        assert_eq!(report.libtorch.answer, WitnessAnswer::Disagrees, "{ended}");
    }
}

#[test]
fn a_shadowing_torch_that_hangs_is_ended_and_told_with_the_witness() {
    let scene = Scene::new();
    fs::write(scene.work("torch.py"), "import time\ntime.sleep(3600)\n").unwrap();
    let python = Environment::Torch.python();
    let ended = scene
        .check(&python, ["--device", "cpu", "--timeout", "5"])
        .end();
    let report = ended.expect_in(Code::Timeout, Stage::Import);
    ended.expect_within(Duration::from_secs(5 + 5 + 2));
    assert_eq!(report.libtorch.answer, WitnessAnswer::Disagrees, "{ended}");
    assert_eq!(diagnosis(&report).signature, "torch-shadowed", "{ended}");
}

#[test]
fn modules_of_the_users_own_disturb_nothing_and_nothing_is_written() {
    let scene = Scene::new();
    for name in ["json.py", "os.py", "time.py", "platform.py", "math.py"] {
        fs::write(scene.work(name), "raise RuntimeError('not yours')\n").unwrap();
    }
    let python = Environment::Torch.python();
    let packages = Environment::Torch.packages();
    let before = (snapshot(&packages), snapshot(&scene.path("work")));
    let ended = scene.check(&python, ["--device", "cpu"]).end();
    ended.expect(Code::CpuCheckPassed);
    let after = (snapshot(&packages), snapshot(&scene.path("work")));
    assert!(before == after, "something was written\n{ended}");
}

#[test]
fn crashes_and_passes_leave_neither_bytecode_nor_core_files() {
    let scene = Scene::new();
    let stand_in = scene.stand_in();
    stand_in.add("sitecustomize.py", "import helper_of_site\n");
    stand_in.add("helper_of_site.py", "\n");
    let places = ["venv", "work", "home"].map(|name| scene.path(name));
    let before = places.each_ref().map(|place| snapshot(place));
    for words in ["", "import:abort", "import:segfault", "product:segfault"] {
        let ended = scene
            .check(&stand_in.python(), [""; 0])
            .stand_in(words)
            .wrapped(["sh", "-c", "ulimit -c unlimited; exec \"$@\"", "sh"])
            .end();
        ended.report();
        let after = places.each_ref().map(|place| snapshot(place));
        assert_eq!(before, after, "{ended}");
    }
}

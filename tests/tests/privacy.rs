//! What a report never holds: values of variables, names of users and hosts, paths. Unusual words are planted in every
//! channel and looked for in every form of a report. With the stand-in for PyTorch, and with real builds.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use firstfault_schema::{Code, carry};
use firstfault_tests::environments::{Environment, StandIn};
use firstfault_tests::planted::Planted;
use firstfault_tests::{Ended, Run, Scene, named_by};

/// A home, a current folder, a program and a path to `firstfault` itself, all with planted names.
struct Place {
    scene: Scene,
    home: PathBuf,
    work: PathBuf,
    train: PathBuf,
    firstfault: PathBuf,
}

impl Place {
    fn new(planted: &mut Planted) -> Self {
        let scene = Scene::new();
        let home = scene.path(format!("{} {}", planted.word(), planted.foreign()));
        let work = home.join(planted.mixed());
        fs::create_dir_all(&work).unwrap();
        let train = work.join(format!("train_{}.py", planted.word()));
        fs::write(&train, "").unwrap();
        let firstfault = home.join(planted.word());
        symlink(named_by("FIRSTFAULT_BIN"), &firstfault).unwrap();
        Self {
            scene,
            home,
            work,
            train,
            firstfault,
        }
    }

    /// A check in this place, with planted variables.
    fn check(&self, python: &Path, planted: &mut Planted) -> Run {
        let mut run = self
            .scene
            .check(python, ["--program"])
            .args([&self.train])
            .program(&self.firstfault)
            .folder(&self.work)
            .env("HOME", &self.home)
            .env("XDG_STATE_HOME", self.home.join(planted.word()));
        for name in [
            "USER",
            "LOGNAME",
            "USERNAME",
            "SUDO_USER",
            "HOSTNAME",
            "HOST",
            "COMPUTERNAME",
        ] {
            let value = match planted.below(3) {
                0 => planted.foreign(),
                1 => planted.mixed(),
                _ => planted.word(),
            };
            run = run.env(name, value);
        }
        for name in [
            "HF_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "WANDB_API_KEY",
            "HTTPS_PROXY",
            "LD_LIBRARY_PATH",
            "PYTHONPATH",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_DRIVER_CAPABILITIES",
            "HIP_VISIBLE_DEVICES",
            "CUDA_HOME",
            "CONDA_DEFAULT_ENV",
            "CONDA_PREFIX",
            "SLURM_JOB_NAME",
            "TORCH_CUDA_ARCH_LIST",
            "PYTORCH_CUDA_ALLOC_CONF",
            "LD_PRELOAD_OF_NOBODY",
        ] {
            run = run.env(name, planted.formed().replace('\n', " "));
        }
        for _ in 0..4 {
            let name = format!("X_{}", planted.capitals());
            run = run.env(name, planted.formed());
        }
        run
    }
}

/// Expects that nothing planted stands in `text`.
fn expect_nothing(planted: &Planted, form: &str, text: &str, seed: u64, ended: &Ended) {
    let found = planted.found_in(text);
    assert!(
        found.is_empty(),
        "seed {seed}: {found:?} in {form}:\n{text}\n{ended}"
    );
}

#[test]
fn nothing_planted_is_found_in_any_form_of_a_report() {
    let scenarios: &[(&str, Option<Code>)] = &[
        ("", Some(Code::GpuCheckPassed)),
        ("import:print,product:print,import:warn", None),
        ("import:raise", Some(Code::TorchImportFailed)),
        ("import:raise-import-error", Some(Code::TorchImportFailed)),
        ("import:raise-named", Some(Code::TorchImportFailed)),
        ("import:print,import:abort", Some(Code::WorkerFailed)),
        ("device:raise", Some(Code::GpuUnavailable)),
        (
            "device:raise-named,device:print",
            Some(Code::GpuUnavailable),
        ),
        ("allocation:out-of-memory", Some(Code::OutOfMemory)),
        ("product:raise-os-error", Some(Code::RuntimeError)),
        ("wrong-gradient,product:warn", Some(Code::CheckFailed)),
        ("rocm", None),
        ("cpu-build", Some(Code::GpuBackendAbsent)),
        ("import:print,import:exit-3", Some(Code::WorkerFailed)),
    ];
    let scene = Scene::new();
    let ended = scene.run(["page", "--output", "empty.html"]).end();
    ended.expect_exit(0);
    let empty_page = fs::read_to_string(scene.work("empty.html")).unwrap();
    for seed in 0..28 {
        let mut planted = Planted::new(seed);
        let (words, code) = scenarios[usize::try_from(seed).unwrap() % scenarios.len()];
        let place = Place::new(&mut planted);
        let environment = place.home.join(planted.foreign()).join(planted.word());
        let stand_in = StandIn::new(&environment);
        let prepared = |planted: &mut Planted| {
            let message: Vec<String> = (0..3).map(|_| planted.formed()).collect();
            place
                .check(&stand_in.python(), planted)
                .stand_in(words)
                .env("STAND_IN_MESSAGE", message.join(" "))
                .env("STAND_IN_EXCEPTION", planted.mixed())
                .env(
                    "STAND_IN_VERSION",
                    match planted.below(3) {
                        0 => format!("2.13.0+{}", planted.word()),
                        1 => planted.formed(),
                        _ => format!("2.13.{}", planted.number()),
                    },
                )
                .env("STAND_IN_CUDA", format!("12.4 {}", planted.word()))
                .env("STAND_IN_HIP", planted.formed())
                .env(
                    "STAND_IN_DEVICE",
                    match planted.below(3) {
                        0 => format!("NVIDIA {} 80GB", planted.word()),
                        1 => planted.formed(),
                        _ => planted.mixed(),
                    },
                )
                .env("STAND_IN_ARCHITECTURE", planted.word())
        };
        let run = prepared(&mut planted);
        let report_file = place.work.join(planted.word());
        let page_file = place.work.join(planted.word());
        let ended = run
            .args(["--output".as_ref(), report_file.as_os_str()])
            .args(["--page".as_ref(), page_file.as_os_str()])
            .end();
        let report = ended.report();
        if let Some(code) = code {
            assert_eq!(report.code, code, "{ended}");
        }
        expect_nothing(&planted, "--json", &ended.stdout, seed, &ended);
        let saved = fs::read_to_string(report_file).unwrap();
        expect_nothing(&planted, "--output", &saved, seed, &ended);
        let page = fs::read_to_string(page_file).unwrap();
        assert!(carry::with_reports(&page, &[]).unwrap() == empty_page);
        for carried in carry::reports_in(&page).unwrap() {
            assert_eq!(carried.text, saved, "{ended}");
            expect_nothing(&planted, "--page", &carried.name, seed, &ended);
        }

        let ended = prepared(&mut planted)
            .without_arg("--json")
            .args(["--ticket", "host"])
            .end();
        expect_nothing(&planted, "--ticket", &ended.stdout, seed, &ended);
    }
}

#[test]
fn real_failures_with_planted_paths_tell_none_of_them() {
    for (seed, environment, code) in [
        (1, Environment::NoLibraries, Code::TorchImportFailed),
        (2, Environment::Torch, Code::GpuUnavailable),
        (3, Environment::Empty, Code::TorchMissing),
    ] {
        let mut planted = Planted::new(1000 + seed);
        let place = Place::new(&mut planted);
        let folder = place.home.join(planted.foreign()).join(planted.word());
        let made = StandIn::without_torch(&folder);
        // The real packages, reached through an environment with planted names.
        fs::remove_dir(&made.packages).unwrap();
        symlink(environment.packages(), &made.packages).unwrap();
        let ended = place
            .check(&made.python(), &mut planted)
            .without_env("PYTHONPATH")
            // PyTorch ends the process over a value that it doesn't understand.
            .without_env("PYTORCH_CUDA_ALLOC_CONF")
            .end();
        assert_eq!(ended.report().code, code, "{ended}");
        expect_nothing(&planted, "--json", &ended.stdout, seed, &ended);
    }
}

#[test]
fn an_interpreter_that_cannot_start_is_not_named() {
    let mut planted = Planted::new(2000);
    let place = Place::new(&mut planted);
    let text = place.work.join(planted.word());
    fs::write(&text, "").unwrap();
    for python in [text, place.work.join(planted.foreign()), place.work.clone()] {
        let ended = place.check(&python, &mut planted).end();
        assert_eq!(ended.report().code, Code::InterpreterFailed, "{ended}");
        expect_nothing(&planted, "--json", &ended.stdout, 2000, &ended);
    }
}

#[test]
fn words_of_the_users_own_stay_and_what_looks_secret_is_refused() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .check(&python, ["--label", "first try, fp16", "--set", "batch=8"])
        .args(["--set", "note=eager mode"])
        .end();
    let report = ended.expect(Code::GpuCheckPassed);
    assert_eq!(report.attempt.label.as_deref(), Some("first try, fp16"));
    assert_eq!(report.attempt.parameters.len(), 2);

    let mut planted = Planted::new(3000);
    let secret = planted.mixed();
    let refused = [
        format!("/home/{}/run", planted.word()),
        format!("..\\{}", planted.word()),
        format!("~{}", planted.word()),
        format!("{}@{}.example", planted.word(), planted.word()),
        format!("https://{}.example", planted.word()),
        format!("hf_{}{}", planted.mixed(), planted.mixed()),
        planted.hexadecimal(),
        format!("run with {secret}"),
        "run of mallory".to_owned(),
        "a\u{202e}b".to_owned(),
        "a\nb".to_owned(),
        "x".repeat(121),
        String::new(),
    ];
    for text in refused {
        for arguments in [
            ["--label".to_owned(), text.clone()],
            ["--set".to_owned(), format!("note={text}")],
        ] {
            let ended = scene
                .check(&python, arguments)
                .args(["--output", "report.json"])
                .env("MY_SERVICE", &secret)
                .env("USER", "mallory")
                .end();
            ended.expect_exit(2);
            assert_eq!(ended.stdout, "", "{ended}");
            assert_eq!(scene.names(), [""; 0], "{ended}");
        }
    }
    for parameter in [
        "api_key=1",
        "hf_token=x",
        "PASSWORD=1",
        "=8",
        "batch",
        "a b=1",
    ] {
        let ended = scene.check(&python, ["--set", parameter]).end();
        ended.expect_exit(2);
        assert_eq!(ended.stdout, "", "{ended}");
    }
}

#[test]
fn the_name_of_this_host_is_in_no_report() {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let name = name.trim();
    // A short or common name may be a word of the report by chance.
    if name.len() < 6 || name == "localhost" {
        return;
    }
    let scene = Scene::new();
    let python = scene.stand_in().python();
    for words in ["", "device:raise"] {
        let ended = scene
            .check(&python, [""; 0])
            .stand_in(words)
            .env("STAND_IN_MESSAGE", format!("no GPU on {name}"))
            .end();
        ended.report();
        assert!(!ended.stdout.contains(name), "{ended}");
    }
}

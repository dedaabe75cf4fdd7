//! A baseline over days: the same attempt again, one line, and an exit code that a machine can act on. Cards, drivers and
//! their memory are those of a stand-in for PyTorch and of a false `nvidia-smi`; the last tests use the real PyTorch.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use firstfault_schema::{Code, Report};
use firstfault_tests::environments::{Environment, named_by};
use firstfault_tests::{Ended, Run, Scene};
use rustix::process::Signal;

const UUID: &str = "7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d";
const OTHER_UUID: &str = "1a2b3c4d-9a4e-4b1d-8c55-0e6f3a2b1c9d";
const DRIVER: &str = "580.65.06";

/// A rented host with one card, and a baseline of five runs.
struct Rented {
    scene: Scene,
    python: PathBuf,
    tools: PathBuf,
}

impl Rented {
    fn new() -> Self {
        let rented = Self::without_baseline();
        let ended = rented
            .check(&["--host-check", "--repeat", "5", "--label", "day 0"])
            .args(["--output", "day-0.json"])
            .end();
        ended.expect(Code::GpuCheckPassed);
        rented
    }

    fn without_baseline() -> Self {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let tools = scene.nvidia_smi(DRIVER, 500, &[]);
        Self {
            scene,
            python,
            tools,
        }
    }

    fn on_this_host(&self, run: Run) -> Run {
        run.env("PATH", format!("{}:/usr/bin:/bin", self.tools.display()))
            .env("STAND_IN_UUID", UUID)
            .env("STAND_IN_SLEEP", "import=0.1,product=0.1,receipt=0.1")
    }

    fn check(&self, arguments: &[&str]) -> Run {
        self.on_this_host(self.scene.check(&self.python, arguments))
    }

    fn recheck(&self, arguments: &[&str]) -> Run {
        let run = self
            .scene
            .run(["recheck", "day-0.json", "--python"])
            .args([&self.python])
            .args(arguments);
        self.on_this_host(run)
    }

    fn baseline(&self) -> Report {
        Report::from_json(&fs::read_to_string(self.scene.work("day-0.json")).unwrap()).unwrap()
    }
}

/// The one line on standard output.
fn line(ended: &Ended) -> &str {
    assert_eq!(ended.stdout.matches('\n').count(), 1, "{ended}");
    ended.stdout.trim_end()
}

/// Whether this machine's list of processes is believed; in a container it is not.
fn processes_are_told() -> bool {
    fs::read_link("/proc/self/ns/pid").is_ok_and(|own| own.as_os_str() == "pid:[4026531836]")
}

#[test]
fn nothing_changed_is_not_worse_in_one_line_and_in_silence() {
    let rented = Rented::new();
    let ended = rented.recheck(&[]).end();
    ended.expect_exit(0).expect_silence();
    assert_eq!(line(&ended), "not worse · GPU_CHECK_PASSED", "{ended}");
    // Nothing is written unless it is asked for.
    assert_eq!(rented.scene.names(), ["day-0.json"]);
}

#[test]
fn the_new_attempt_makes_the_demands_of_the_baseline() {
    let rented = Rented::without_baseline();
    rented
        .check(&["--host-check", "--repeat", "2", "--label", "day 0"])
        .args(["--device-index", "1", "--set", "batch=8"])
        .args(["--output", "day-0.json"])
        .env("STAND_IN_COUNT", "2")
        .end()
        .expect(Code::GpuCheckPassed);
    let baseline = rented.baseline();
    let ended = rented
        .recheck(&["--json", "--output", "day-1.json"])
        .env("STAND_IN_COUNT", "2")
        .end();
    ended.expect_exit(0).expect_silence();
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["comparison"]["exit_code"], 0, "{ended}");
    let text = fs::read_to_string(rented.scene.work("day-1.json")).unwrap();
    let report = Report::from_json(&text).unwrap();
    let of_document = Report::from_json(&document["report"].to_string()).unwrap();
    assert_eq!(report, of_document);
    assert_eq!(
        report.attempt.baseline_id,
        Some(baseline.attempt.id.clone())
    );
    assert_ne!(report.attempt.id, baseline.attempt.id);
    assert_eq!(report.attempt.label, baseline.attempt.label);
    assert_eq!(report.attempt.parameters, baseline.attempt.parameters);
    assert_eq!(report.execution.requested_index, Some(1));
    assert_eq!(report.pytorch.device_salt, baseline.pytorch.device_salt);
    assert!(report.host.is_some());
    assert_eq!(report.noise.unwrap().runs, 2);
    let once = rented
        .recheck(&["--json", "--repeat", "1"])
        .env("STAND_IN_COUNT", "2")
        .end();
    let document: serde_json::Value = serde_json::from_str(&once.stdout).unwrap();
    assert!(document["report"]["noise"].is_null(), "{once}");
}

#[test]
fn slower_beyond_the_noise_is_worse_and_within_it_is_not() {
    let rented = Rented::new();
    let ended = rented
        .recheck(&[])
        .env("STAND_IN_SLEEP", "import=0.1,product=0.4,receipt=0.1")
        .end();
    ended.expect_exit(1).expect_silence();
    let said = line(&ended);
    assert!(
        said.starts_with("worse · GPU_CHECK_PASSED · first pass +"),
        "{said}"
    );
    assert!(said.contains("% (noise: up to "), "{said}");
    // A third of a percent is less than any number is trusted to.
    let ended = rented
        .recheck(&[])
        .env("STAND_IN_SLEEP", "import=0.1,product=0.1003,receipt=0.1")
        .end();
    ended.expect_exit(0);
}

#[test]
fn another_card_of_the_same_model_is_named_and_no_uuid_leaves_the_machine() {
    let rented = Rented::new();
    let ended = rented
        .recheck(&["--json", "--output", "day-1.json", "--page", "both.html"])
        .env("STAND_IN_UUID", OTHER_UUID)
        .end();
    ended.expect_exit(0);
    let said = rented.recheck(&[]).env("STAND_IN_UUID", OTHER_UUID).end();
    assert_eq!(
        line(&said),
        "not worse · GPU_CHECK_PASSED · another card of the same model",
        "{said}"
    );
    let text = rented
        .check(&[])
        .without_arg("--json")
        .env("STAND_IN_UUID", OTHER_UUID)
        .end();
    let day_0 = fs::read_to_string(rented.scene.work("day-0.json")).unwrap();
    let day_1 = fs::read_to_string(rented.scene.work("day-1.json")).unwrap();
    let page = fs::read_to_string(rented.scene.work("both.html")).unwrap();
    let ticket = rented
        .check(&["--ticket", "host"])
        .without_arg("--json")
        .end();
    for (form, text) in [
        ("JSON", &ended.stdout),
        ("notes", &ended.stderr),
        ("line", &said.stdout),
        ("table", &text.stdout),
        ("ticket", &ticket.stdout),
        ("day 0", &day_0),
        ("day 1", &day_1),
        ("page", &page),
    ] {
        for uuid in [UUID, OTHER_UUID] {
            for part in [uuid, &uuid.replace('-', ""), &uuid[..8], &uuid[..18]] {
                assert!(!text.contains(part), "{part} in {form}:\n{text}");
            }
        }
    }
    let identity = |text: &str| {
        let report = Report::from_json(text).unwrap();
        report.pytorch.devices.unwrap()[0].identity.clone().unwrap()
    };
    assert_eq!(identity(&day_0).len(), 32);
    assert_ne!(identity(&day_0), identity(&day_1));
}

#[test]
fn what_is_no_uuid_becomes_no_identity() {
    let rented = Rented::without_baseline();
    for odd in [
        "secret",
        "../../etc",
        "00000000-0000-0000-0000-000000000000",
    ] {
        let report = rented
            .check(&[])
            .env("STAND_IN_UUID", odd)
            .end()
            .expect(Code::GpuCheckPassed);
        let pytorch = &report.pytorch;
        assert_eq!(pytorch.devices.as_ref().unwrap()[0].identity, None);
        assert_eq!(pytorch.device_salt, None);
    }
    // Two checks of the same card can't be told to be that without the same salt.
    let salts: Vec<_> = (0..2)
        .map(|_| rented.check(&[]).end().expect(Code::GpuCheckPassed).pytorch)
        .collect();
    assert_ne!(salts[0].device_salt, salts[1].device_salt);
    assert_ne!(
        salts[0].devices.as_ref().unwrap()[0].identity,
        salts[1].devices.as_ref().unwrap()[0].identity
    );
}

#[test]
fn a_changed_driver_is_named() {
    let rented = Rented::new();
    rented.scene.nvidia_smi("580.95.05", 500, &[]);
    let ended = rented.recheck(&[]).end();
    ended.expect_exit(0).expect_silence();
    assert_eq!(
        line(&ended),
        "not worse · GPU_CHECK_PASSED · driver version 580.65.06 → 580.95.05",
        "{ended}"
    );
}

#[test]
fn memory_that_no_known_process_holds_is_worse_where_processes_can_be_told() {
    let rented = Rented::new();
    rented.scene.nvidia_smi(DRIVER, 500 + 3174, &[]);
    let ended = rented.recheck(&[]).end();
    let baseline = rented.baseline();
    let told = baseline.host.unwrap().gpus.unwrap()[0].process_memory_bytes;
    assert_eq!(told.is_some(), processes_are_told());
    if processes_are_told() {
        ended.expect_exit(1).expect_silence();
        assert_eq!(
            line(&ended),
            "worse · GPU_CHECK_PASSED · 3.1 GiB more held by no known process",
            "{ended}"
        );
        // A process that is known may hold it.
        rented.scene.nvidia_smi(DRIVER, 500 + 3174, &[3000, 174]);
        rented.recheck(&[]).end().expect_exit(0);
    } else {
        ended.expect_exit(0).expect_silence();
        assert!(line(&ended).contains("can’t be told here"), "{ended}");
    }
}

#[test]
fn a_host_check_that_hangs_takes_three_seconds_in_all_and_is_named() {
    let rented = Rented::new();
    let script = "#!/bin/sh\nexec sleep 60\n";
    let path = rented.tools.join("nvidia-smi");
    fs::remove_file(&path).unwrap();
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let ended = rented.recheck(&["--repeat", "1"]).end();
    ended.expect_exit(0).expect_silence();
    ended.expect_within(Duration::from_secs(10));
    assert!(
        line(&ended).contains("nvidia-smi answered → stopped after 3 s"),
        "{ended}"
    );
}

#[test]
fn a_broken_gpu_is_never_0_even_where_the_baseline_was_broken() {
    let rented = Rented::new();
    let ended = rented
        .recheck(&["--repeat", "1"])
        .stand_in("allocation:out-of-memory")
        .end();
    ended.expect_exit(9);
    let said = line(&ended);
    assert!(said.starts_with("failed · OUT_OF_MEMORY · "), "{said}");
    assert!(ended.stderr.contains("Full messages stay"), "{ended}");
    let rented = Rented::without_baseline();
    rented
        .check(&["--output", "day-0.json"])
        .stand_in("no-gpu")
        .end()
        .expect(Code::GpuUnavailable);
    rented.recheck(&[]).stand_in("no-gpu").end().expect_exit(6);
    // Mended.
    let ended = rented.recheck(&[]).end();
    ended.expect_exit(0);
    assert!(
        line(&ended).starts_with("better · GPU_CHECK_PASSED"),
        "{ended}"
    );
}

#[test]
fn a_fault_that_comes_and_goes_is_the_first_reason() {
    let rented = Rented::new();
    let ended = rented
        .recheck(&[])
        .stand_in("wrong-product")
        .env("STAND_IN_TIMES", rented.scene.path("times"))
        .env("STAND_IN_ONLY", "4")
        .end();
    ended.expect_exit(8);
    let said = line(&ended);
    assert!(said.starts_with("failed · CHECK_FAILED · "), "{said}");
    assert!(
        said.ends_with("It passed in 4 of 5 runs: it fails sometimes"),
        "{said}"
    );
}

#[test]
fn the_line_speaks_the_readers_language() {
    let rented = Rented::new();
    rented.scene.nvidia_smi("580.95.05", 500, &[]);
    for (language, begin) in [
        (
            "de",
            "nicht schlechter · GPU_CHECK_PASSED · Treiberversion ",
        ),
        ("tr", "daha kötü değil · GPU_CHECK_PASSED · "),
    ] {
        let ended = rented.recheck(&["--lang", language]).end();
        assert!(line(&ended).starts_with(begin), "{ended}");
    }
    let ended = rented.recheck(&[]).env("LANG", "C").end();
    assert!(line(&ended).is_ascii(), "{ended}");
}

#[test]
fn a_baseline_that_cannot_be_read_or_made_again_is_a_usage_error() {
    let scene = Scene::new();
    let fixture = |name: &str| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../schema/fixtures/{name}.json"))
    };
    let cases = [
        (scene.work("missing.json"), "no such file"),
        (fixture("invalid/truncated"), "cut off"),
        (fixture("invalid/newer-version"), "newer version"),
        (fixture("invalid/foreign"), "no FirstFault report"),
        (fixture("valid/resume-failed"), "does not repeat"),
        (fixture("valid/application-failed"), "is not known here"),
    ];
    for (baseline, words) in cases {
        let ended = scene.run(["recheck"]).args([&baseline]).end();
        ended.expect_exit(2);
        assert_eq!(ended.stdout, "", "{ended}");
        assert!(ended.stderr.contains(words), "{words}\n{ended}");
    }
    // What somebody else wrote gets into no new report.
    let text = fs::read_to_string(fixture("valid/gpu-check-passed")).unwrap();
    let id = Report::from_json(&text).unwrap().attempt.id;
    let foreign = scene.path("foreign.json");
    fs::write(&foreign, text.replace(&id, "../../planted")).unwrap();
    let ended = scene.run(["recheck"]).args([&foreign]).end();
    ended.expect_exit(2);
    assert!(!ended.stdout.contains("planted"), "{ended}");
    let check = fixture("valid/gpu-check-passed");
    for extra in [vec!["--", "true"], vec!["--timeout", "5"]] {
        let ended = scene.run(["recheck"]).args([&check]).args(extra).end();
        ended.expect_exit(2);
        assert!(ended.stderr.contains("of a check"), "{ended}");
    }
    assert_eq!(scene.names(), [""; 0]);
}

#[test]
fn an_older_baseline_without_noise_is_compared_by_the_guesses() {
    let rented = Rented::without_baseline();
    let older = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../schema/fixtures/older/gpu-check-passed.json");
    fs::copy(older, rented.scene.work("day-0.json")).unwrap();
    let ended = rented
        .recheck(&["--json"])
        .env("STAND_IN_DEVICE", "NVIDIA H100 80GB HBM3")
        .end();
    assert!(matches!(ended.exit(), Some(0 | 1)), "{ended}");
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = document["comparison"]["results"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["noise"].is_null()), "{ended}");
    let cards = document["comparison"]["configuration"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["field"] == "pytorch.device_identity")
        .unwrap();
    assert_eq!(cards["change"], "not_comparable", "{ended}");
}

#[test]
fn an_existing_output_is_never_overwritten_and_the_line_says_so() {
    let rented = Rented::new();
    fs::write(rented.scene.work("day-1.json"), "mine").unwrap();
    let ended = rented
        .recheck(&["--repeat", "1", "--output", "day-1.json"])
        .end();
    ended.expect_exit(12);
    assert!(
        line(&ended).starts_with("failed · OUTPUT_WRITE_FAILED"),
        "{ended}"
    );
    assert_eq!(
        fs::read_to_string(rented.scene.work("day-1.json")).unwrap(),
        "mine"
    );
}

#[test]
fn an_interrupted_recheck_leaves_nothing() {
    let rented = Rented::new();
    let times = rented.scene.path("times");
    let mut running = rented
        .recheck(&[
            "--repeat",
            "50",
            "--output",
            "day-1.json",
            "--page",
            "p.html",
        ])
        .env("STAND_IN_TIMES", &times)
        .start();
    running.until("the third attempt", |_| {
        fs::metadata(&times).is_ok_and(|data| data.len() >= 3)
    });
    running.signal_group(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    assert_eq!(ended.stdout, "", "{ended}");
    assert_eq!(rented.scene.names(), ["day-0.json"]);
}

/// A command that writes how many items a parameter asks for, in a time that a variable tells.
const PROGRAM: &str = r#"
import json, os, sys, time
time.sleep(float(os.environ.get("PROGRAM_SLEEP", "0.2")))
print("token", sys.argv[2])
with open("out.jsonl", "w") as out:
    for number in range(int(sys.argv[1])):
        out.write(json.dumps({"id": number, "value": number}) + "\n")
"#;

#[test]
fn a_run_is_made_again_with_the_command_that_stayed_at_home() {
    let rented = Rented::without_baseline();
    let scene = &rented.scene;
    fs::write(scene.work("work.py"), PROGRAM).unwrap();
    fs::write(
        scene.work("contract.toml"),
        "[input]\npath = \"in.jsonl\"\nid = \"id\"\n\n[[output]]\npath = \"out.jsonl\"\nid = \"id\"\n",
    )
    .unwrap();
    fs::write(scene.work("in.jsonl"), "{\"id\": 0}\n{\"id\": 1}\n").unwrap();
    let secret = "Zr7-kept-at-home-Qx";
    let run = scene
        .run(["run", "--json", "--contract", "contract.toml"])
        .args(["--set", "batch=2", "--output", "day-0.json", "--"])
        .args([&rented.python])
        .args(["work.py", "2", secret]);
    let ended = rented.on_this_host(run).end();
    ended.expect_exit(0);
    let baseline = rented.baseline();
    let kept = scene
        .work(".firstfault/attempts")
        .join(&baseline.attempt.id)
        .join("command.json");
    let mode = fs::metadata(&kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(fs::read_to_string(&kept).unwrap().contains(secret));
    assert!(
        !fs::read_to_string(scene.work("day-0.json"))
            .unwrap()
            .contains(secret)
    );

    let again = |arguments: &[&str]| {
        let run = scene.run(["recheck", "day-0.json"]).args(arguments);
        rented.on_this_host(run)
    };
    // A recheck leaves the user's own outputs alone.
    fs::write(scene.work("out.jsonl"), "mine\n").unwrap();
    let ended = again(&["--output", "day-1.json"]).end();
    ended.expect_exit(0).expect_silence();
    assert_eq!(
        fs::read_to_string(scene.work("out.jsonl")).unwrap(),
        "mine\n"
    );
    assert_eq!(line(&ended), "not worse · GPU_CHECK_PASSED", "{ended}");
    let day_1 = fs::read_to_string(scene.work("day-1.json")).unwrap();
    let report = Report::from_json(&day_1).unwrap();
    assert_eq!(report.attempt.parameters, baseline.attempt.parameters);
    assert_eq!(
        report.application.as_ref().unwrap().command,
        baseline.application.as_ref().unwrap().command
    );
    assert!(!day_1.contains(secret));

    // Fewer outputs than the contract wants: the attempt's own code.
    let python = rented.python.to_string_lossy().into_owned();
    let command = [
        "--contract",
        "contract.toml",
        "--",
        &python,
        "work.py",
        "1",
        "x",
    ];
    let ended = again(&command).end();
    ended.expect_exit(14);
    assert!(
        line(&ended).starts_with("failed · CONTRACT_FAILED · "),
        "{ended}"
    );

    // Many later runs do not push out what a recheck still uses.
    for _ in 0..25 {
        rented
            .on_this_host(scene.run(["run", "--skip-check", "--", "true"]))
            .end();
        rented
            .on_this_host(again(&["--check-timeout", "20"]))
            .env("PROGRAM_SLEEP", "0")
            .env("STAND_IN_SLEEP", "")
            .end()
            .expect_exit(0);
    }
    fs::remove_dir_all(scene.work(".firstfault")).unwrap();
    let ended = again(&[]).end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("after `--`"), "{ended}");
    let ended = again(&[
        "--contract",
        "contract.toml",
        "--",
        &python,
        "work.py",
        "2",
        "x",
    ])
    .end();
    ended.expect_exit(0);
}

#[test]
fn a_run_without_a_check_is_made_again_without_one() {
    let scene = Scene::new();
    scene
        .run([
            "run",
            "--skip-check",
            "--repeat",
            "2",
            "--output",
            "day-0.json",
        ])
        .args(["--", "sh", "-c", "sleep 0.05"])
        .end()
        .expect_exit(0);
    let ended = scene.run(["recheck", "day-0.json", "--json"]).end();
    ended.expect_exit(0);
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["report"]["code"], "APPLICATION_ENDED", "{ended}");
    assert_eq!(document["report"]["noise"]["runs"], 2, "{ended}");
}

#[test]
fn the_real_pytorch_on_the_cpu_is_rechecked() {
    let scene = Scene::new();
    let python = Environment::Torch.python();
    scene
        .check(&python, ["--device", "cpu", "--engine", "python"])
        .args(["--repeat", "3", "--output", "day-0.json"])
        .limit(Duration::from_secs(180))
        .end()
        .expect(Code::CpuCheckPassed);
    let ended = scene
        .run(["recheck", "day-0.json", "--python"])
        .args([&python])
        .limit(Duration::from_secs(180))
        .end();
    // A machine that others use may really be slower; then the line says by how much.
    assert!(matches!(ended.exit(), Some(0 | 1)), "{ended}");
    assert!(line(&ended).contains(" · CPU_CHECK_PASSED"), "{ended}");
    ended.expect_silence();
    // The same demand on a Python without PyTorch fails with its own code.
    let ended = scene
        .run(["recheck", "day-0.json", "--repeat", "1", "--python"])
        .args([Environment::Empty.python()])
        .end();
    ended.expect_exit(3);
    assert!(
        line(&ended).starts_with("failed · TORCH_MISSING"),
        "{ended}"
    );
}

#[test]
fn a_real_training_is_repeated_and_rechecked() {
    let scene = Scene::new();
    let programs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("applications");
    for name in ["train.py", "train.toml"] {
        fs::copy(programs.join(name), scene.work(name)).unwrap();
    }
    let here = |run: Run| {
        run.env(
            "PYTHONPATH",
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../probe/python"),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .limit(Duration::from_secs(300))
    };
    let python = named_by("FIRSTFAULT_TEST_APPLICATIONS").join("bin/python");
    let run = scene
        .run(["run", "--skip-check", "--device", "cpu", "--json"])
        .args(["--contract", "train.toml", "--repeat", "3"])
        .args(["--output", "day-0.json", "--"])
        .args([&python])
        .args(["train.py"]);
    here(run).end().expect_exit(0);
    let text = fs::read_to_string(scene.work("day-0.json")).unwrap();
    let noise = Report::from_json(&text).unwrap().noise.unwrap();
    assert_eq!((noise.runs, noise.passed), (3, 3), "{text}");
    for field in [
        "application.passes.following.median",
        "application.memory.peak.resident_bytes",
    ] {
        let measure = noise.measures.iter().find(|one| one.field == field);
        let measure = measure.unwrap_or_else(|| panic!("{field} in {text}"));
        assert!(0.0 < measure.min && measure.min <= measure.max, "{text}");
    }
    let ended = here(scene.run(["recheck", "day-0.json", "--json"])).end();
    // A machine that others use may really be slower.
    assert!(matches!(ended.exit(), Some(0 | 1)), "{ended}");
    ended.expect_silence();
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["report"]["noise"]["passed"], 3, "{ended}");
    let configuration = document["comparison"]["configuration"].as_array().unwrap();
    assert!(configuration.is_empty(), "{ended}");
}

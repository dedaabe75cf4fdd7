//! Repeated attempts: what their spread is, a fault that comes and goes, and what Ctrl-C keeps. With a stand-in for
//! PyTorch where a GPU is wanted, and with the real one on the CPU.

use std::fs;
use std::path::Path;

use firstfault_schema::compare::{Verdict, compare};
use firstfault_schema::report::Noise;
use firstfault_schema::{Code, Report, noise};
use firstfault_tests::environments::Environment;
use firstfault_tests::{Ended, Scene};
use rustix::process::Signal;

fn noise_of(report: &Report) -> &Noise {
    report
        .noise
        .as_ref()
        .unwrap_or_else(|| panic!("no noise: {}", report.to_json()))
}

fn attempts(folder: &Path) -> usize {
    fs::read_dir(folder.join("attempts")).map_or(0, Iterator::count)
}

fn imports(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |data| data.len())
}

#[test]
fn every_repetition_is_a_fresh_worker_and_all_of_them_are_measured() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let times = scene.path("times");
    let ended = scene
        .check(&python, ["--repeat", "4"])
        .env("STAND_IN_TIMES", &times)
        .env("STAND_IN_SLEEP", "import=0.05")
        .end();
    let report = ended.expect(Code::GpuCheckPassed);
    assert_eq!(imports(&times), 4);
    let noise = noise_of(&report);
    assert_eq!((noise.runs, noise.passed), (4, 4));
    let fields: Vec<&str> = noise
        .measures
        .iter()
        .map(|measure| measure.field.as_str())
        .collect();
    assert_eq!(
        fields,
        [
            "execution.timings.import_ms",
            "execution.timings.first_pass_ms",
            "execution.timings.following_pass_ms"
        ]
    );
    let import = &noise.measures[0];
    assert!(import.min >= 50.0 && import.max < 5000.0, "{ended}");
    let own = report.execution.timings.import_ms.unwrap();
    assert!(import.min <= own && own <= import.max, "{ended}");
    // Only the evidence of the report that is given stays.
    assert_eq!(attempts(&scene.path("state/firstfault")), 1);
}

#[test]
fn a_fault_that_comes_and_goes_is_the_report_and_the_others_are_run_all_the_same() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let times = scene.path("times");
    let ended = scene
        .check(&python, ["--repeat", "5"])
        .stand_in("wrong-product")
        .env("STAND_IN_TIMES", &times)
        .env("STAND_IN_ONLY", "3,4")
        .end();
    let report = ended.expect(Code::CheckFailed);
    assert_eq!(imports(&times), 5);
    let noise = noise_of(&report);
    assert_eq!((noise.runs, noise.passed), (5, 3));
    assert!(!noise.measures.is_empty());
    // The first failing one, with its evidence.
    let kept = scene
        .path("state/firstfault/attempts")
        .join(&report.attempt.id);
    assert!(kept.is_dir(), "{ended}");
    let text = scene
        .check(&python, ["--repeat", "3"])
        .without_arg("--json")
        .stand_in("wrong-product")
        .env("STAND_IN_TIMES", scene.path("other-times"))
        .env("STAND_IN_ONLY", "2")
        .end();
    text.expect_exit(8);
    assert!(
        text.stdout.contains("Repeated: 2 of 3 runs passed"),
        "{text}"
    );
}

#[test]
fn what_always_fails_tells_no_spread() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .check(&python, ["--repeat", "3"])
        .stand_in("allocation:out-of-memory")
        .end();
    let report = ended.expect(Code::OutOfMemory);
    let noise = noise_of(&report);
    assert_eq!((noise.runs, noise.passed), (3, 0));
    assert_eq!(noise.measures, []);
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let times = scene.path("times");
    let mut running = scene
        .check(&python, ["--repeat", "100", "--output", "report.json"])
        .env("STAND_IN_TIMES", &times)
        .env("STAND_IN_SLEEP", "import=0.2")
        .start();
    running.until("the third repetition", |_| imports(&times) >= 3);
    running.signal_group(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    let text = fs::read_to_string(scene.work("report.json")).unwrap();
    let report = Report::from_json(&text).unwrap();
    let noise = noise_of(&report);
    assert!((2..=4).contains(&noise.runs), "{text}");
    assert_eq!(noise.runs, noise.passed);
    assert!(!noise.measures.is_empty());
}

#[test]
fn how_often_is_bounded() {
    let scene = Scene::new();
    for times in ["0", "1", "101", "many"] {
        for command in [
            vec!["check", "--repeat", times],
            vec!["run", "--repeat", times, "--", "true"],
        ] {
            let ended = scene.run(command).end();
            ended.expect_exit(2);
            assert_eq!(ended.stdout, "", "{ended}");
        }
    }
    assert_eq!(scene.names(), [""; 0]);
}

/// A program that finds what it wrote before and skips the work, as a resumable one does.
const RESUMABLE: &str = r#"
import os, sys, time
if os.path.exists("out.jsonl"):
    print("nothing to do")
    sys.exit(0)
with open("passes", "a") as log:
    log.write(".")
time.sleep(0.1)
with open("out.jsonl", "w") as out:
    for number in range(4):
        out.write('{"id": %d, "value": %d}\n' % (number, number * number))
"#;

const CONTRACT: &str =
    "[input]\npath = \"in.jsonl\"\nid = \"id\"\n\n[[output]]\npath = \"out.jsonl\"\nid = \"id\"\n";

fn resumable(scene: &Scene) {
    fs::write(scene.work("work.py"), RESUMABLE).unwrap();
    fs::write(scene.work("firstfault.toml"), CONTRACT).unwrap();
    let lines: String = (0..4)
        .map(|number| format!("{{\"id\": {number}}}\n"))
        .collect();
    fs::write(scene.work("in.jsonl"), lines).unwrap();
    fs::write(scene.work("out.jsonl"), "from an earlier day\n").unwrap();
}

/// The report on standard output of a run; what its repetitions print goes to standard error.
fn report(ended: &Ended) -> Report {
    Report::from_json(&ended.stdout).unwrap_or_else(|problem| panic!("{problem}\n{ended}"))
}

#[test]
fn a_resumable_command_works_each_time_and_earlier_outputs_come_back() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    resumable(&scene);
    let ended = scene
        .run(["run", "--json", "--repeat", "3", "--"])
        .args([&python])
        .args(["work.py"])
        .end();
    ended.expect_exit(0);
    let given = report(&ended);
    assert_eq!(given.code, Code::GpuCheckPassed, "{ended}");
    let noise = noise_of(&given);
    assert_eq!((noise.runs, noise.passed), (3, 3), "{ended}");
    assert_eq!(fs::read_to_string(scene.work("passes")).unwrap(), "...");
    assert_eq!(
        fs::read_to_string(scene.work("out.jsonl")).unwrap(),
        "from an earlier day\n"
    );
    assert!(ended.stderr.contains("Run 3 of 3"), "{ended}");
    // The outputs of the run that is reported are kept with its evidence.
    let kept = scene
        .work(".firstfault/attempts")
        .join(&given.attempt.id)
        .join("outputs/out.jsonl");
    assert_eq!(fs::read_to_string(kept).unwrap().lines().count(), 4);
    assert_eq!(attempts(&scene.work(".firstfault")), 1);
    // The check was made once.
    assert_eq!(attempts(&scene.path("state/firstfault")), 1);
}

#[test]
fn earlier_outputs_come_back_although_firstfault_was_killed() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    resumable(&scene);
    let run = |options: &[&str]| {
        scene
            .run(["run", "--json", "--skip-check"])
            .args(options)
            .args(["--"])
            .args([&python])
            .args(["work.py"])
    };
    let mut running = run(&["--repeat", "50"]).start();
    let passes = scene.work("passes");
    running.until("the third run", |_| imports(&passes) >= 3);
    running.signal(Signal::KILL);
    running.end();
    // The next start puts them back, whatever it does itself.
    let ended = run(&["--repeat", "2"]).end();
    ended.expect_exit(0);
    assert_eq!(
        fs::read_to_string(scene.work("out.jsonl")).unwrap(),
        "from an earlier day\n",
        "{ended}"
    );
}

#[test]
fn a_command_that_fails_once_in_a_while_is_found() {
    let scene = Scene::new();
    let script = "echo . >> runs; test $(wc -l < runs) -ne 2";
    let ended = scene
        .run(["run", "--json", "--skip-check", "--repeat", "4", "--"])
        .args(["sh", "-c", script])
        .end();
    ended.expect_exit(13);
    let given = report(&ended);
    let noise = noise_of(&given);
    assert_eq!((noise.runs, noise.passed), (4, 3), "{ended}");
    assert_eq!(
        fs::read_to_string(scene.work("runs"))
            .unwrap()
            .lines()
            .count(),
        4
    );
}

#[test]
fn ctrl_c_in_a_repeated_run_keeps_the_runs_before_it() {
    let scene = Scene::new();
    let mut running = scene
        .run([
            "run",
            "--skip-check",
            "--repeat",
            "50",
            "--output",
            "report.json",
            "--",
        ])
        .args(["sh", "-c", "echo . >> runs; sleep 0.3"])
        .start();
    let runs = scene.work("runs");
    running.until("the third run", |_| imports(&runs) >= 6);
    running.signal_group(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    let text = fs::read_to_string(scene.work("report.json")).unwrap();
    let given = Report::from_json(&text).unwrap();
    let noise = noise_of(&given);
    assert!((2..=3).contains(&noise.runs), "{text}");
    assert_eq!(noise.passed, noise.runs, "{text}");
}

#[test]
fn the_real_pytorch_repeated_twice_is_the_same() {
    let scene = Scene::new();
    let python = Environment::Torch.python();
    let series = |name: &str| {
        let ended = scene
            .check(&python, ["--device", "cpu", "--repeat", "3"])
            .args(["--engine", "python", "--output", name])
            .limit(std::time::Duration::from_secs(180))
            .end();
        ended.expect(Code::CpuCheckPassed)
    };
    let (before, after) = (series("before.json"), series("after.json"));
    assert_eq!(noise_of(&before).measures.len(), 3);
    assert!(noise::passed(&before));
    let comparison = compare(&before, &after);
    let import = comparison
        .rows
        .iter()
        .find(|row| row.path == "execution.timings.import_ms")
        .unwrap();
    let floor = import.floor.unwrap();
    assert_eq!((floor.baseline.runs, floor.candidate.runs), (3, 3));
    // A machine that others use may be slower at any time; what is said has to follow from what was measured.
    let worse = comparison.verdict == Verdict::Worse;
    let ended = scene.run(["compare", "before.json", "after.json"]).end();
    ended.expect_exit(i32::from(worse));
    assert!(ended.stdout.contains("noise: "), "{ended}");
    let ended = scene
        .run(["compare", "--json", "before.json", "after.json"])
        .end();
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = document["results"].as_array().unwrap();
    for row in rows
        .iter()
        .filter(|row| row["field"].as_str().unwrap().ends_with("_ms"))
    {
        assert_eq!(row["noise"]["baseline"]["runs"], 3, "{ended}");
    }
}

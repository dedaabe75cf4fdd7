//! Workers that hang, flood, crash and leave processes behind, and what remains when `firstfault` itself is ended.
//! With the stand-in for PyTorch, which proves nothing about a GPU.

use std::thread;
use std::time::Duration;

use firstfault_schema::Code;
use firstfault_schema::report::Stage;
use firstfault_tests::ended::fact;
use firstfault_tests::processes::marked;
use firstfault_tests::{Ended, Scene};
use rustix::process::{Pid, Signal, kill_process};

/// The shortest time limit, the witness's 5 s after a timeout, and 2 s for all the rest.
const HANG_LIMIT: Duration = Duration::from_secs(5 + 5 + 2);

/// A check with the stand-in.
fn check(words: &str, arguments: &[&str]) -> Ended {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    scene.check(&python, arguments).stand_in(words).end()
}

#[test]
fn whatever_hangs_is_ended_in_time_with_all_that_it_started() {
    let cases = [
        ("import:hang", Stage::Import),
        ("import:escapee,import:child,import:hang", Stage::Import),
        ("device:hang", Stage::Device),
        ("allocation:child,product:hang", Stage::Product),
        (
            "import:print,receipt:escapee,receipt:hang",
            Stage::Synchronize,
        ),
        ("import:flood-stderr,gradient:hang", Stage::Gradient),
    ];
    thread::scope(|scope| {
        for (words, stage) in cases {
            scope.spawn(move || {
                let ended = check(words, &["--timeout", "5"]);
                ended.expect_within(HANG_LIMIT);
                ended.expect_in(Code::Timeout, stage);
                assert!(ended.elapsed >= Duration::from_secs(5), "{ended}");
            });
        }
        scope.spawn(|| {
            let scene = Scene::new();
            let stand_in = scene.stand_in();
            stand_in.add("sitecustomize.py", "import time\ntime.sleep(3600)");
            let ended = scene.check(&stand_in.python(), ["--timeout", "5"]).end();
            ended.expect_within(HANG_LIMIT);
            ended.expect_in(Code::Timeout, Stage::Interpreter);
        });
    });
}

#[test]
fn a_gibibyte_of_noise_is_dropped_and_changes_nothing() {
    for words in [
        "import:flood-stdout",
        "import:flood-stderr",
        "product:flood-stderr",
        "import:flood-events",
    ] {
        check(words, &[]).expect(Code::GpuCheckPassed);
    }
}

#[test]
fn events_without_end_are_neither_kept_nor_answered_nor_waited_for() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .check(&python, ["--timeout", "5", "--engine", "python"])
        .stand_in("import:forge-endlessly")
        .end();
    ended.expect_in(Code::WorkerFailed, Stage::Import);
    ended.expect_within(Duration::from_secs(5));
}

#[test]
#[cfg(target_os = "linux")]
fn a_system_without_open_files_to_give_is_told_as_such() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .check(&python, ["--engine", "python"])
        .wrapped(["prlimit", "--nofile=8"])
        .end();
    let report = ended.expect_in(Code::WorkerFailed, Stage::Interpreter);
    let diagnosis = report.diagnosis.as_ref().unwrap();
    assert_eq!(diagnosis.signature, "processes-used-up", "{ended}");
}

#[test]
fn children_that_stay_and_hold_the_pipes_neither_delay_nor_survive() {
    for words in [
        "import:child",
        "import:escapee",
        "product:escapee,product:child",
        "import:child,import:escapee,import:escapee",
    ] {
        let ended = check(words, &[]);
        ended.expect(Code::GpuCheckPassed);
        ended.expect_within(Duration::from_secs(15));
    }
    for words in ["import:escapee,import:abort", "device:child,device:exit"] {
        let ended = check(words, &[]);
        ended.expect(Code::WorkerFailed);
        ended.expect_within(Duration::from_secs(15));
    }
}

#[test]
fn nothing_survives_the_sudden_death_of_firstfault() {
    for delay_ms in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let running = scene
            .check(&python, ["--output", "report.json"])
            .stand_in("import:child,import:escapee,import:hang")
            .start();
        thread::sleep(Duration::from_millis(delay_ms));
        running.signal(Signal::KILL);
        let ended = running.end();
        assert_eq!(ended.signal(), Some(9), "{ended}");
        assert_eq!(ended.stdout, "", "{ended}");
        assert_eq!(scene.names(), [""; 0], "{ended}");
    }
    for words in [
        "import:hang",
        "device:escapee,device:hang",
        "synchronize:hang",
    ] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let mut running = scene.check(&python, [""; 0]).stand_in(words).start();
        running.until_python_works();
        thread::sleep(Duration::from_millis(300));
        running.signal(Signal::KILL);
        let ended = running.end();
        assert_eq!(ended.signal(), Some(9), "{ended}");
    }
}

#[test]
fn an_attempt_that_never_finished_is_told_by_the_next_one() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let mut running = scene
        .check(&python, [""; 0])
        .stand_in("device:hang")
        .start();
    running.until_python_works();
    // The worker waits in the stage device for the rest of its life.
    thread::sleep(Duration::from_millis(700));
    running.signal(Signal::KILL);
    running.end();
    let next = scene.check(&python, [""; 0]).stand_in("no-gpu").end();
    let report = next.report();
    assert_eq!(report.code, Code::GpuUnavailable, "{next}");
    assert_eq!(
        fact(&report, "previous_attempt").as_deref(),
        Some("unfinished"),
        "{next}"
    );
    assert!(
        next.stderr.lines().any(|line| line.contains("device")),
        "{next}"
    );
    let third = scene.check(&python, [""; 0]).stand_in("no-gpu").end();
    let report = third.expect(Code::GpuUnavailable);
    assert_eq!(
        fact(&report, "previous_attempt").as_deref(),
        Some("finished"),
        "{third}"
    );
}

#[test]
fn a_signal_that_ends_firstfault_ends_its_workers() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::HUP, 1), (Signal::QUIT, 3)] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let mut running = scene
            .check(&python, ["--output", "report.json"])
            .stand_in("import:escapee,import:hang")
            // Whoever runs the tests may have these signals ignored, as nohup does, and children inherit that.
            .wrapped([
                "/usr/bin/env",
                "--default-signal",
                "/usr/bin/prlimit",
                "--core=0",
            ])
            .start();
        running.until_python_works();
        running.signal_group(signal);
        let ended = running.end();
        assert_eq!(ended.signal(), Some(number), "{ended}");
        assert_eq!(ended.stdout, "", "{ended}");
        assert_eq!(scene.names(), [""; 0], "{ended}");
    }
}

#[test]
fn ctrl_c_ends_everything_and_leaves_no_report() {
    for (words, presses) in [
        ("import:hang", 1),
        ("import:escapee,import:child,device:hang", 1),
        ("product:hang", 2),
    ] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let mut running = scene
            .check(&python, ["--output", "report.json"])
            .stand_in(words)
            .start();
        running.until_python_works();
        thread::sleep(Duration::from_millis(200));
        let before = running.elapsed();
        for _ in 0..presses {
            running.signal_group(Signal::INT);
            thread::sleep(Duration::from_millis(20));
        }
        let ended = running.end();
        ended.expect_within(before + Duration::from_secs(5));
        ended.expect_exit(130);
        assert_eq!(ended.stdout, "", "{ended}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended}");
        assert_eq!(scene.names(), [""; 0], "{ended}");
    }
}

#[test]
fn ctrl_c_at_any_moment_leaves_nothing_behind() {
    for delay_ms in [0, 3, 10, 30, 60, 100, 150] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let began = scene.path("began");
        let mut running = scene
            .check(&python, ["--output", "report.json"])
            .stand_in("import:hang")
            // A shell that runs the tests in the background has Ctrl-C ignored, and children inherit that.
            .wrapped([
                "/usr/bin/env",
                "--default-signal",
                "/bin/sh",
                "-c",
                r#"echo > "$0" && exec "$@""#,
                began.to_str().unwrap(),
            ])
            .start();
        running.until("it begins", |_| began.exists());
        thread::sleep(Duration::from_millis(delay_ms));
        running.signal_group(Signal::INT);
        let ended = running.end();
        // Before it listens, the signal itself ends it.
        assert!(
            ended.exit() == Some(130) || ended.signal() == Some(2),
            "{ended}"
        );
        assert_eq!(ended.stdout, "", "{ended}");
        assert_eq!(scene.names(), [""; 0], "{ended}");
    }
}

#[test]
fn the_death_of_the_keeper_is_survived_and_leaves_nothing_running() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let mut running = scene
        .check(&python, ["--timeout", "5"])
        .stand_in("import:escapee,import:hang")
        .start();
    running.until_python_works();
    thread::sleep(Duration::from_millis(300));
    let keepers = marked(running.mark());
    let keeper = keepers
        .iter()
        .find(|(_, line)| line.contains("__keeper"))
        .unwrap_or_else(|| panic!("no keeper: {keepers:?}"));
    kill_process(Pid::from_raw(keeper.0).unwrap(), Signal::KILL).unwrap();
    let ended = running.end();
    ended.expect_within(HANG_LIMIT);
    let report = ended.report();
    assert!(
        matches!(report.code, Code::Timeout | Code::WorkerFailed),
        "{ended}"
    );
    assert_eq!(report.stage, Stage::Import, "{ended}");
}

#[test]
fn an_interpreter_that_ends_or_hangs_before_it_says_anything_is_told() {
    let scene = Scene::new();
    let stand_in = scene.stand_in();
    stand_in.add("sitecustomize.py", "import os\nos.abort()");
    let ended = scene.check(&stand_in.python(), [""; 0]).end();
    let report = ended.expect_in(Code::WorkerFailed, Stage::Interpreter);
    assert_eq!(
        fact(&report, "worker_signal").as_deref(),
        Some("SIGABRT"),
        "{ended}"
    );
}

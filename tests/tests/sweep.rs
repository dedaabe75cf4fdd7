//! `firstfault sweep`: under a real memory limit it finds the true limit step and never crosses the margin; it keeps to its
//! budget; and what ends it, by whatever signal, loses no finished step and leaves nothing behind.

use std::fs;
use std::path::Path;
use std::time::Duration;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Layer, MemoryLimit, Sweep, ThroughputOf};
use firstfault_schema::{Code, Report};
use firstfault_tests::ended::{diagnosis, outcomes};
use firstfault_tests::environments::named_by;
use firstfault_tests::processes;
use firstfault_tests::sweeps::{found, programs, range, scene, step};
use firstfault_tests::{Group, Run, Scene};
use rustix::process::Signal;

const MIB: u64 = 1 << 20;

/// `firstfault sweep` with these options, of the program with these.
fn sweep(scene: &Scene, options: &[&str], program: &[&str]) -> Run {
    let package = programs().join("../../probe/python");
    scene
        .run(["sweep", "--skip-check", "--device", "cpu"])
        .args(options)
        .args(["--", "/usr/bin/python3", "grow.py", "--batch", "{batch}"])
        .args(program)
        .env("PYTHONPATH", package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .limit(Duration::from_secs(200))
}

fn values(sweep: &Sweep) -> Vec<f64> {
    sweep.steps.iter().map(|step| step.value).collect()
}

/// What a step came to, without what differs from run to run.
fn outline(sweep: &Sweep) -> Vec<(f64, Outcome, Option<String>)> {
    sweep
        .steps
        .iter()
        .map(|step| (step.value, step.outcome, step.why.clone()))
        .collect()
}

#[test]
fn under_a_real_limit_the_margin_is_never_crossed_and_the_true_limit_step_is_found_twice() {
    let mut ranges = Vec::new();
    for _ in 0..2 {
        let group = Group::new("margin", 400);
        let scene = scene();
        let ended = sweep(
            &scene,
            &["--json", "--axis", "batch=1..64", "--refine", "6"],
            &["--each", "16"],
        )
        .wrapped(group.enter())
        .end();
        let report = ended.report();
        let sweep = found(&report);
        assert_eq!(report.code, Code::ApplicationEnded, "{ended}");
        assert_eq!(outcomes(&report)[3], Outcome::Passed);
        assert_eq!(
            (sweep.limit, sweep.limit_bytes, sweep.margin),
            (Some(MemoryLimit::ControlGroup), Some(400 * MIB), Some(0.1))
        );
        let allowed = 360 * MIB;
        for step in &sweep.steps {
            assert!(
                step.peak_bytes.is_none_or(|peak| peak <= allowed),
                "{ended}"
            );
            let refused = step.outcome == Outcome::NotReached;
            assert_eq!(refused, step.attempt_id.is_none(), "{ended}");
            assert_eq!(
                refused,
                step.predicted_bytes.is_some_and(|bytes| bytes > allowed),
                "{ended}"
            );
        }
        assert_eq!(group.kills(), 0, "{ended}");
        let (good, bad, why) = range(sweep);
        let (good, bad) = (good.unwrap(), bad.unwrap());
        assert!((bad - good - 1.0).abs() < 1e-9, "neighbours: {ended}");
        assert_eq!(why, "margin");
        // One more of the batch takes 16 MiB more, and that would not have fitted.
        let peak = step(sweep, good).peak_bytes.unwrap();
        assert!(peak + 16 * MIB + 2 * MIB > allowed, "{ended}");
        // What was foretold came true.
        for step in sweep.steps.iter().filter(|step| step.peak_bytes.is_some()) {
            if let Some(predicted) = step.predicted_bytes {
                assert!(
                    step.peak_bytes.unwrap().abs_diff(predicted) < 12 * MIB,
                    "{ended}"
                );
            }
        }
        assert_eq!(sweep.not_tried, [64.0]);
        // The dossier is that of the last good step.
        let step = step(sweep, good);
        assert_eq!(step.attempt_id.as_ref(), Some(&report.attempt.id));
        assert_eq!(
            report.attempt.parameters["batch"].to_string(),
            good.to_string()
        );
        assert_eq!(step.throughput_of, Some(ThroughputOf::Passes));
        ranges.push((good, bad));
    }
    assert_eq!(ranges[0], ranges[1]);
}

#[test]
fn where_crossing_is_allowed_it_runs_into_the_limit_and_says_so() {
    let group = Group::new("no-margin", 300);
    let scene = scene();
    let options = ["--json", "--margin", "0", "--axis", "batch=4,8,16,32,64"];
    let ended = sweep(&scene, &options, &["--each", "14"])
        .wrapped(group.enter())
        .end();
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(
        range(sweep),
        (Some(16.0), Some(32.0), "out_of_memory"),
        "{ended}"
    );
    assert_eq!(report.exit_code, 0);
    let bad = step(sweep, 32.0);
    assert_eq!(
        (bad.outcome, bad.code, bad.why.as_deref()),
        (
            Outcome::Failed,
            Some(Code::ApplicationFailed),
            Some("out_of_memory")
        )
    );
    assert!(bad.predicted_bytes.unwrap() > 300 * MIB, "{ended}");
    assert_eq!(sweep.margin, None);
    assert_eq!(sweep.not_tried, [64.0]);
    assert!(group.kills() > 0, "{ended}");
}

#[test]
fn memory_that_grows_faster_than_foreseen_is_stopped_at_the_margin() {
    let group = Group::new("guard", 400);
    let scene = scene();
    // Two small steps foretell a straight line, and the third needs its square: 900 MiB.
    let ended = sweep(
        &scene,
        &["--json", "--axis", "batch=1,2,30,60"],
        &["--each", "1", "--power", "2"],
    )
    .wrapped(group.enter())
    .end();
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(range(sweep), (Some(2.0), Some(30.0), "margin"), "{ended}");
    let stopped = step(sweep, 30.0);
    assert_eq!(stopped.outcome, Outcome::Failed, "{ended}");
    assert!(stopped.predicted_bytes.unwrap() < 360 * MIB, "{ended}");
    assert!(stopped.peak_bytes.unwrap() < 400 * MIB, "{ended}");
    assert_eq!(group.kills(), 0, "{ended}");
}

#[test]
fn a_first_step_that_would_leave_no_margin_is_a_fault_of_memory() {
    let group = Group::new("first", 300);
    let scene = scene();
    let ended = sweep(
        &scene,
        &["--json", "--axis", "batch=32,64"],
        &["--each", "16"],
    )
    .wrapped(group.enter())
    .end();
    let report = ended.report();
    assert_eq!(report.code, Code::ApplicationFailed, "{ended}");
    assert_eq!(diagnosis(&report).layer, Layer::Memory, "{ended}");
    assert_eq!(range(found(&report)), (None, Some(32.0), "margin"));
    assert_eq!(group.kills(), 0, "{ended}");
}

#[test]
fn a_contract_that_breaks_on_the_way_is_a_limit_and_no_fault() {
    let scene = scene();
    let ended = sweep(
        &scene,
        &["--json", "--axis", "batch=1,2,4,8"],
        &["--fault", "lose", "--at", "4"],
    )
    .end();
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(
        range(sweep),
        (Some(2.0), Some(4.0), "contract_failed"),
        "{ended}"
    );
    assert_eq!(step(sweep, 4.0).code, Some(Code::ContractFailed));
    assert_eq!(report.exit_code, 0, "{ended}");
    assert_eq!(sweep.not_tried, [8.0]);
}

#[test]
fn without_a_good_step_the_first_fault_is_the_first_steps_own() {
    let cases = [
        ("lose", Code::ContractFailed, "contract_failed"),
        ("error", Code::ApplicationFailed, "application_failed"),
    ];
    for (fault, code, why) in cases {
        let scene = scene();
        let ended = sweep(
            &scene,
            &["--json", "--axis", "batch=1,2"],
            &["--fault", fault],
        )
        .end();
        let report = ended.report();
        assert_eq!(report.code, code, "{ended}");
        assert_eq!(range(found(&report)), (None, Some(1.0), why), "{ended}");
        assert_eq!(found(&report).not_tried, [2.0]);
    }
}

#[test]
fn a_step_that_hangs_is_ended_at_its_time_limit() {
    let scene = scene();
    let ended = sweep(
        &scene,
        &["--json", "--axis", "batch=1,2,4", "--timeout", "3"],
        &["--fault", "hang", "--at", "2"],
    )
    .end();
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(range(sweep), (Some(1.0), Some(2.0), "timeout"), "{ended}");
    assert!(step(sweep, 2.0).wall_ms.unwrap() < 6000.0, "{ended}");
}

#[test]
fn the_budget_bounds_the_whole_even_with_a_program_that_ignores_every_request() {
    let scene = scene();
    fs::write(scene.work("answers.jsonl"), "mine").unwrap();
    for (fault, program) in [("hang", "hang"), ("stubborn", "stubborn")] {
        let budget = 4.0;
        let ended = sweep(
            &scene,
            &[
                "--json",
                "--fresh",
                "--axis",
                "batch=1,2,4",
                "--budget",
                "4",
            ],
            &["--fault", program, "--at", "2"],
        )
        .end();
        let report = ended.report();
        let sweep = found(&report);
        assert_eq!(
            range(sweep),
            (Some(1.0), None, "budget"),
            "{fault}: {ended}"
        );
        assert_eq!(sweep.budget_ms, Some(4000.0));
        let cut = step(sweep, 2.0);
        assert_eq!(
            (cut.outcome, cut.why.as_deref()),
            (Outcome::NotProven, Some("budget")),
            "{ended}"
        );
        assert_eq!(sweep.not_tried, [4.0]);
        assert_eq!(report.exit_code, 0);
        assert!(
            (ended.elapsed.as_secs_f64() - budget).abs() < 2.0,
            "{fault}: {ended}"
        );
        assert_eq!(
            fs::read_to_string(scene.work("answers.jsonl")).unwrap(),
            "mine"
        );
    }
}

#[test]
fn the_number_of_attempts_bounds_one_start_and_the_next_goes_on() {
    let scene = scene();
    let options = ["--json", "--axis", "batch=1,2,4,8", "--attempts", "2"];
    let first = sweep(&scene, &options, &[]).end();
    let first = first.report();
    assert_eq!(range(found(&first)), (Some(2.0), None, "attempts"));
    assert_eq!(found(&first).not_tried, [4.0, 8.0]);
    let second = sweep(&scene, &options, &[]).end();
    let report = second.report();
    assert_eq!(
        range(found(&report)),
        (Some(8.0), None, "all_good"),
        "{second}"
    );
    assert_eq!(found(&report).continued, 2);
    assert!(
        second.stderr.contains("2 steps were measured before"),
        "{second}"
    );
    // It came to its end: nothing is left to continue.
    let third = sweep(&scene, &options, &[]).end();
    assert_eq!(found(&third.report()).continued, 0, "{third}");
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_the_same_command_line_goes_on() {
    let scene = scene();
    fs::write(scene.work("answers.jsonl"), "mine").unwrap();
    let options = ["--axis", "batch=1,2,4,8"];
    let program = ["--pause", "0.01"];
    let mut running = sweep(&scene, &options, &program).start();
    let ledger = scene.work(".firstfault/sweeps");
    running.until("two finished steps", |_| lines(&ledger) >= 2);
    std::thread::sleep(Duration::from_millis(300));
    running.signal(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("the same command line goes on"), "{ended}");
    assert_eq!(
        fs::read_to_string(scene.work("answers.jsonl")).unwrap(),
        "mine"
    );
    let measured = lines(&ledger);
    assert!((2..4).contains(&measured), "{ended}");

    // Another contract is another sweep.
    let contract = fs::read_to_string(scene.work("firstfault.toml")).unwrap();
    fs::write(scene.work("other.toml"), contract.clone() + "count = 96\n").unwrap();
    let other = ["--contract", "other.toml"];
    let other = sweep(&scene, &[&options[..], &other].concat(), &program).end();
    assert!(!other.stderr.contains("measured before"), "{other}");

    let ended = sweep(&scene, &[&options[..], &["--json"]].concat(), &program).end();
    let report = ended.report();
    assert_eq!(found(&report).continued as usize, measured, "{ended}");
    assert_eq!(values(found(&report)), [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(range(found(&report)), (Some(8.0), None, "all_good"));
    assert_eq!(
        fs::read_to_string(scene.work("answers.jsonl")).unwrap(),
        "mine"
    );
}

/// Lines of all records of a project that are not put away.
fn lines(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().contains(".last."))
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .map(|text| text.matches('\n').count())
        .sum()
}

#[test]
fn fresh_begins_anew() {
    let scene = scene();
    let options = ["--json", "--axis", "batch=1,2,4", "--attempts", "1"];
    sweep(&scene, &options, &[]).end().expect_exit(0);
    let ended = sweep(&scene, &[&options[..], &["--fresh"]].concat(), &[]).end();
    let report = ended.report();
    assert_eq!(found(&report).continued, 0, "{ended}");
    assert_eq!(values(found(&report)), [1.0]);
}

#[test]
fn sigkill_at_any_moment_loses_no_finished_step_and_leaves_no_process() {
    const KILLS: u32 = 25;
    let options = ["--json", "--axis", "batch=1..64", "--refine", "2"];
    // From 48 on an item is lost: the range ends between 32 and 48.
    let program = ["--pause", "0.01", "--fault", "lose", "--at", "48"];
    let whole = sweep(&scene(), &options, &program).end();
    let expected = whole.report();
    assert_eq!(
        range(found(&expected)),
        (Some(40.0), Some(48.0), "contract_failed"),
        "{whole}"
    );

    let scene = scene();
    fs::write(scene.work("answers.jsonl"), "mine").unwrap();
    let records = scene.work(".firstfault/sweeps");
    let mut random = 0x2545_f491_4f6c_dd1d_u64 ^ u64::from(std::process::id());
    let mut complete = Vec::new();
    let mut cut = 0;
    while cut < KILLS {
        let before = lines(&records);
        let running = sweep(&scene, &options, &program).start();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // A start waits for a moment where an earlier one was killed; then it goes on.
        let wait = Duration::from_millis(random % 4000);
        std::thread::sleep(wait);
        let mark = running.mark().to_owned();
        running.signal(Signal::KILL);
        let ended = running.end();
        let left = processes::left_after(&mark, Duration::from_secs(3));
        assert!(left.is_empty(), "kill {cut} left {left:?}\n{ended}");
        if ended.signal() == Some(Signal::KILL.as_raw()) {
            cut += 1;
        }
        match Report::from_json(&ended.stdout) {
            // It had told everything, and the next start begins anew.
            Ok(report) => complete.push(report),
            Err(_) => assert!(lines(&records) >= before, "kill {cut}: {ended}"),
        }
    }
    complete.push(sweep(&scene, &options, &program).end().report());
    for report in &complete {
        assert_eq!(outline(found(report)), outline(found(&expected)));
        assert_eq!(range(found(report)), range(found(&expected)));
        assert_eq!(report.code, expected.code);
    }
    assert_eq!(
        fs::read_to_string(scene.work("answers.jsonl")).unwrap(),
        "mine"
    );
}

#[test]
fn a_project_that_cannot_be_written_to_is_told_before_anything_is_run() {
    let scene = scene();
    // Permissions hold nobody back who is root; a file in the way does.
    fs::write(scene.work(".firstfault"), "").unwrap();
    let ended = sweep(&scene, &["--axis", "batch=1,2"], &[]).end();
    ended.expect_exit(12);
    assert!(ended.stderr.starts_with("error: "), "{ended}");
    assert!(ended.stderr.contains(".firstfault"), "{ended}");
    assert!(!scene.work("answers.jsonl").exists(), "{ended}");

    let contract = scene.work("firstfault.toml").display().to_string();
    let ended = sweep(
        &scene,
        &["--axis", "batch=1,2", "--contract", &contract],
        &[],
    )
    .folder(Path::new("/proc"))
    .end();
    ended.expect_exit(12);
    assert!(ended.stderr.starts_with("error: "), "{ended}");
}

#[test]
fn an_axis_that_cannot_be_meant_is_a_usage_error() {
    let scene = scene();
    let cases = [
        ("batch=2,1", "have to increase"),
        ("batch=", "increasing numbers"),
        ("length=1,2", "does not say where"),
    ];
    for (axis, text) in cases {
        let ended = sweep(&scene, &["--axis", axis], &[]).end();
        ended.expect_exit(2);
        assert!(ended.stderr.contains(text), "{ended}");
    }
    let ended = sweep(&scene, &["--axis", "batch=1,2", "--set", "batch=8"], &[]).end();
    ended.expect_exit(2);
    fs::remove_file(scene.work("firstfault.toml")).unwrap();
    let ended = sweep(&scene, &["--axis", "batch=1,2"], &[]).end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("firstfault init"), "{ended}");
    assert!(!scene.work(".firstfault").exists());
}

#[test]
fn the_table_fits_into_80_columns_in_every_language_and_ends_with_the_range() {
    let cases = [
        ("en", "batch: good to 2; the contract is broken at 4"),
        ("de", "batch: gut bis 2; bei 4 ist der Vertrag verletzt"),
        (
            "tr",
            "batch: 2 değerine kadar iyi; 4 değerinde sözleşme bozuluyor",
        ),
    ];
    for (language, range) in cases {
        let scene = scene();
        let ended = sweep(
            &scene,
            &["--lang", language, "--axis", "batch=1,2,4,8"],
            &["--fault", "lose", "--at", "4"],
        )
        .end();
        ended.expect_exit(0);
        let table = ended.stdout.split("FirstFault 0").nth(1).unwrap();
        for line in table.lines().filter(|line| !line.contains(".firstfault")) {
            assert!(line.chars().count() <= 80, "{line}\n{ended}");
        }
        assert!(!ended.stdout.contains('\u{1b}'), "{ended}");
        let joined = table.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(range), "{ended}");
    }
}

/// The real embedding job, whose memory grows with the batch of its long sentences, under a real limit.
#[test]
fn the_real_embedding_job_finds_its_limit_and_stays_below_the_margin() {
    let scene = Scene::new();
    for (name, to) in [("embed.py", "embed.py"), ("embed.toml", "firstfault.toml")] {
        fs::copy(programs().join(name), scene.work(to)).unwrap();
    }
    let input: String = (0..64)
        .map(|at| {
            format!("{{\"id\": \"s-{at}\", \"text\": \"quiet rivers measure winds {at}\"}}\n")
        })
        .collect();
    fs::write(scene.work("sentences.jsonl"), input).unwrap();
    let group = Group::new("embed", 1100);
    let python = named_by("FIRSTFAULT_TEST_APPLICATIONS").join("bin/python");
    let ended = scene
        .run(["sweep", "--json", "--device", "cpu"])
        .args(["--axis", "batch=16..128", "--refine", "1", "--"])
        .args([python])
        .args(["embed.py", "--length", "200", "--batch", "{batch}"])
        .env("PYTHONPATH", programs().join("../../probe/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HF_HUB_OFFLINE", "1")
        .limit(Duration::from_secs(500))
        .wrapped(group.enter())
        .end();
    let report = ended.report();
    assert_eq!(report.code, Code::CpuCheckPassed, "{ended}");
    assert_eq!(outcomes(&report)[3], Outcome::Passed);
    let sweep = found(&report);
    let (good, bad, why) = range(sweep);
    assert_eq!(why, "margin", "{ended}");
    assert!(good.unwrap() >= 32.0 && bad.unwrap() <= 128.0, "{ended}");
    let allowed = 1100 * MIB / 10 * 9;
    let good_steps = || sweep.steps.iter().filter(|step| step.why.is_none());
    assert!(
        good_steps().all(|step| step.peak_bytes.unwrap() <= allowed),
        "{ended}"
    );
    assert_eq!(group.kills(), 0, "{ended}");
    assert!(good_steps().all(|step| step.throughput.is_some() && step.first_pass_ms.is_some()));
}

#[test]
fn a_budget_that_the_check_alone_uses_up_is_told_in_time() {
    let scene = scene();
    let python = scene.stand_in().python();
    let ended = scene
        .run(["sweep", "--budget", "2", "--axis", "batch=1,2", "--"])
        .args([python.as_os_str()])
        .args(["grow.py", "--batch", "{batch}"])
        .env("STAND_IN_SLEEP", "import=20")
        .end();
    ended.expect_exit(2).expect_within(Duration::from_secs(4));
    assert!(ended.stderr.contains("budget was used up"), "{ended}");
    assert!(!scene.work("answers.jsonl").exists(), "{ended}");
}

#[test]
fn a_report_that_cannot_be_saved_loses_no_step() {
    let scene = scene();
    let options = ["--json", "--axis", "batch=1,2", "--output"];
    let ended = sweep(
        &scene,
        &[&options[..], &["no/such/folder.json"]].concat(),
        &[],
    )
    .end();
    let report = ended.report();
    assert_eq!(report.code, Code::OutputWriteFailed, "{ended}");
    assert_eq!(range(found(&report)), (Some(2.0), None, "all_good"));
    let ended = sweep(&scene, &[&options[..], &["free.json"]].concat(), &[]).end();
    assert_eq!(found(&ended.report()).continued, 2, "{ended}");
    assert!(scene.work("free.json").exists());
}

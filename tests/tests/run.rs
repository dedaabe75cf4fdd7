//! `firstfault run` itself, with small commands: what is passed through, what proves nothing, and how it is stopped.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{EndingKind, Layer};
use firstfault_schema::{Code, Report};
use firstfault_tests::ended::{diagnosis, fact, outcomes};
use firstfault_tests::environments::Environment;
use firstfault_tests::{Run, Scene};
use rustix::process::Signal;

fn run(scene: &Scene, options: &[&str], command: &[&str]) -> Run {
    scene
        .run(["run", "--skip-check"])
        .args(options)
        .args(["--"])
        .args(command)
}

fn how(report: &Report) -> EndingKind {
    report
        .application
        .as_ref()
        .unwrap()
        .ending
        .as_ref()
        .unwrap()
        .how
}

#[test]
fn output_is_passed_through_byte_for_byte_and_kept() {
    let scene = Scene::new();
    let script = "printf 'a\\0b\\r\\n\\377no line break'; printf 'oops' >&2; cat";
    let ended = run(&scene, &[], &["sh", "-c", script]).end();
    ended.expect_exit(0);
    assert!(
        ended.stdout.starts_with("a\0b\r\n\u{fffd}no line break"),
        "{ended}"
    );
    assert!(ended.stderr.starts_with("oops\n"), "{ended}");
    let attempts = scene.work(".firstfault/attempts");
    let attempt = fs::read_dir(&attempts)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!(
        fs::read(attempt.join("stdout.log")).unwrap(),
        b"a\0b\r\n\xffno line break"
    );
    assert_eq!(fs::read(attempt.join("stderr.log")).unwrap(), b"oops");
    let mode = fs::metadata(scene.work(".firstfault"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(
        fs::read(scene.work(".firstfault/.gitignore")).unwrap(),
        b"*\n"
    );
}

#[test]
fn an_exit_code_of_0_alone_proves_nothing() {
    let scene = Scene::new();
    let ended = run(&scene, &["--json"], &["true"]).end();
    let report = ended.expect(Code::ApplicationEnded);
    assert_eq!(
        outcomes(&report),
        [
            Outcome::NotRequested,
            Outcome::NotRequested,
            Outcome::NotRequested,
            Outcome::NotProven
        ]
    );
}

#[test]
fn a_log_of_an_earlier_run_says_nothing_about_numbers() {
    let scene = Scene::new();
    fs::write(
        scene.work("firstfault.toml"),
        "[training]\nlog = \"log.jsonl\"\nloss = \"loss\"\n",
    )
    .unwrap();
    fs::write(scene.work("log.jsonl"), "{\"loss\": 1.0}\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let ended = run(&scene, &["--json"], &["true"]).end();
    let report = ended.expect(Code::ContractFailed);
    assert_eq!(diagnosis(&report).signature, "outputs-older-than-run");
    assert_eq!(diagnosis(&report).actions[0], "move-earlier-outputs");
    fs::remove_file(scene.work("log.jsonl")).unwrap();
    let ended = run(&scene, &["--json"], &["true"]).end();
    let report = ended.expect(Code::ContractFailed);
    assert_eq!(diagnosis(&report).signature, "outputs-not-written");
}

#[test]
fn a_command_that_fails_is_told_with_its_exit_code() {
    let scene = Scene::new();
    let ended = run(&scene, &["--json"], &["sh", "-c", "exit 7"]).end();
    let report = ended.expect(Code::ApplicationFailed);
    assert_eq!(fact(&report, "application_exit_code").as_deref(), Some("7"));
    // Nothing tells where it failed, and the report doesn't feign to know.
    assert_eq!(diagnosis(&report).signature, "application-unexplained");
    assert_eq!(how(&report), EndingKind::Exited);
}

#[test]
fn the_last_line_tells_whether_the_outputs_keep_the_contract() {
    for (language, kept) in [
        ("en", "The outputs keep the contract."),
        ("de", "Die Ausgaben halten den Vertrag ein."),
        ("tr", "Çıktılar sözleşmeye uyuyor."),
    ] {
        let scene = Scene::new();
        let options = ["--skip-check", "--lang", language];
        let script = r#"echo '{"id": "a", "v": [1.0]}' > o.jsonl"#;
        let last = |ended: &firstfault_tests::Ended| {
            let line = ended.stdout.trim_end().lines().next_back();
            line.unwrap_or_default().to_owned()
        };
        let ended = scene
            .run(["run"])
            .args(options)
            .args(["--", "sh", "-c", script])
            .env("LANG", "C.UTF-8")
            .end();
        ended.expect_exit(0);
        assert!(!last(&ended).contains(kept), "{ended}");
        fs::write(
            scene.work("firstfault.toml"),
            "[[output]]\npath = \"o.jsonl\"\nid = \"id\"\nvector = \"v\"\n",
        )
        .unwrap();
        let ended = scene
            .run(["run"])
            .args(options)
            .args(["--", "sh", "-c", script])
            .env("LANG", "C.UTF-8")
            .end();
        ended.expect_exit(0);
        assert!(
            last(&ended).starts_with("✓ APPLICATION_ENDED (0):"),
            "{ended}"
        );
        assert!(last(&ended).ends_with(kept), "{ended}");
    }
}

#[test]
fn who_has_marked_stages_is_not_told_to_mark_them() {
    let scene = Scene::new();
    let script = "\"$0\" mark begin data; \"$0\" mark end data; exit 7";
    let program = firstfault_tests::named_by("FIRSTFAULT_BIN");
    let program = program.to_str().unwrap();
    let ended = run(&scene, &["--json"], &["sh", "-c", script, program]).end();
    let report = ended.expect(Code::ApplicationFailed);
    assert_eq!(diagnosis(&report).signature, "application-unexplained");
    assert!(
        !diagnosis(&report)
            .actions
            .iter()
            .any(|id| id == "mark-stages"),
        "{ended}"
    );
}

#[test]
fn a_command_that_is_not_there_is_told() {
    let scene = Scene::new();
    let ended = run(&scene, &["--json"], &["no-such-command"]).end();
    assert!(ended.stderr.contains("\"no-such-command\""), "{ended}");
    ended.expect_exit(13);
    let report = ended.report();
    assert_eq!(how(&report), EndingKind::NotStarted);
    assert_start(&report, "command-not-found", "not_found");
}

#[track_caller]
fn assert_start(report: &Report, signature: &str, why: &str) {
    let diagnosis = diagnosis(report);
    assert_eq!(diagnosis.signature, signature, "{diagnosis:#?}");
    assert_eq!(diagnosis.layer, Layer::Interpreter, "{diagnosis:#?}");
    assert_eq!(fact(report, "application_start").as_deref(), Some(why));
}

#[test]
fn why_a_command_cannot_be_started_is_told() {
    let scene = Scene::new();
    fs::create_dir(scene.work("folder")).unwrap();
    fs::write(scene.work("plain"), "#!/bin/sh\n").unwrap();
    fs::write(scene.work("orphan"), "#!/no/such/program\n").unwrap();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scene.work("orphan"), mode).unwrap();
    for (command, signature, why) in [
        ("", "command-not-found", "not_found"),
        ("./folder", "command-not-startable", "is_a_folder"),
        ("./plain", "command-not-startable", "not_permitted"),
        ("./orphan", "command-not-found", "loader_missing"),
    ] {
        let ended = run(&scene, &["--json"], &[command]).end();
        ended.expect_exit(13);
        assert_start(&ended.report(), signature, why);
    }
    let ended = run(&scene, &["--json"], &["sh", "-c", "no-such-command"]).end();
    ended.expect_exit(13);
    assert_start(&ended.report(), "command-not-found", "not_found");
}

#[test]
fn a_command_without_the_two_hyphens_gets_a_hint() {
    let scene = Scene::new();
    let ended = scene.run(["run"]).args(["sh", "-c", "true"]).end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("Put -- before"), "{ended}");
}

#[test]
fn ctrl_c_is_passed_on_and_the_dossier_is_still_written() {
    let scene = Scene::new();
    let script =
        "trap 'echo saved > checkpoint; exit 0' INT; echo > ready; while :; do sleep 0.05; done";
    let output = scene.work("attempt.json");
    let mut running = run(&scene, &["--output", "attempt.json"], &["sh", "-c", script]).start();
    let ready = scene.work("ready");
    running.until("ready", |_| ready.exists());
    running.signal(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    assert_eq!(
        fs::read_to_string(scene.work("checkpoint")).unwrap(),
        "saved\n"
    );
    let report = Report::from_json(&fs::read_to_string(output).unwrap()).unwrap();
    assert_eq!(report.code, Code::ApplicationFailed);
    assert_eq!(how(&report), EndingKind::Interrupted);
}

#[test]
fn what_a_job_scheduler_or_a_closed_terminal_sends_loses_no_report() {
    for (signal, exit) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let scene = Scene::new();
        let script = "trap 'echo saved > checkpoint; exit 0' INT; echo > ready; while :; do sleep 0.05; done";
        let mut running = run(&scene, &["--output", "attempt.json"], &["sh", "-c", script])
            .wrapped(["/usr/bin/env", "--default-signal"])
            .start();
        let ready = scene.work("ready");
        running.until("ready", |_| ready.exists());
        running.signal(signal);
        let ended = running.end();
        ended.expect_exit(exit);
        assert!(scene.work("checkpoint").exists(), "{ended}");
        let text = fs::read_to_string(scene.work("attempt.json")).unwrap();
        assert_eq!(
            how(&Report::from_json(&text).unwrap()),
            EndingKind::Interrupted
        );
    }
}

#[test]
fn nothing_is_run_for_a_report_that_could_not_be_saved() {
    let scene = Scene::new();
    fs::write(scene.work("there.json"), "mine").unwrap();
    let ended = run(
        &scene,
        &["--output", "there.json"],
        &["sh", "-c", "echo > started"],
    )
    .end();
    ended.expect_exit(12);
    assert!(ended.stderr.contains("there.json"), "{ended}");
    assert!(!scene.work("started").exists());
    assert_eq!(fs::read(scene.work("there.json")).unwrap(), b"mine");
}

#[test]
fn an_output_that_was_written_just_before_the_run_is_none_of_it() {
    let scene = Scene::new();
    let contract = "[[output]]\npath = 'o.jsonl'\nvector = 'v'\n";
    fs::write(scene.work("firstfault.toml"), contract).unwrap();
    fs::write(scene.work("o.jsonl"), "{\"v\": [1]}\n").unwrap();
    let ended = run(&scene, &["--json"], &["true"]).end();
    let report = ended.expect(Code::ContractFailed);
    assert_ne!(outcomes(&report)[3], Outcome::Passed, "{ended}");
}

#[test]
fn a_mark_that_can_not_be_written_does_not_end_the_script() {
    let scene = Scene::new();
    let ended = scene
        .run(["mark", "begin", "data"])
        .env("FIRSTFAULT_MARKERS", scene.path("work"))
        .end();
    ended.expect_exit(0);
    assert!(!ended.stderr.is_empty(), "{ended}");
}

#[test]
fn a_contract_that_is_no_file_is_refused() {
    let scene = Scene::new();
    let ended = run(&scene, &["--contract", "/dev/zero"], &["true"]).end();
    ended.expect_exit(2);
}

#[test]
fn what_ignores_every_request_is_ended_with_its_whole_tree() {
    let scene = Scene::new();
    let script = "trap '' INT TERM; setsid sleep 600 & while :; do sleep 1; done";
    let ended = run(&scene, &["--json", "--timeout", "1"], &["sh", "-c", script]).end();
    let report = ended.expect(Code::ApplicationFailed);
    assert_eq!(how(&report), EndingKind::TimedOut);
    assert_eq!(diagnosis(&report).signature, "application-timed-out");
    ended.expect_within(Duration::from_secs(20));
}

#[test]
fn a_script_marks_its_stages() {
    let scene = Scene::new();
    let program = firstfault_tests::named_by("FIRSTFAULT_BIN");
    let script = r#""$0" mark begin data && "$0" mark end data && "$0" mark begin weights"#;
    let ended = run(
        &scene,
        &["--json"],
        &["sh", "-c", script, program.to_str().unwrap()],
    )
    .end();
    let report = ended.expect(Code::ApplicationEnded);
    let application = report.application.unwrap();
    let stages: Vec<_> = application
        .stages
        .iter()
        .map(|stage| (stage.name.as_str(), stage.ended_ms.is_some()))
        .collect();
    assert_eq!(stages, [("data", true), ("weights", false)]);
    assert_eq!(application.last_completed_stage.as_deref(), Some("data"));
}

#[test]
fn a_check_that_fails_stops_the_run_and_keep_going_goes_on() {
    let scene = Scene::new();
    let python = Environment::Empty.python();
    let script = "open('started', 'w')";
    let of = |options: &[&str]| {
        scene
            .run(["run", "--json"])
            .args(options)
            .args(["--"])
            .args([python.as_os_str()])
            .args(["-c", script])
            .end()
    };
    let report = of(&[]).expect(Code::TorchMissing);
    assert_eq!(outcomes(&report)[3], Outcome::NotReached);
    assert!(report.application.is_none());
    assert!(!scene.work("started").exists());
    let report = of(&["--keep-going"]).expect(Code::TorchMissing);
    assert_eq!(outcomes(&report)[3], Outcome::NotProven);
    assert!(scene.work("started").exists());
}

#[test]
fn a_contract_is_written_once_and_a_wrong_one_is_refused_before_anything_runs() {
    let scene = Scene::new();
    scene.run(["init"]).end().expect_exit(0).expect_silence();
    scene.run(["init"]).end().expect_exit(12);
    fs::write(scene.work("bad.toml"), "[output]\npaht = 'x'\n").unwrap();
    let ended = run(
        &scene,
        &["--contract", "bad.toml"],
        &["sh", "-c", "echo > started"],
    )
    .end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("bad.toml"), "{ended}");
    assert!(!scene.work("started").exists());
}

#[test]
fn an_input_far_from_the_final_work_is_said_not_to_be_representative() {
    let scene = Scene::new();
    fs::write(scene.work("in.jsonl"), "{\"id\": \"a\", \"text\": \"x\"}\n").unwrap();
    fs::write(
        scene.work("c.toml"),
        "[input]\npath = 'in.jsonl'\nid = 'id'\nlength = 'text'\n[final_work]\nlongest = 512\n[[output]]\npath = 'out.jsonl'\nid = 'id'\n",
    )
    .unwrap();
    let ended = run(
        &scene,
        &["--json", "--contract", "c.toml"],
        &["sh", "-c", "echo '{\"id\": \"a\"}' > out.jsonl"],
    )
    .end();
    let report = ended.expect(Code::ApplicationEnded);
    assert_eq!(outcomes(&report)[3], Outcome::Passed);
    let point = report
        .application
        .as_ref()
        .unwrap()
        .outputs
        .iter()
        .find(|point| point.point == "representative_longest")
        .unwrap()
        .clone();
    assert_ne!(point.outcome, Outcome::Passed, "{point:?}");
}

#[test]
fn nothing_of_the_command_but_known_words_enters_the_report() {
    let scene = Scene::new();
    let script = "import sys; sys.exit('secret-of-jane in /home/jane/x')";
    let ended = run(
        &scene,
        &["--json"],
        &[
            "/usr/bin/python3",
            "-c",
            script,
            "--password=hunter2",
            "jane@example.org",
        ],
    )
    .end();
    let report = ended.report();
    assert_eq!(report.code, Code::ApplicationFailed);
    let json = report.to_json();
    for word in ["jane", "secret", "hunter2", "example"] {
        assert!(!json.contains(word), "{word} in {json}");
    }
    assert!(Path::new(&scene.work(".firstfault")).exists());
}

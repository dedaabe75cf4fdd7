//! Programs that are stopped and started again under `firstfault resume`: clean ones pass whatever the signal, and every way
//! to do it wrong has its own finding. Killing `firstfault` itself loses nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Resume, ResumeFinding, ResumedTraining};
use firstfault_schema::{Code, Report};
use firstfault_tests::ended::{diagnosis, outcomes};
use firstfault_tests::environments::named_by;
use firstfault_tests::{Ended, Run, Scene, processes};
use rustix::process::Signal;

const SENTENCES: usize = 96;

fn scene(program: &str) -> Scene {
    let scene = Scene::new();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("applications");
    for name in [format!("{program}.py"), format!("{program}.toml")] {
        fs::copy(programs.join(&name), scene.work(&name)).unwrap();
    }
    let words = ["quick", "brown", "foxes", "jump", "over", "seven", "lazy"];
    let mut input = String::new();
    for at in 0..SENTENCES {
        let text: Vec<&str> = (0..5 + at % 9)
            .map(|word| words[(at * 3 + word * 5) % words.len()])
            .collect();
        let _ = writeln!(input, r#"{{"id": "s-{at}", "text": "{}"}}"#, text.join(" "));
    }
    fs::write(scene.work("sentences.jsonl"), input).unwrap();
    scene
}

fn torch_python() -> PathBuf {
    named_by("FIRSTFAULT_TEST_TORCH").join("bin/python")
}

/// `firstfault resume` of a program with its contract, without the check; `options` are those of `resume`.
fn run(scene: &Scene, program: &str, options: &[&str], arguments: &[&str]) -> Run {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probe/python");
    let python = if program == "resumable_quick" {
        PathBuf::from("/usr/bin/python3")
    } else {
        torch_python()
    };
    scene
        .run(["resume", "--json", "--skip-check", "--device", "cpu"])
        .args(["--contract", &format!("{program}.toml")])
        .args(options)
        .args(["--"])
        .args([python])
        .args([format!("{program}.py")])
        .args(arguments)
        .env("PYTHONPATH", package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .limit(Duration::from_secs(300))
}

fn proof(report: &Report) -> &Resume {
    report
        .application
        .as_ref()
        .and_then(|application| application.resume.as_ref())
        .unwrap_or_else(|| panic!("no proof: {}", report.to_json()))
}

fn training(report: &Report) -> &ResumedTraining {
    proof(report)
        .training
        .as_ref()
        .unwrap_or_else(|| panic!("no training: {}", report.to_json()))
}

fn expect_clean(ended: &Ended) -> Report {
    let report = ended.report();
    assert_eq!(report.code, Code::ApplicationEnded, "{ended}");
    assert_eq!(outcomes(&report)[3], Outcome::Passed, "{ended}");
    assert_eq!(
        proof(&report).finding,
        Some(ResumeFinding::Clean),
        "{ended}"
    );
    report
}

/// The report of a program with this fault, which comes to this finding under this signature.
fn expect(
    program: &str,
    fault: &str,
    options: &[&str],
    finding: ResumeFinding,
    signature: &str,
) -> Report {
    let scene = scene(program);
    let ended = run(&scene, program, options, &["--fault", fault]).end();
    let report = ended.report();
    assert_eq!(report.code, Code::ResumeFailed, "{ended}");
    assert_eq!(proof(&report).finding, Some(finding), "{ended}");
    assert_eq!(outcomes(&report)[3], finding.outcome(), "{ended}");
    assert_eq!(diagnosis(&report).signature, signature, "{ended}");
    report
}

#[test]
fn an_embedding_job_stops_and_goes_on_whatever_the_signal() {
    let scene = scene("resumable_embed");
    // What lay there before comes back.
    fs::write(scene.work("embeddings.jsonl"), "mine\n").unwrap();
    for (signal, name) in [("term", "SIGTERM"), ("int", "SIGINT"), ("kill", "SIGKILL")] {
        let ended = run(&scene, "resumable_embed", &["--signal", signal], &[]).end();
        let report = expect_clean(&ended);
        let proof = proof(&report);
        assert_eq!(proof.signal, name);
        assert_eq!(proof.outputs_reference, Some(96), "{ended}");
        assert_eq!(proof.outputs_after, 96, "{ended}");
        assert!((40..72).contains(&proof.outputs_before), "{ended}");
        assert_eq!(proof.passes_reference, Some(24), "{ended}");
        let stop = proof.stopped_at.as_ref().unwrap();
        assert_eq!(stop.at, "pass", "half of the passes is the usual point");
        assert_eq!(proof.grace_ms.is_none(), signal == "kill");
        let own = fs::read_to_string(scene.work("embeddings.jsonl")).unwrap();
        assert_eq!(own, "mine\n");
    }
}

#[test]
fn a_training_goes_on_step_by_step_whatever_the_signal() {
    let scene = scene("resumable_train");
    for signal in ["term", "int", "kill"] {
        let ended = run(&scene, "resumable_train", &["--signal", signal], &[]).end();
        let report = expect_clean(&ended);
        let training = training(&report);
        assert_eq!((training.differing, training.shape.as_deref()), (0, None));
        assert_eq!((training.steps_reference, training.steps_resumed), (48, 48));
        let checkpoint = &proof(&report).checkpoints[0];
        assert_eq!(checkpoint.replaced_at_once, Some(true), "{ended}");
        assert_eq!(
            checkpoint.opened_after_kill,
            (signal == "kill").then_some(true)
        );
        assert!(checkpoint.bytes.unwrap() > 10_000 && checkpoint.free_bytes.unwrap() > 0);
        assert!(checkpoint.file_system.is_some());
        assert_eq!(
            scene.names(),
            [
                ".firstfault",
                "resumable_train.py",
                "resumable_train.toml",
                "sentences.jsonl"
            ]
        );
    }
}

#[test]
fn a_checkpoint_that_is_renamed_survives_a_kill_while_it_is_written() {
    let scene = scene("resumable_train");
    let ended = run(
        &scene,
        "resumable_train",
        &["--signal", "kill", "--stop-at", "checkpoint"],
        &["--padding", "24"],
    )
    .end();
    let report = expect_clean(&ended);
    let checkpoint = &proof(&report).checkpoints[0];
    assert_eq!(checkpoint.killed_while_writing, Some(true), "{ended}");
    assert_eq!(checkpoint.opened_after_kill, Some(true), "{ended}");
}

#[test]
fn a_checkpoint_that_is_written_in_place_does_not() {
    let scene = scene("resumable_train");
    let ended = run(
        &scene,
        "resumable_train",
        &["--signal", "kill", "--stop-at", "checkpoint"],
        &["--padding", "24", "--fault", "writes-in-place"],
    )
    .end();
    let report = ended.report();
    assert_eq!(
        proof(&report).finding,
        Some(ResumeFinding::CheckpointDamaged),
        "{ended}"
    );
    assert_eq!(diagnosis(&report).signature, "resume-checkpoint-damaged");
    assert_eq!(diagnosis(&report).actions[0], "write-atomically");
    let checkpoint = &proof(&report).checkpoints[0];
    assert_eq!(
        (
            checkpoint.replaced_at_once,
            checkpoint.opened_after_kill,
            checkpoint.killed_while_writing
        ),
        (Some(false), Some(false), Some(true)),
        "{ended}"
    );
}

#[test]
fn the_last_output_lost() {
    let report = expect(
        "resumable_embed",
        "loses-last",
        &[],
        ResumeFinding::OutputsLost,
        "resume-outputs-lost",
    );
    let proof = proof(&report);
    assert_eq!((proof.lost, proof.repeated, proof.changed), (1, 0, 0));
    assert!(proof.examples[0].starts_with("s-"), "{:?}", proof.examples);
}

#[test]
fn an_output_written_twice() {
    let report = expect(
        "resumable_embed",
        "writes-twice",
        &[],
        ResumeFinding::OutputsRepeated,
        "resume-outputs-repeated",
    );
    let proof = proof(&report);
    assert_eq!((proof.lost, proof.repeated, proof.changed), (0, 1, 0));
}

#[test]
fn an_old_output_rewritten() {
    let report = expect(
        "resumable_embed",
        "rewrites-old",
        &[],
        ResumeFinding::OutputsChanged,
        "resume-outputs-changed",
    );
    assert_eq!(proof(&report).changed, 1);
    assert_eq!(proof(&report).examples, ["s-0"]);
}

#[test]
fn other_values_after_the_stop() {
    let report = expect(
        "resumable_embed",
        "other-values",
        &[],
        ResumeFinding::OutputsDiffer,
        "resume-outputs-differ",
    );
    let proof = proof(&report);
    assert_eq!(proof.different, Some(96 - proof.outputs_before));
}

#[test]
fn a_start_from_scratch_proves_nothing() {
    let report = expect(
        "resumable_embed",
        "begins-anew",
        &[],
        ResumeFinding::BeganAnew,
        "resume-began-anew",
    );
    assert_eq!(outcomes(&report)[3], Outcome::NotProven);
    assert_eq!(diagnosis(&report).actions[0], "name-resume-state");
}

#[test]
fn a_second_start_that_crashes_is_named_by_what_it_says() {
    expect(
        "resumable_train",
        "crashes",
        &[],
        ResumeFinding::ContinuationFailed,
        "state-dict-mismatch",
    );
}

#[test]
fn a_program_that_ignores_sigterm() {
    let report = expect(
        "resumable_embed",
        "ignores-term",
        &["--grace", "0.3", "--stop-at", "pass=4"],
        ResumeFinding::DidNotStop,
        "resume-did-not-stop",
    );
    assert!(proof(&report).stop_ms >= 300.0);
}

#[test]
fn a_program_that_ends_before_the_point() {
    let scene = scene("resumable_quick");
    let ended = run(
        &scene,
        "resumable_quick",
        &["--stop-at", "seconds=60"],
        &["5", "0"],
    )
    .end();
    let report = ended.report();
    assert_eq!(
        proof(&report).finding,
        Some(ResumeFinding::EndedBefore),
        "{ended}"
    );
    assert_eq!(outcomes(&report)[3], Outcome::NotProven);
    assert_eq!(diagnosis(&report).actions[0], "stop-earlier");
}

#[test]
fn a_program_that_writes_no_checkpoint_is_told_to_be_stopped_at_a_pass() {
    let scene = scene("resumable_quick");
    let ended = run(
        &scene,
        "resumable_quick",
        &["--stop-at", "checkpoint"],
        &["5", "0"],
    )
    .end();
    let report = ended.report();
    assert_eq!(
        proof(&report).finding,
        Some(ResumeFinding::EndedBefore),
        "{ended}"
    );
    assert_eq!(diagnosis(&report).signature, "resume-no-writing-met");
    assert_eq!(diagnosis(&report).actions[0], "stop-at-pass");
    assert!(diagnosis(&report).candidates.is_empty(), "{ended}");
    assert!(
        ended.stderr.contains("What the command left this time"),
        "{ended}"
    );
}

/// The shape of the loss with this fault.
fn shape(fault: &str, signature: &str) -> Report {
    let report = expect(
        "resumable_train",
        fault,
        &[],
        ResumeFinding::TrainingDiverged,
        signature,
    );
    assert!(training(&report).differing > 10, "{}", report.to_json());
    report
}

#[test]
fn an_optimiser_that_restarts_makes_the_loss_jump() {
    let report = shape("restarts-optimiser", "resume-loss-jumps");
    // Weights and batch are the same: the first loss agrees.
    assert_eq!(training(&report).first_step_differs, Some(false));
    assert_eq!(diagnosis(&report).actions[0], "restore-optimiser-state");
}

#[test]
fn a_log_that_is_an_output_too_is_still_told_as_a_log() {
    let scene = scene("resumable_train");
    let contract = scene.work("resumable_train.toml");
    let text = fs::read_to_string(&contract).unwrap();
    let output = "[[output]]\npath = \"log.jsonl\"\nid = \"step\"\nvector = \"loss\"\n\n";
    fs::write(&contract, format!("{output}{text}")).unwrap();
    let ended = run(
        &scene,
        "resumable_train",
        &[],
        &["--fault", "restarts-optimiser"],
    )
    .end();
    let report = ended.report();
    assert!(proof(&report).different > Some(0), "{ended}");
    assert_eq!(
        proof(&report).finding,
        Some(ResumeFinding::TrainingDiverged)
    );
    assert_eq!(diagnosis(&report).signature, "resume-loss-jumps");
}

#[test]
fn a_random_state_that_restarts_makes_it_jump_too() {
    let report = shape("restarts-random", "resume-loss-jumps");
    assert_eq!(training(&report).first_step_differs, Some(true));
}

#[test]
fn a_data_order_that_restarts_makes_it_drift() {
    let report = shape("restarts-data", "resume-loss-drifts");
    assert_eq!(diagnosis(&report).actions[0], "restore-data-position");
}

#[test]
fn a_step_count_that_is_wrong_is_an_offset() {
    let report = shape("counts-wrong", "resume-loss-offset");
    assert_eq!(diagnosis(&report).actions[0], "restore-step-count");
}

#[test]
fn outputs_that_come_only_at_the_end_leave_nothing_to_go_on_from() {
    let scene = scene("resumable_quick");
    let ended = run(
        &scene,
        "resumable_quick",
        &[],
        &["40", "0.02", "writes-at-the-end"],
    )
    .end();
    let report = ended.report();
    let proof = proof(&report);
    assert_eq!(proof.finding, Some(ResumeFinding::BeganAnew), "{ended}");
    assert_eq!(proof.outputs_before, 0);
    let stop = proof.stopped_at.as_ref().unwrap();
    assert_eq!(
        stop.at, "seconds",
        "outputs do not grow, so time is the point"
    );
}

#[test]
fn an_output_through_a_link_is_refused() {
    let scene = scene("resumable_quick");
    let ended = run(
        &scene,
        "resumable_quick",
        &[],
        &["10", "0.01", "through-a-link"],
    )
    .end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("out.jsonl is a link"), "{ended}");
    assert!(ended.stderr.contains("hint:"), "{ended}");
}

#[test]
fn the_users_own_link_comes_back_as_it_was() {
    let scene = scene("resumable_quick");
    fs::write(scene.work("mine.jsonl"), "mine\n").unwrap();
    std::os::unix::fs::symlink("mine.jsonl", scene.work("out.jsonl")).unwrap();
    let ended = run(&scene, "resumable_quick", &[], &["20", "0.02"]).end();
    expect_clean(&ended);
    let link = fs::read_link(scene.work("out.jsonl")).unwrap();
    assert_eq!(link, Path::new("mine.jsonl"));
    assert_eq!(
        fs::read_to_string(scene.work("mine.jsonl")).unwrap(),
        "mine\n"
    );
}

#[test]
fn a_project_that_cannot_be_written_is_said_before_anything_runs() {
    let scene = scene("resumable_quick");
    let script = r#"mount -o bind,ro . . 2>/dev/null || { mount --bind . . && mount -o remount,bind,ro .; }; cd "$PWD" && exec "$@""#;
    let ended = run(&scene, "resumable_quick", &[], &["10", "0.01"])
        .wrapped(["unshare", "-m", "sh", "-c", script, "sh"])
        .end();
    ended.expect_exit(12);
    assert!(ended.stderr.contains(".firstfault"), "{ended}");
    assert!(ended.stderr.contains("hint:"), "{ended}");
    assert_eq!(
        scene.names(),
        [
            "resumable_quick.py",
            "resumable_quick.toml",
            "sentences.jsonl"
        ]
    );
}

#[test]
fn without_a_contract_there_is_nothing_to_prove() {
    let scene = scene("resumable_quick");
    let ended = scene
        .run([
            "resume",
            "--skip-check",
            "--",
            "/usr/bin/python3",
            "resumable_quick.py",
        ])
        .end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("firstfault init"), "{ended}");
}

#[test]
fn a_point_that_cannot_be_meant_is_a_usage_error() {
    let scene = Scene::new();
    for point in ["pass=0", "half", "seconds=-1"] {
        let ended = scene
            .run(["resume", "--stop-at", point, "--", "true"])
            .end();
        ended.expect_exit(2);
    }
}

#[test]
fn huge_outputs_are_compared_without_holding_them() {
    let scene = scene("resumable_quick");
    // 60 000 records of 40 numbers, of which the second start writes the last third.
    let program = r#"
import json, os, signal, sys, time
path = "out.jsonl"
done = sum(1 for _ in open(path)) if os.path.exists(path) else 0
with open(path, "a") as file:
    for number in range(done, 60000):
        file.write(json.dumps({"id": number, "value": [number + at / 3 for at in range(40)]}) + "\n")
        if number == 39999:
            file.flush()
            time.sleep(1 if done == 0 else 0)
"#;
    fs::write(scene.work("huge.py"), program).unwrap();
    fs::write(
        scene.work("huge.toml"),
        "[[output]]\npath = \"out.jsonl\"\nid = \"id\"\nvector = \"value\"\ndimension = 40\n",
    )
    .unwrap();
    let ended = scene
        .run([
            "resume",
            "--json",
            "--skip-check",
            "--contract",
            "huge.toml",
        ])
        .args([
            "--stop-at",
            "outputs=40000",
            "--",
            "/usr/bin/python3",
            "huge.py",
        ])
        .limit(Duration::from_secs(240))
        .end();
    let report = expect_clean(&ended);
    assert_eq!(proof(&report).outputs_before, 40_000, "{ended}");
    assert_eq!(proof(&report).outputs_after, 60_000, "{ended}");
    let size = 64 * 1024;
    assert!(ended.peak_kib < size, "{ended}");
}

#[test]
fn ctrl_c_puts_everything_back_and_the_same_command_goes_on() {
    let scene = scene("resumable_quick");
    fs::write(scene.work("out.jsonl"), "mine\n").unwrap();
    let arguments = ["40", "0.03"];
    let mut running = run(&scene, "resumable_quick", &["--lang", "en"], &arguments)
        .without_arg("--json")
        .start();
    let records = scene.work(".firstfault/resumes");
    running.until("a finished reference", |_| {
        finished_references(&records) == 1
    });
    thread::sleep(Duration::from_millis(300));
    running.signal(Signal::INT);
    let ended = running.end();
    ended.expect_exit(130);
    assert!(
        ended
            .stdout
            .contains("the same command line goes on from it"),
        "{ended}"
    );
    let last = ended.stdout.trim_end().lines().next_back().unwrap();
    assert!(last.contains("Interrupted (130)"), "{ended}");
    assert_eq!(
        fs::read_to_string(scene.work("out.jsonl")).unwrap(),
        "mine\n"
    );
    let ended = run(&scene, "resumable_quick", &[], &arguments).end();
    expect_clean(&ended);
    assert!(
        ended.stderr.contains("finished by an earlier start"),
        "{ended}"
    );
    let fresh = run(&scene, "resumable_quick", &["--fresh"], &arguments).end();
    expect_clean(&fresh);
    assert!(
        !fresh.stderr.contains("finished by an earlier start"),
        "{fresh}"
    );
}

/// Finished references in the records that are not put away.
fn finished_references(records: &Path) -> usize {
    let Ok(entries) = fs::read_dir(records) else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.ends_with(".jsonl") && !name.ends_with(".last.jsonl")
        })
        .map(|entry| {
            fs::read_to_string(entry.path())
                .unwrap_or_default()
                .matches('\n')
                .count()
        })
        .sum()
}

/// A number below `below`, another each time; the same in every run of the test.
fn pseudo_random(state: &mut u64, below: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) % below
}

#[test]
fn killing_firstfault_at_any_time_loses_nothing_that_was_finished() {
    let scene = scene("resumable_quick");
    fs::write(scene.work("out.jsonl"), "mine\n").unwrap();
    let arguments = ["30", "0.02"];
    let records = scene.work(".firstfault/resumes");
    let mut state = 7;
    let mut finished = 0;
    let mut kills = 0;
    let mut whole = 0;
    while kills < 25 {
        let running = run(&scene, "resumable_quick", &[], &arguments).start();
        let mark = running.mark().to_owned();
        // A start that follows a kill first waits for what the killed one left.
        let wait = pseudo_random(&mut state, 3600);
        thread::sleep(Duration::from_millis(wait));
        running.signal(Signal::KILL);
        let ended = running.end();
        let left = processes::left_after(&mark, Duration::from_secs(6));
        assert!(left.is_empty(), "{left:?}\n{ended}");
        if ended.signal().is_none() {
            // It was done before the kill came.
            expect_clean(&ended);
            whole += 1;
            assert!(whole < 50, "no kill comes in time");
            assert_eq!(
                fs::read_to_string(scene.work("out.jsonl")).unwrap(),
                "mine\n"
            );
            finished = 0;
            continue;
        }
        kills += 1;
        let now = finished_references(&records);
        let was_delivered = ended.stdout.contains("\"clean\"");
        assert!(
            now >= finished || was_delivered,
            "a finished reference was lost\n{ended}"
        );
        finished = now;
    }
    let ended = run(&scene, "resumable_quick", &[], &arguments).end();
    let report = expect_clean(&ended);
    assert_eq!(proof(&report).outputs_after, 30);
    let own = fs::read_to_string(scene.work("out.jsonl")).unwrap();
    assert_eq!(own, "mine\n", "{ended}");
}

#[test]
fn people_read_the_proof_in_their_language_within_80_columns() {
    for (language, heading, finding) in [
        ("en", "Stop and resume", "went on where it was"),
        ("de", "Anhalten und Fortsetzen", "Rechtzeitig angehalten"),
        ("tr", "Durdurma ve sürdürme", "Zamanında durdu"),
    ] {
        let scene = scene("resumable_quick");
        let ended = run(
            &scene,
            "resumable_quick",
            &["--lang", language],
            &["30", "0.03"],
        )
        .without_arg("--json")
        .env("COLUMNS", "80")
        .end();
        ended.expect_exit(0);
        assert!(ended.stdout.contains(heading), "{ended}");
        assert_eq!(ended.stdout.matches(finding).count(), 1, "{ended}");
        let last = ended.stdout.trim_end().lines().next_back().unwrap();
        assert!(last.contains(finding), "{ended}");
        assert!(!ended.stdout.contains('\u{1b}'), "{ended}");
        let section = ended.stdout.split(heading).nth(1).unwrap();
        let section = section.split("Examined").next().unwrap();
        for line in section
            .lines()
            .take_while(|line| !line.contains(".firstfault"))
        {
            assert!(line.chars().count() <= 80, "{line}\n{ended}");
        }
    }
}

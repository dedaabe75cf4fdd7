//! Real programs under `firstfault run`, PyTorch on the CPU: both pass, and with one planted fault each the right code,
//! layer, stage and action are named.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Application, EndingKind, Layer};
use firstfault_schema::{Code, Report};
use firstfault_tests::ended::{diagnosis, outcomes};
use firstfault_tests::environments::named_by;
use firstfault_tests::{Ended, Group, Run, Scene};

const SENTENCES: usize = 96;

/// A folder with the programs, their contracts and the input.
fn scene() -> Scene {
    let scene = Scene::new();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("applications");
    for name in ["embed.py", "embed.toml", "train.py", "train.toml"] {
        fs::copy(programs.join(name), scene.work(name)).unwrap();
    }
    let words = [
        "quick", "brown", "foxes", "jump", "over", "seven", "lazy", "dogs", "while", "sailors",
        "measure", "northern", "winds", "and", "quiet", "rivers",
    ];
    let mut input = String::new();
    for at in 0..SENTENCES {
        let text: Vec<&str> = (0..5 + at % 9)
            .map(|word| words[(at * 7 + word * 5) % words.len()])
            .collect();
        let _ = writeln!(input, r#"{{"id": "s-{at}", "text": "{}"}}"#, text.join(" "));
    }
    fs::write(scene.work("sentences.jsonl"), input).unwrap();
    scene
}

fn python() -> PathBuf {
    named_by("FIRSTFAULT_TEST_APPLICATIONS").join("bin/python")
}

/// `firstfault run` of a program with its contract; `options` are those of `run`.
fn run(scene: &Scene, program: &str, fault: &str, options: &[&str]) -> Run {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probe/python");
    scene
        .run(["run", "--json", "--device", "cpu", "--contract"])
        .args([format!("{program}.toml")])
        .args(options)
        .args(["--"])
        .args([python()])
        .args([&format!("{program}.py"), "--fault", fault])
        .env("PYTHONPATH", package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HF_HUB_OFFLINE", "1")
        .limit(Duration::from_secs(400))
}

fn application(report: &Report) -> &Application {
    report
        .application
        .as_ref()
        .unwrap_or_else(|| panic!("no application: {}", report.to_json()))
}

/// The report of a program that was run without the check.
fn with_fault(program: &str, fault: &str) -> Report {
    let scene = scene();
    ended_with_fault(run(&scene, program, fault, &["--skip-check"]))
}

fn ended_with_fault(run: Run) -> Report {
    let ended: Ended = run.end();
    let report = ended.report();
    assert!(report.application.is_some(), "{ended}");
    report
}

/// Layer, signature and the first action.
fn naming(report: &Report) -> (Layer, &str, &str) {
    let diagnosis = diagnosis(report);
    (
        diagnosis.layer,
        diagnosis.signature.as_str(),
        diagnosis.actions[0].as_str(),
    )
}

/// The stages that never ended, each with its pass.
fn unfinished(report: &Report) -> Vec<(&str, u32)> {
    application(report)
        .stages
        .iter()
        .filter(|stage| stage.ended_ms.is_none())
        .map(|stage| (stage.name.as_str(), stage.pass))
        .collect()
}

fn broken_points(report: &Report) -> Vec<&str> {
    application(report)
        .outputs
        .iter()
        .filter(|point| point.outcome == Outcome::Failed)
        .map(|point| point.point.as_str())
        .collect()
}

fn expect_broken(report: &Report, point: &str, signature: &str, action: &str) {
    let json = report.to_json();
    assert_eq!(report.code, Code::ContractFailed, "{json}");
    assert_eq!(outcomes(report)[3], Outcome::Failed, "{json}");
    assert_eq!(naming(report), (Layer::Output, signature, action), "{json}");
    assert!(broken_points(report).contains(&point), "{json}");
    assert_eq!(unfinished(report), [], "{json}");
}

fn expect_failed(report: &Report, naming_expected: (Layer, &str, &str), open: &[(&str, u32)]) {
    let json = report.to_json();
    assert_eq!(report.code, Code::ApplicationFailed, "{json}");
    assert_eq!(outcomes(report)[3], Outcome::Failed, "{json}");
    assert_eq!(naming(report), naming_expected, "{json}");
    assert_eq!(unfinished(report), open, "{json}");
    assert_eq!(application(report).outputs, [], "{json}");
}

#[test]
fn an_embedding_job_passes_all_four_decisions() {
    let scene = scene();
    let ended = run(&scene, "embed", "none", &["--set", "precision=float32"]).end();
    let report = ended.report();
    assert_eq!(report.code, Code::CpuCheckPassed, "{ended}");
    assert_eq!(
        outcomes(&report),
        [
            Outcome::Passed,
            Outcome::NotRequested,
            Outcome::PassedCpuOnly,
            Outcome::Passed
        ]
    );
    let seen = application(&report);
    assert_eq!(
        seen.command,
        ["python", "embed.py", "--fault", "‹…›"],
        "a word of nobody's choice stays at home"
    );
    assert_eq!(seen.input.as_ref().unwrap().count, Some(SENTENCES as u64));
    let passes = seen.passes.as_ref().unwrap();
    assert_eq!(passes.stage.as_deref(), Some("compute"));
    assert_eq!(passes.following.as_ref().unwrap().count, 23);
    assert_eq!(passes.synchronized, None, "there is no device");
    let model = seen.model.as_ref().unwrap();
    assert_eq!(model.parameters, Some(22_713_216));
    assert_eq!(model.mode.as_deref(), Some("evaluation"));
    assert_eq!(
        (model.gradients, model.inference_mode),
        (Some(false), Some(true))
    );
    assert_eq!(seen.last_completed_stage.as_deref(), Some("write"));
    let memory = seen.memory.as_ref().unwrap();
    assert!(memory.peak.resident_bytes.unwrap() > 200 << 20, "{ended}");
    assert_eq!(memory.phase.as_deref(), Some("plateau"));
    assert!(
        seen.tensors.iter().any(|tensor| tensor.name == "embeddings"
            && tensor.shape == [4, 384]
            && tensor.device == "cpu"),
        "{ended}"
    );
    assert_eq!(
        report.attempt.parameters.keys().collect::<Vec<_>>(),
        ["batch", "precision"]
    );
    // Everything else stays in the project, for this user alone.
    let attempt = scene.work(".firstfault/attempts").join(&report.attempt.id);
    let kept = fs::read_to_string(attempt.join("stdout.log")).unwrap();
    assert_eq!(kept, format!("{SENTENCES} embeddings written\n"));
    assert!(ended.stderr.contains("embeddings written"), "{ended}");
}

#[test]
fn a_training_passes_with_its_checkpoints() {
    let report = with_fault("train", "none");
    let json = report.to_json();
    assert_eq!(report.code, Code::ApplicationEnded, "{json}");
    assert_eq!(outcomes(&report)[3], Outcome::Passed, "{json}");
    let seen = application(&report);
    assert_eq!(
        seen.model.as_ref().unwrap().mode.as_deref(),
        Some("training")
    );
    assert_eq!(seen.model.as_ref().unwrap().gradients, Some(true));
    assert!(
        seen.outputs
            .iter()
            .any(|point| point.point.starts_with("checkpoint_opens")
                && point.outcome == Outcome::Passed),
        "{json}"
    );
}

#[test]
fn missing_weights() {
    expect_failed(
        &with_fault("embed", "weights-missing"),
        (
            Layer::Weights,
            "weights-file-missing",
            "fetch-weights-again",
        ),
        &[("weights", 1)],
    );
}

#[test]
fn a_truncated_safetensors_file() {
    expect_failed(
        &with_fault("embed", "weights-truncated"),
        (
            Layer::Weights,
            "safetensors-truncated",
            "fetch-weights-again",
        ),
        &[("weights", 1)],
    );
}

#[test]
fn a_nan_in_an_output() {
    let report = with_fault("embed", "nan");
    expect_broken(
        &report,
        "all_finite",
        "outputs-not-finite",
        "find-first-nan",
    );
    let point = application(&report)
        .outputs
        .iter()
        .find(|point| point.point == "all_finite")
        .unwrap();
    assert_eq!(
        (point.broken, &point.examples[..]),
        (Some(1), &["s-4".to_owned()][..])
    );
}

#[test]
fn a_wrong_dimension() {
    expect_broken(
        &with_fault("embed", "dimension"),
        "dimension",
        "output-dimension-differs",
        "match-model-and-contract",
    );
}

#[test]
fn one_identifier_lost() {
    expect_broken(
        &with_fault("embed", "id-lost"),
        "ids_missing",
        "outputs-missing",
        "find-lost-items",
    );
}

#[test]
fn one_identifier_twice() {
    expect_broken(
        &with_fault("embed", "id-twice"),
        "ids_repeated",
        "outputs-repeated",
        "find-repeated-items",
    );
}

#[test]
fn a_model_left_in_training_mode() {
    expect_broken(
        &with_fault("embed", "training-mode"),
        "model_mode",
        "model-mode-differs",
        "set-model-mode",
    );
}

#[test]
fn a_loss_that_is_not_finite() {
    expect_broken(
        &with_fault("train", "nan"),
        "loss_finite",
        "outputs-not-finite",
        "find-first-nan",
    );
}

#[test]
fn a_parameter_that_does_not_change() {
    expect_broken(
        &with_fault("train", "parameter-unchanged"),
        "parameters_changed",
        "parameters-did-not-change",
        "check-optimiser",
    );
}

#[test]
fn a_crash_by_a_signal() {
    let report = with_fault("embed", "crash");
    expect_failed(
        &report,
        (
            Layer::Computation,
            "application-crashed",
            "run-without-workers",
        ),
        &[("compute", 3)],
    );
    let ending = application(&report).ending.as_ref().unwrap();
    assert_eq!(
        (ending.how, ending.signal.as_deref()),
        (EndingKind::Signalled, Some("SIGSEGV"))
    );
}

#[test]
fn a_hang_is_ended_at_its_limit() {
    let scene = scene();
    let report = ended_with_fault(run(
        &scene,
        "embed",
        "hang",
        &["--skip-check", "--timeout", "60"],
    ));
    expect_failed(
        &report,
        (Layer::Data, "application-timed-out", "reduce-input"),
        &[("data", 1)],
    );
    let ending = application(&report).ending.as_ref().unwrap();
    assert_eq!(ending.how, EndingKind::TimedOut);
    assert!(ending.wall_ms < 80_000.0, "{ending:?}");
    assert_eq!(
        application(&report).last_completed_stage.as_deref(),
        Some("weights")
    );
}

fn out_of_memory(program: &str, fault: &str, mebibytes: u64) -> Report {
    let group = Group::new(fault, mebibytes);
    let scene = scene();
    let report =
        ended_with_fault(run(&scene, program, fault, &["--skip-check"]).wrapped(group.enter()));
    let memory = application(&report).memory.as_ref().unwrap();
    assert_eq!(memory.limit_bytes, Some(mebibytes << 20));
    assert_eq!(memory.kills, Some(1));
    report
}

fn phase(report: &Report) -> &str {
    let memory = application(report).memory.as_ref().unwrap();
    memory.phase.as_deref().unwrap()
}

#[test]
fn memory_that_runs_out_at_load() {
    let report = out_of_memory("embed", "memory-at-load", 3000);
    expect_failed(
        &report,
        (Layer::Memory, "memory-out-at-load", "use-smaller-format"),
        &[("weights", 1)],
    );
    assert_eq!(phase(&report), "load");
}

#[test]
fn memory_that_runs_out_in_the_first_pass() {
    let report = out_of_memory("embed", "memory-at-first-pass", 3000);
    expect_failed(
        &report,
        (Layer::Memory, "memory-out-at-first-pass", "reduce-memory"),
        &[("compute", 1)],
    );
    assert_eq!(phase(&report), "first_computation");
}

#[test]
fn memory_that_runs_out_at_once_in_pass_20() {
    let report = out_of_memory("embed", "memory-at-pass-20", 3000);
    expect_failed(
        &report,
        (
            Layer::Memory,
            "memory-out-in-later-pass",
            "limit-longest-input",
        ),
        &[("compute", 20)],
    );
    assert_eq!(phase(&report), "plateau");
}

#[test]
fn a_retained_graph_that_grows_until_memory_runs_out() {
    let report = out_of_memory("train", "memory-grows", 1500);
    let json = report.to_json();
    assert_eq!(report.code, Code::ApplicationFailed, "{json}");
    assert_eq!(
        naming(&report),
        (Layer::Memory, "memory-grows", "keep-no-graph"),
        "{json}"
    );
    assert_eq!(phase(&report), "growth");
    let memory = application(&report).memory.as_ref().unwrap();
    assert!(memory.growth_per_pass_bytes.unwrap() > 5 << 20, "{json}");
}

//! Two attempts side by side: what counts as a change, what as better or worse, and what is not to be compared.

use firstfault_schema::Report;
use firstfault_schema::compare::{Answer, Change, Comparison, Standing, Verdict, compare};
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::report::Scalar;

fn report(name: &str) -> Report {
    let path = format!("{}/fixtures/valid/{name}.json", env!("CARGO_MANIFEST_DIR"));
    Report::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The same report as another attempt.
fn again(report: &Report) -> Report {
    let mut other = report.clone();
    other.attempt.id = "0".repeat(32);
    other.attempt.started_at = "2026-12-24T00:00:00Z".to_owned();
    other
}

fn change<'a>(comparison: &'a Comparison, path: &str) -> &'a Change {
    &comparison
        .rows
        .iter()
        .find(|row| row.path == path)
        .unwrap_or_else(|| panic!("{path}"))
        .change
}

#[test]
fn a_repetition_differs_in_nothing_and_is_not_worse() {
    let before = report("application-passed");
    let comparison = compare(&before, &again(&before));
    assert_eq!(
        (comparison.verdict, comparison.verdict.exit_code()),
        (Verdict::Same, 0)
    );
    assert_eq!(
        comparison.configuration().count() + comparison.results().count(),
        0
    );
    assert!(comparison.unchanged().count() > 50);
    assert_eq!(comparison.one_change.answer, Answer::Yes);
}

#[test]
fn less_progress_is_worse_and_more_is_better() {
    let (pass, fault) = (report("gpu-check-passed"), report("gpu-unavailable"));
    let worse = compare(&pass, &fault);
    assert_eq!(
        (worse.verdict, worse.verdict.exit_code()),
        (Verdict::Worse, 1)
    );
    assert_eq!(worse.scale_up.answer, Answer::No);
    assert_eq!(compare(&fault, &pass).verdict, Verdict::Better);
}

#[test]
fn a_cpu_result_is_not_compared_with_a_gpu_result() {
    let comparison = compare(&report("cpu-check-passed"), &report("gpu-check-passed"));
    assert_eq!(
        (comparison.verdict, comparison.verdict.exit_code()),
        (Verdict::NotComparable, 3)
    );
    assert_eq!(comparison.obstacles[0].id, "obstacle-requested-device");
    let same = report("gpu-check-passed");
    assert_eq!(compare(&same, &same).verdict, Verdict::NotComparable);
}

#[test]
fn noise_is_told_from_change_in_both_directions() {
    let before = report("application-passed");
    let timed = |factor: f64| {
        let mut after = again(&before);
        let passes = after.application.as_mut().unwrap().passes.as_mut().unwrap();
        let following = passes.following.as_mut().unwrap();
        for value in [
            &mut following.min,
            &mut following.median,
            &mut following.p95,
            &mut following.max,
        ] {
            *value *= factor;
        }
        compare(&before, &after)
    };
    let median = "application.passes.following.median";
    assert_eq!(change(&timed(1.05), median), &Change::WithinNoise);
    assert_eq!(change(&timed(1.5), median), &Change::Worse);
    assert_eq!(change(&timed(0.5), median), &Change::Better);
    assert_eq!(timed(1.05).verdict, Verdict::Same);
    let mut slow = again(&before);
    slow.execution.timings.import_ms = before.execution.timings.import_ms.map(|ms| ms * 1.6);
    assert_eq!(
        change(&compare(&before, &slow), "execution.timings.import_ms"),
        &Change::WithinNoise
    );
}

#[test]
fn a_command_that_follows_a_declared_parameter_is_one_change() {
    let comparison = compare(
        &report("application-passed"),
        &report("application-passed-batch-64"),
    );
    assert_eq!(comparison.one_change.answer, Answer::Yes);
    assert_eq!(comparison.one_change.reasons[0].id, "one-change-single");
    // Each pass does other work, so its time and memory say nothing.
    assert_eq!(
        change(&comparison, "application.passes.following.median"),
        &Change::NotComparable("incomparable-work")
    );
    assert_eq!(comparison.verdict, Verdict::Same);
}

#[test]
fn several_changes_are_named_and_the_declared_one_is_kept() {
    let before = report("application-passed");
    let mut after = again(&before);
    after
        .attempt
        .parameters
        .insert("precision".to_owned(), Scalar::from("bfloat16"));
    after.runtime.python_version = Some("3.13.1".to_owned());
    after.pytorch.version = Some("2.12.0+cu130".to_owned());
    after.pytorch.installed_version = Some("2.12.0+cu130".to_owned());
    let comparison = compare(&before, &after);
    let words = Guidance::new(Language::English);
    let said: Vec<String> = comparison
        .one_change
        .reasons
        .iter()
        .map(|reason| reason.text(&words))
        .collect();
    assert_eq!(comparison.one_change.answer, Answer::No);
    assert_eq!(
        said,
        [
            "3 things were changed at once: nobody knows which of them mattered.",
            "Keep: precision.",
            "Take back for now: Python.",
            "Take back for now: PyTorch package.",
        ]
    );
}

#[test]
fn what_only_one_report_records_is_no_change_of_the_configuration() {
    let comparison = compare(&report("gpu-check-passed"), &report("gpu-unavailable"));
    assert_eq!(
        change(&comparison, "pytorch.devices"),
        &Change::NotComparable("incomparable-one-only")
    );
}

#[test]
fn ready_to_scale_up_needs_every_point() {
    let before = report("application-passed");
    let ready = compare(&before, &again(&before));
    assert_eq!(ready.scale_up.answer, Answer::Yes);
    let mut unproven = again(&before);
    unproven.application.as_mut().unwrap().resume = None;
    let comparison = compare(&before, &unproven);
    assert_eq!(comparison.scale_up.answer, Answer::NotShown);
    let missing: Vec<&str> = comparison
        .scale_up
        .reasons
        .iter()
        .filter(|reason| reason.standing == Standing::Missing)
        .map(|reason| reason.id)
        .collect();
    assert_eq!(missing, ["ready-resume-missing"]);
    assert_eq!(
        compare(&before, &report("resume-failed")).scale_up.answer,
        Answer::No
    );
}

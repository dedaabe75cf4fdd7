//! Two attempts side by side: what counts as a change, what as better or worse, and what is not to be compared.

use firstfault_schema::Report;
use firstfault_schema::compare::{
    Answer, Change, Comparison, Standing, Verdict, compare, field_name, fields,
};
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::report::{EndingKind, Scalar};

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

#[test]
fn another_card_of_the_same_model_is_one_change_and_only_under_the_same_salt() {
    let mut before = report("gpu-check-passed");
    let identify = |report: &mut Report, salt: &str, identity: &str| {
        report.pytorch.device_salt = Some(salt.repeat(16));
        for device in report.pytorch.devices.as_mut().unwrap() {
            device.identity = Some(identity.repeat(16));
        }
    };
    identify(&mut before, "5a", "0c");
    let words = Guidance::new(Language::English);
    let path = "pytorch.device_identity";

    let same = compare(&before, &again(&before));
    assert_eq!(change(&same, path), &Change::Unchanged);
    assert_eq!(same.remarks, []);

    let mut after = again(&before);
    identify(&mut after, "5a", "0d");
    let other = compare(&before, &after);
    assert_eq!(change(&other, path), &Change::Changed);
    assert_eq!(other.verdict, Verdict::Same);
    assert_eq!(
        other.one_change.reasons[0].text(&words),
        "Only one thing was changed: another card of the same model. What differs in the results is attributable to it."
    );
    assert_eq!(
        other.remarks[0].text(&words),
        "another card of the same model"
    );

    let mut untold = again(&before);
    identify(&mut untold, "5b", "0d");
    let untold = compare(&before, &untold);
    assert_eq!(
        change(&untold, path),
        &Change::NotComparable("incomparable-salt")
    );
    assert_eq!(untold.remarks, []);
    assert_eq!(untold.one_change.reasons[0].id, "one-change-none");

    // An older report tells no identity.
    let mut older = again(&before);
    older.pytorch.device_salt = None;
    for device in older.pytorch.devices.as_mut().unwrap() {
        device.identity = None;
    }
    assert_eq!(
        change(&compare(&before, &older), path),
        &Change::NotComparable("incomparable-one-only")
    );

    // Another model is another model, and one change only.
    after.pytorch.devices.as_mut().unwrap()[0].name = "NVIDIA A100".to_owned();
    let model = compare(&before, &after);
    assert_eq!(model.one_change.answer, Answer::Yes);
    assert!(model.remarks[0].text(&words).starts_with("GPUs "));
}

#[test]
fn memory_that_no_known_process_holds_is_worse_and_what_cannot_be_told_accuses_nobody() {
    use firstfault_schema::report::{Host, HostGpu, HostStatus};
    const GIB: u64 = 1 << 30;
    let told = |used: u64, known: Option<u64>| {
        let mut report = again(&report("gpu-check-passed"));
        report.attempt.id = format!("{used:032x}");
        report.host = Some(Host {
            status: HostStatus::Answered,
            driver_version: Some("580.95.05".to_owned()),
            gpus: Some(vec![HostGpu {
                name: "NVIDIA H100 80GB HBM3".to_owned(),
                total_memory_bytes: Some(80 * GIB),
                used_memory_bytes: Some(used),
                process_memory_bytes: known,
            }]),
        });
        report
    };
    let words = Guidance::new(Language::English);
    let path = "host.gpus.0.unattributed_bytes";
    let before = told(GIB / 2, Some(0));
    // The driver's own memory is in both.
    let same = compare(&before, &told(GIB / 2 + GIB * 3 / 4, Some(0)));
    assert_eq!(change(&same, path), &Change::WithinNoise);
    let held = compare(&before, &told(4 * GIB, Some(0)));
    assert_eq!(change(&held, path), &Change::Worse);
    assert_eq!(held.verdict, Verdict::Worse);
    assert_eq!(
        held.remarks[0].text(&words),
        "3.5\u{a0}GiB more held by no known process"
    );
    // A host check that no longer answers is named.
    let mut silent = told(GIB / 2, Some(0));
    silent.attempt.id = "0".repeat(32);
    let host = silent.host.as_mut().unwrap();
    host.status = HostStatus::TimedOut;
    host.gpus = None;
    assert_eq!(
        compare(&before, &silent).remarks[0].text(&words),
        "nvidia-smi answered → stopped after 3 s"
    );
    // A process that is known may hold what it wants.
    let known = compare(&before, &told(41 * GIB, Some(40 * GIB + GIB / 2)));
    assert_eq!(change(&known, path), &Change::Unchanged);
    // In a container nobody can tell.
    let untold = compare(&told(GIB / 2, None), &told(4 * GIB, None));
    assert_eq!(change(&untold, "host.gpus.0.used_bytes"), &Change::Changed);
    assert_eq!(untold.verdict, Verdict::Same);
    assert_eq!(
        untold.remarks[0].text(&words),
        "3.5\u{a0}GiB more GPU memory in use; by whom can’t be told here"
    );
    let half = compare(&before, &told(4 * GIB, None));
    assert_eq!(
        change(&half, path),
        &Change::NotComparable("incomparable-one-only")
    );
    assert_eq!(half.verdict, Verdict::Same);
}

#[test]
fn a_resume_and_a_sweep_are_compared_point_by_point() {
    use firstfault_schema::report::{Checkpoint, ResumeFinding};
    let mut before = report("application-passed");
    let application = before.application.as_mut().unwrap();
    let resume = application.resume.as_mut().unwrap();
    resume.finding = Some(ResumeFinding::Clean);
    resume.different = Some(0);
    resume.checkpoints = vec![Checkpoint {
        outlives_host: Some(true),
        opened_after_kill: Some(true),
        ..Checkpoint::default()
    }];
    let mut after = again(&before);
    let application = after.application.as_mut().unwrap();
    let resume = application.resume.as_mut().unwrap();
    resume.different = Some(3);
    resume.finding = Some(ResumeFinding::OutputsDiffer);
    resume.checkpoints[0].outlives_host = Some(false);
    let sweep = application.sweep.as_mut().unwrap();
    let axis = sweep.axis.clone();
    sweep.throughput_stops_at = Some(4.0);
    sweep.last_good = sweep.last_good.map(|good| good / 2.0);
    let step = sweep
        .steps
        .iter_mut()
        .find(|step| step.throughput.is_some() && step.peak_bytes.is_some())
        .unwrap();
    step.throughput = step.throughput.map(|speed| speed / 2.0);
    let value = step.value;
    let comparison = compare(&before, &after);
    for (path, wanted) in [
        ("application.resume.different".to_owned(), Change::Worse),
        ("application.resume.finding".to_owned(), Change::Changed),
        (
            "application.resume.checkpoints.0.outlives_host".to_owned(),
            Change::Worse,
        ),
        (format!("application.sweep.{axis}.last_good"), Change::Worse),
        (
            format!("application.sweep.{axis}.throughput_stops_at"),
            Change::Changed,
        ),
        (
            format!("application.sweep.{axis}.steps.{value}.throughput"),
            Change::Worse,
        ),
        (
            format!("application.sweep.{axis}.steps.{value}.peak_bytes"),
            Change::Unchanged,
        ),
    ] {
        assert_eq!(change(&comparison, &path), &wanted, "{path}");
        for language in Language::ALL {
            let name = field_name(&path, &Guidance::new(language));
            assert!(name.is_some(), "{path}");
        }
    }
}

#[test]
fn every_field_of_every_report_has_a_name_or_is_a_fact() {
    let folder = format!("{}/fixtures/valid", env!("CARGO_MANIFEST_DIR"));
    let words = Guidance::new(Language::English);
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for field in fields(&Report::from_json(&text).unwrap()) {
            assert!(field_name(&field.path, &words).is_some(), "{}", field.path);
        }
    }
}

#[test]
fn a_command_without_marks_is_compared_by_the_time_of_the_whole() {
    let mut before = report("application-ended");
    {
        let application = before.application.as_mut().unwrap();
        application.passes = None;
        let ending = application.ending.as_mut().unwrap();
        (ending.how, ending.exit_code, ending.wall_ms) = (EndingKind::Exited, Some(0), 800.0);
    }
    let mut after = before.clone();
    after.attempt.id = "0".repeat(32);
    let application = after.application.as_mut().unwrap();
    application.ending.as_mut().unwrap().wall_ms = 2300.0;
    assert_eq!(compare(&before, &after).verdict, Verdict::Worse);
    // One that failed early is no faster one.
    let application = after.application.as_mut().unwrap();
    application.ending.as_mut().unwrap().exit_code = Some(1);
    let comparison = compare(&before, &after);
    assert!(
        comparison
            .results()
            .all(|row| row.path != "application.ending.wall_ms"
                || matches!(row.change, Change::NotComparable(_)))
    );
}

#[test]
fn a_smaller_last_batch_is_the_same_work_and_another_batch_is_not() {
    let mut before = report("application-passed");
    let application = before.application.as_mut().unwrap();
    let mut last = application.tensors[0].clone();
    last.shape[0] -= 1;
    application.tensors.push(last);
    let mut after = again(&before);
    let passes = after.application.as_mut().unwrap().passes.as_mut().unwrap();
    passes.first_ms *= 10.0;
    passes.first_ms += 1000.0;
    assert_eq!(compare(&before, &after).verdict, Verdict::Worse);
    after.application.as_mut().unwrap().tensors[0].shape[0] *= 2;
    assert_ne!(compare(&before, &after).verdict, Verdict::Worse);
}

#[test]
fn a_mode_that_was_seen_with_another_command_is_no_second_change() {
    let before = report("application-passed");
    let mut after = again(&before);
    let application = after.application.as_mut().unwrap();
    application.model.as_mut().unwrap().mode = Some("training".to_owned());
    assert_eq!(compare(&before, &after).one_change.answer, Answer::Yes);
    application_command(&mut after);
    assert_eq!(compare(&before, &after).one_change.answer, Answer::Yes);
}

fn application_command(report: &mut Report) {
    let application = report.application.as_mut().unwrap();
    application.command.push("--train".to_owned());
}

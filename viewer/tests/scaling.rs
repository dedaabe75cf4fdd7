//! Stop and resume, operating range and noise floor: what a report holds is shown, in words of every language.

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::report::{
    EndingKind, ResumeFinding, Scalar, StopTrigger, SweepEnd, SweepStep,
};
use firstfault_schema::{Outcome, Report};
use firstfault_viewer::view_model::table::Table;
use firstfault_viewer::view_model::{Tone, evidence, noise, proofs, resume, sweep, verdict};

fn report(name: &str) -> Report {
    let path = format!(
        "{}/../schema/fixtures/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    Report::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn english() -> Guidance {
    Guidance::new(Language::English)
}

fn resumed(name: &str) -> resume::ResumeView {
    let application = report(name).application.unwrap();
    resume::resume(&application.resume.unwrap(), &english())
}

fn swept(name: &str) -> sweep::SweepView {
    let application = report(name).application.unwrap();
    sweep::sweep(&application.sweep.unwrap(), &english())
}

/// The texts of a row.
fn row(table: &Table, at: usize) -> Vec<&str> {
    table.rows[at]
        .iter()
        .map(|cell| cell.text.as_str())
        .collect()
}

fn fact<'a>(facts: &'a [firstfault_viewer::view_model::Fact], name: &str) -> Option<&'a str> {
    let found = facts.iter().find(|fact| fact.name == name);
    found.map(|fact| fact.value.as_str())
}

#[test]
fn every_name_of_the_format_has_a_text_in_every_language() {
    let mut wanted: Vec<String> = Vec::new();
    wanted.extend(ResumeFinding::ALL.map(|finding| word_id("resume-finding", finding.name())));
    wanted.extend(SweepEnd::ALL.map(|end| word_id("sweep-ended", end.name())));
    wanted.extend(
        ["stage", "pass", "outputs", "seconds", "checkpoint"].map(|at| word_id("trigger", at)),
    );
    wanted.extend(["jump", "drift", "offset"].map(|shape| word_id("loss-shape", shape)));
    wanted
        .extend(["device", "control_group", "machine"].map(|limit| word_id("memory-limit", limit)));
    wanted.extend(["passes", "command"].map(|of| word_id("throughput-of", of)));
    let endings = [
        EndingKind::Exited,
        EndingKind::Signalled,
        EndingKind::TimedOut,
        EndingKind::Interrupted,
        EndingKind::NotStarted,
        EndingKind::Lost,
    ];
    wanted.extend(endings.map(|ending| word_id("ending", ending.name())));
    for language in Language::ALL {
        let own: Vec<&str> = language.resources().map(|(_, source)| source).collect();
        for id in &wanted {
            let entry = format!("\n{id} = ");
            assert!(
                own.iter().any(|source| source.contains(&entry)),
                "{}: {id} is missing",
                language.tag()
            );
        }
    }
}

#[test]
fn the_headline_tells_the_operating_range_and_the_finding() {
    let told = |report: &Report| {
        let view = verdict(report, &english());
        (view.sentence, view.explanation.unwrap_or_default())
    };
    let ranged = report("valid/sweep-margin");
    let (sentence, beside) = told(&ranged);
    assert!(
        sentence.starts_with("Along batch, 384 is the last good step. 448 was refused"),
        "{sentence}"
    );
    assert!(beside.contains("gradient"), "{beside}");

    // A run without the check tells that, and not that the command ended by itself.
    let mut ended = report("valid/application-ended");
    ended.application.as_mut().unwrap().sweep = ranged.application.unwrap().sweep;
    let (sentence, beside) = told(&ended);
    assert!(sentence.contains("384 is the last good step"));
    assert_eq!(
        beside,
        "Interpreter, device and computation were not checked."
    );

    let (sentence, _) = told(&report("valid/resume-clean"));
    assert!(sentence.contains("nothing was lost"), "{sentence}");
    let (sentence, beside) = told(&report("valid/resume-training-diverged"));
    assert!(sentence.contains("loss jumps"), "{sentence}");
    assert!(beside.starts_with("After resuming, the loss differs"));
}

#[test]
fn a_clean_resume_shows_before_and_after() {
    let view = resumed("valid/resume-clean");
    assert_eq!(view.tone, Tone::Passed);
    assert!(view.sentence.contains("nothing was lost"));
    assert_eq!(row(&view.progress, 0), ["Outputs", "512", "224", "512"]);
    assert_eq!(row(&view.progress, 1), ["Passes", "16", "7", "9"]);
    assert_eq!(fact(&view.stop, "Stopped at"), Some("192 outputs"));
    assert_eq!(
        fact(&view.stop, "Time to stop"),
        Some("413\u{a0}ms of 10\u{a0}s")
    );
    assert_eq!(
        fact(&view.stop, "How it ended"),
        Some("by itself, exit code 0")
    );
    assert_eq!(view.counts.rows.len(), 5);
    assert!(
        view.counts
            .rows
            .iter()
            .all(|row| row[1].tone == Some(Tone::Passed))
    );
    assert_eq!(
        view.counts.rows[3][1].note.as_deref(),
        Some("tolerance 0.00001")
    );
    let checkpoints = view.checkpoints.unwrap();
    assert_eq!(
        row(&checkpoints, 0),
        ["1", "yes", "yes", "not tried", "760\u{a0}MiB × 2"]
    );
    assert_eq!(
        checkpoints.rows[0][4].note.as_deref(),
        Some("200\u{a0}GiB free")
    );
    let (proves, _) = proofs(&report("valid/resume-clean"), &english());
    assert!(proves.iter().any(|text| text.contains("goes on cleanly")));
}

#[test]
fn a_training_that_jumps_is_drawn_and_its_shape_is_a_hint() {
    let view = resumed("valid/resume-training-diverged");
    assert_eq!(view.tone, Tone::Failed);
    // A training writes no outputs: nothing is said about them.
    assert_eq!(view.counts.rows.len(), 0);
    assert_eq!(row(&view.progress, 0), ["Passes", "60", "30", "30"]);
    let training = view.training.unwrap();
    assert!(training.hint.unwrap().contains("optimiser"));
    assert_eq!(
        fact(&training.facts, "First step after resuming"),
        Some("31")
    );
    let loss = training.loss.unwrap();
    let lengths: Vec<usize> = loss.lines.iter().map(|line| line.points.len()).collect();
    assert_eq!(lengths, [60, 30]);
    let begin = loss.lines[1].points[0].unwrap();
    assert!((begin.0 - loss.moment.unwrap().0).abs() < 1e-9);
    // The first step after resuming stands far above the reference at the same place.
    assert!(begin.1 > loss.lines[0].points[30].unwrap().1 + 0.1);
}

#[test]
fn a_loss_that_is_not_finite_is_a_gap() {
    let mut application = report("valid/resume-training-diverged")
        .application
        .unwrap();
    let resume = application.resume.as_mut().unwrap();
    let training = resume.training.as_mut().unwrap();
    training.resumed[3].loss = None;
    let view = resume::resume(resume, &english());
    let loss = view.training.unwrap().loss.unwrap();
    assert_eq!(loss.lines[1].points[3], None);
    assert!(loss.lines[1].points[4].is_some());
    for point in &mut application
        .resume
        .as_mut()
        .unwrap()
        .training
        .as_mut()
        .unwrap()
        .reference
    {
        point.loss = None;
    }
    let resume = application.resume.unwrap();
    assert!(
        resume::resume(&resume, &english())
            .training
            .unwrap()
            .loss
            .is_some()
    );
}

#[test]
fn a_checkpoint_that_would_not_outlive_the_host_says_why() {
    let view = resumed("valid/resume-checkpoint-damaged");
    assert!(view.sentence.contains("could not be opened"));
    assert_eq!(fact(&view.stop, "Time to stop"), Some("9.4\u{a0}ms"));
    assert_eq!(
        fact(&view.stop, "Stopped at"),
        Some("the writing of a checkpoint")
    );
    let checkpoints = view.checkpoints.unwrap();
    let tones: Vec<_> = checkpoints.rows[0][1..]
        .iter()
        .map(|cell| cell.tone)
        .collect();
    // Not even the space suffices for all the copies that are kept.
    assert_eq!(tones, [Some(Tone::Failed); 4]);
    assert_eq!(checkpoints.rows[0][1].note.as_deref(), Some("tmpfs"));
    assert_eq!(
        checkpoints.rows[0][3].note.as_deref(),
        Some("killed while it was written")
    );
    assert_eq!(row(&checkpoints, 1)[4], "–");
}

#[test]
fn a_stop_of_a_kind_that_this_page_does_not_know_is_shown_as_it_is() {
    let mut found = report("valid/resume-clean")
        .application
        .unwrap()
        .resume
        .unwrap();
    found.stopped_at = Some(StopTrigger {
        at: "epoch".to_owned(),
        value: Some(Scalar::from(3_u64)),
    });
    let view = resume::resume(&found, &english());
    assert_eq!(fact(&view.stop, "Stopped at"), Some("epoch 3"));
    found.stopped_at = Some(StopTrigger {
        at: "seconds".to_owned(),
        value: serde_json::Number::from_f64(1.5).map(Scalar::Number),
    });
    let german = Guidance::new(Language::German);
    let view = resume::resume(&found, &german);
    assert_eq!(fact(&view.stop, "Angehalten bei"), Some("1,5 s"));
}

#[test]
fn a_sweep_tells_the_last_good_step_and_why_the_next_was_refused() {
    let view = swept("valid/sweep-margin");
    assert_eq!(
        view.summary,
        "Along batch, 384 is the last good step. 448 was refused before its start: it would not leave the demanded margin."
    );
    let [memory, throughput] = view.charts.as_slice() else {
        panic!("{:?}", view.charts)
    };
    assert_eq!(memory.levels.len(), 2);
    assert!(memory.levels[0].0 > memory.levels[1].0);
    assert_eq!(memory.points.len(), 7);
    let labels: Vec<_> = memory
        .points
        .iter()
        .filter_map(|point| point.label.as_deref())
        .collect();
    assert_eq!(labels, ["last good: 384", "first refused: 448"]);
    // The refused step stands above what must stay free.
    let refused = &memory.points[6];
    assert!(refused.tone == Tone::NotReached && refused.at.1 > memory.levels[1].0);
    assert!(throughput.moment.is_some());
    let ticks: Vec<_> = memory
        .across
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(ticks, ["32", "64", "128", "384"]);
    assert_eq!(view.steps.rows.len(), 7);
    assert_eq!(row(&view.steps, 4)[1], "refused");
    assert_eq!(fact(&view.facts, "Must stay free"), Some("10\u{a0}%"));
    assert_eq!(fact(&view.facts, "Planned, not tried"), Some("1024"));
}

#[test]
fn a_narrow_gap_tells_which_value_was_good() {
    let mut found = report("valid/sweep-out-of-memory")
        .application
        .and_then(|application| application.sweep)
        .unwrap();
    let step = found.steps[0].clone();
    found.steps = [8.0, 16.0, 32.0, 24.0, 20.0]
        .map(|value| SweepStep {
            value,
            outcome: if value > 20.0 {
                Outcome::Failed
            } else {
                Outcome::Passed
            },
            ..step.clone()
        })
        .to_vec();
    (found.last_good, found.first_bad) = (Some(20.0), Some(24.0));
    let view = sweep::sweep(&found, &english());
    let memory = &view.charts[0];
    let labels: Vec<_> = memory
        .points
        .iter()
        .filter_map(|point| Some((point.at.0, point.label.as_deref()?)))
        .collect();
    let [(bad, "first bad: 24"), (good, "last good: 20")] = labels[..] else {
        panic!("{labels:?}")
    };
    assert!(good < bad);
    // Not all steps have room for their texts; the good one has.
    let ticks: Vec<_> = memory
        .across
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(ticks, ["8", "20", "32"]);
}

#[test]
fn a_sweep_up_to_the_limit_tells_that_memory_ran_out() {
    let view = swept("valid/sweep-out-of-memory");
    assert!(
        view.summary.ends_with("16 was bad: memory ran out."),
        "{}",
        view.summary
    );
    assert_eq!(view.charts[0].levels.len(), 1);
    assert_eq!(view.charts[1].moment, None);
    assert_eq!(fact(&view.facts, "Steps from an earlier start"), Some("2"));
    assert!(
        fact(&view.facts, "Must stay free")
            .unwrap()
            .contains("allowed")
    );
    assert_eq!(view.steps.rows[4][1].tone, Some(Tone::Failed));
}

#[test]
fn a_sweep_without_any_measure_is_a_table() {
    let mut found = report("valid/sweep-margin")
        .application
        .unwrap()
        .sweep
        .unwrap();
    for step in &mut found.steps {
        (step.peak_bytes, step.predicted_bytes, step.throughput) = (None, None, None);
    }
    let view = sweep::sweep(&found, &english());
    assert_eq!((view.charts.len(), view.steps.rows.len()), (0, 7));
    found.steps.clear();
    (found.last_good, found.first_bad) = (None, None);
    let view = sweep::sweep(&found, &english());
    assert!(view.summary.starts_with("Along batch, no step was good."));
}

#[test]
fn reports_of_older_writers_are_shown_without_what_they_did_not_know() {
    let view = resumed("older/resume-failed");
    assert_eq!(
        (view.tone, view.checkpoints, view.training),
        (Tone::Failed, None, None)
    );
    assert_eq!(row(&view.progress, 0)[1], "–");
    assert_eq!(row(&view.counts, 3)[1], "not compared");
    let view = swept("older/application-passed-batch-64");
    assert_eq!(view.facts, []);
    assert!(view.summary.contains("is the last good step"));
    assert_eq!(view.charts[0].levels, []);
    // Nobody recorded passes: there are no columns for them.
    assert_eq!(view.steps.heads.len(), 5);
}

#[test]
fn the_spread_of_each_measure_is_shown_with_its_unit() {
    let found = report("valid/noise-baseline");
    let view = noise::noise(found.noise.as_ref().unwrap(), &found, &english());
    assert_eq!(
        view.sentence,
        "The same attempt, made 5 times; 5 of them passed."
    );
    assert_eq!(
        row(&view.measures, 0),
        [
            "import",
            "1.26\u{a0}s",
            "1.28\u{a0}s",
            "1.41\u{a0}s",
            "11\u{a0}%"
        ]
    );
    let mut odd = found.noise.clone().unwrap();
    odd.measures[0].field = "a.field.of.tomorrow".to_owned();
    (
        odd.measures[0].min,
        odd.measures[0].median,
        odd.measures[0].max,
    ) = (0.0, 0.0, 1.0);
    let view = noise::noise(&odd, &found, &english());
    assert_eq!(
        row(&view.measures, 0),
        ["a.field.of.tomorrow", "0", "0", "1", "–"]
    );
}

#[test]
fn the_identity_of_a_card_is_shown_short() {
    let groups = evidence(&report("valid/noise-baseline"), &english());
    let shown: Vec<_> = groups.iter().flat_map(|group| &group.facts).collect();
    let card = shown
        .iter()
        .find(|fact| fact.name == "Card (salted hash)")
        .unwrap();
    assert_eq!(card.value.len(), 8);
    let host = shown
        .iter()
        .find(|fact| fact.name == "GPU of the host")
        .unwrap();
    assert!(host.value.contains("0\u{a0}B by processes"));
}

//! The proof of stop and resume: what was there before and after, how the loss went on, what outlives the host.

use firstfault_schema::Outcome;
use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{
    Checkpoint, CommandEnding, LossPoint, Resume, ResumedTraining, Scalar, StopTrigger,
};

use super::chart::{Chart, Line, Scale};
use super::table::{Cell, Table};
use super::{Fact, Tone, amount, named, size, truth};
use crate::format;

/// The proof, as the page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeView {
    /// Colour and icon of the finding.
    pub tone: Tone,
    /// The finding in one sentence.
    pub sentence: String,
    /// How it was stopped, and how that went.
    pub stop: Vec<Fact>,
    /// Outputs and passes: of the reference, at the stop, after resuming.
    pub progress: Table,
    /// What was lost, repeated or changed.
    pub counts: Table,
    /// The training that went on, where there was one.
    pub training: Option<TrainingView>,
    /// The checkpoints; none where the contract names none.
    pub checkpoints: Option<Table>,
}

/// How a training went on.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingView {
    /// Steps and differences.
    pub facts: Vec<Fact>,
    /// The loss of the reference and of the resumed training.
    pub loss: Option<Chart>,
    /// What the shape of the difference hints at.
    pub hint: Option<String>,
}

/// The finding and how it counts.
pub(super) fn finding(resume: &Resume, words: &Guidance) -> (Outcome, String) {
    let broken = resume.lost + resume.repeated + resume.changed > 0;
    match resume.finding {
        Some(finding) => (
            finding.outcome(),
            words.text(&word_id("resume-finding", finding.name())),
        ),
        // An older writer counted and told no finding.
        None if broken => (Outcome::Failed, words.text("resume-unclean")),
        None => (Outcome::Passed, words.text("resume-finding-clean")),
    }
}

/// The proof.
pub fn resume(resume: &Resume, words: &Guidance) -> ResumeView {
    let (outcome, sentence) = finding(resume, words);
    ResumeView {
        tone: outcome.into(),
        sentence,
        stop: stop(resume, words),
        progress: progress(resume, words),
        counts: counts(resume, words),
        training: resume.training.as_ref().map(|found| training(found, words)),
        checkpoints: checkpoints(&resume.checkpoints, words),
    }
}

fn stop(resume: &Resume, words: &Guidance) -> Vec<Fact> {
    let time = |value: f64| format::milliseconds(value, words.language());
    let mut facts = Vec::new();
    let mut put = |id: &str, value: Option<String>| {
        facts.extend(value.map(|value| Fact {
            name: words.text(id),
            value,
            machine: false,
        }));
    };
    put("resume-signal", Some(resume.signal.clone()));
    put(
        "resume-stopped-at",
        resume.stopped_at.as_ref().map(|at| trigger(at, words)),
    );
    put(
        "resume-stop",
        Some(match resume.grace_ms {
            Some(grace) => words.text_with(
                "time-of",
                &[
                    ("time", time(resume.stop_ms).into()),
                    ("limit", time(grace).into()),
                ],
            ),
            None => time(resume.stop_ms),
        }),
    );
    put(
        "resume-ending",
        resume.ending.as_ref().map(|end| ending(end, words)),
    );
    facts
}

/// What the stop waited for.
fn trigger(at: &StopTrigger, words: &Guidance) -> String {
    let value = match &at.value {
        None => String::new(),
        Some(Scalar::Number(number)) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| figure(number, words)),
        Some(value) => value.to_string(),
    };
    words
        .find(
            &word_id("trigger", &at.at),
            &[("value", value.clone().into())],
        )
        .unwrap_or_else(|| format!("{} {value}", at.at))
}

fn ending(ending: &CommandEnding, words: &Guidance) -> String {
    let code = ending.exit_code.map(|code| code.to_string());
    let detail = ending.signal.clone().or(code).unwrap_or_default();
    words.text_with(
        &word_id("ending", ending.how.name()),
        &[("detail", detail.into())],
    )
}

fn progress(resume: &Resume, words: &Guidance) -> Table {
    let count = |value: Option<u64>| {
        Cell::new(value.map_or_else(|| words.text("value-missing"), |value| amount(value, words)))
    };
    let row = |id: &str, cells: [Option<u64>; 3]| {
        let mut row = vec![Cell::new(words.text(id))];
        row.extend(cells.map(count));
        row
    };
    let mut rows = Vec::new();
    if resume.outputs_reference.is_some() || resume.outputs_before + resume.outputs_after > 0 {
        rows.push(row(
            "resume-outputs",
            [
                resume.outputs_reference,
                Some(resume.outputs_before),
                Some(resume.outputs_after),
            ],
        ));
    }
    let passes = [
        resume.passes_reference,
        resume.passes_before,
        resume.passes_after,
    ];
    if passes.iter().any(Option::is_some) {
        rows.push(row("resume-passes", passes));
    }
    Table {
        heads: heads(
            &[
                "resume-what",
                "resume-reference",
                "resume-before",
                "resume-after",
            ],
            words,
        ),
        rows,
    }
}

fn heads(ids: &[&str], words: &Guidance) -> Vec<String> {
    ids.iter().map(|id| words.text(id)).collect()
}

fn counts(resume: &Resume, words: &Guidance) -> Table {
    let compared = resume.outputs_reference.is_none_or(|outputs| outputs > 0)
        && resume.outputs_before + resume.outputs_after > 0;
    let found = [
        ("lost", Some(resume.lost)),
        ("repeated", Some(resume.repeated)),
        ("changed", Some(resume.changed)),
        ("different", resume.different),
        ("unknown", resume.unknown),
    ];
    let rows = found.into_iter().map(|(name, count)| {
        let tone = match count {
            Some(0) => Tone::Passed,
            Some(_) => Tone::Failed,
            None => Tone::NotReached,
        };
        let text = count.map_or_else(
            || words.text("resume-not-compared"),
            |count| amount(count, words),
        );
        let note = if name == "different" {
            resume.tolerance.map(|tolerance| {
                let value = format::number(tolerance, 9, words.language());
                words.text_with("resume-tolerance", &[("value", value.into())])
            })
        } else {
            None
        };
        vec![
            Cell::new(words.text(&word_id("resume", name)))
                .note(words.text(&word_id("resume-meaning", name))),
            Cell::new(text).tone(tone).note(note),
        ]
    });
    let mut rows: Vec<Vec<Cell>> = if compared { rows.collect() } else { Vec::new() };
    if !resume.examples.is_empty() {
        let mut row = vec![Cell::new(words.text("resume-examples"))];
        row.push(Cell::machine(resume.examples.join(", ")));
        rows.push(row);
    }
    Table {
        heads: heads(&["resume-what", "contract-found"], words),
        rows,
    }
}

fn training(training: &ResumedTraining, words: &Guidance) -> TrainingView {
    let mut facts = Vec::new();
    let mut put = |id: &str, value: String| {
        facts.push(Fact {
            name: words.text(id),
            value,
            machine: false,
        });
    };
    let steps =
        [training.steps_reference, training.steps_resumed].map(|steps| amount(steps, words));
    put("loss-steps", steps.join(" · "));
    if let Some(step) = training.resumed_at {
        put("loss-resumed-at", figure(step, words));
    }
    put("loss-differing", amount(training.differing, words));
    if let Some(difference) = training.largest_difference {
        put("loss-largest", figure(difference, words));
    }
    if let Some(first) = training.first_step_differs {
        put("loss-first-differs", truth(Some(first), words));
    }
    TrainingView {
        facts,
        loss: loss(training, words),
        hint: training
            .shape
            .as_ref()
            .map(|shape| named("loss-shape", shape, words)),
    }
}

fn figure(value: f64, words: &Guidance) -> String {
    format::number(value, 4, words.language())
}

fn loss(training: &ResumedTraining, words: &Guidance) -> Option<Chart> {
    let all = || training.reference.iter().chain(&training.resumed);
    let steps: Vec<f64> = all().map(|point| point.step).collect();
    let losses: Vec<f64> = all().filter_map(|point| point.loss).collect();
    let low = losses.iter().copied().reduce(f64::min)?;
    let high = losses.iter().copied().reduce(f64::max)?;
    let first = steps.iter().copied().reduce(f64::min)?;
    let last = steps.iter().copied().reduce(f64::max)?;
    let air = ((high - low) * 0.08).max(f64::MIN_POSITIVE);
    let (across, up) = (
        Scale::new(first, last.max(first + 1.0)),
        Scale::new(low - air, high + air),
    );
    let line = |id: &str, dashed: bool, points: &[LossPoint]| Line {
        name: words.text(id),
        dashed,
        points: points
            .iter()
            .map(|point| Some((across.at(point.step), up.at(point.loss?))))
            .collect(),
    };
    let ticks = |scale: Scale, count: f64| -> Vec<(f64, String)> {
        let ticks = scale.round(1.0, count).into_iter();
        ticks
            .map(|tick| (scale.at(tick), figure(tick, words)))
            .collect()
    };
    Some(Chart {
        title: words.text("loss-chart"),
        height: 220.0,
        across: ticks(across, 6.0),
        up: ticks(up, 4.0),
        lines: vec![
            line("loss-reference", true, &training.reference),
            line("loss-resumed", false, &training.resumed),
        ],
        levels: Vec::new(),
        moment: training
            .resumed_at
            .map(|step| (across.at(step), words.text("loss-moment"))),
        points: Vec::new(),
    })
}

/// What would be lost with the process or the host.
fn checkpoints(checkpoints: &[Checkpoint], words: &Guidance) -> Option<Table> {
    let said = |value: Option<bool>, unknown: &str| {
        let tone = match value {
            Some(true) => Tone::Passed,
            Some(false) => Tone::Failed,
            None => Tone::NotReached,
        };
        let text = match value {
            Some(_) => truth(value, words),
            None => words.text(unknown),
        };
        Cell::new(text).tone(tone)
    };
    let rows = checkpoints.iter().map(|checkpoint| {
        let space = |id: &str, bytes: Option<u64>| {
            let size = bytes.map(|bytes| size(bytes, words));
            let copies = amount(checkpoint.kept_copies, words);
            size.map(|size| {
                words.text_with(id, &[("size", size.into()), ("copies", copies.into())])
            })
        };
        let fits = checkpoint.bytes.and_then(|bytes| {
            Some(bytes.saturating_mul(checkpoint.kept_copies) <= checkpoint.free_bytes?)
        });
        let kill = match checkpoint.killed_while_writing {
            Some(true) => Some(words.text("checkpoint-while-writing")),
            _ => None,
        };
        let outlives = checkpoint.outlives_host;
        vec![
            Cell::new((checkpoint.index + 1).to_string()),
            said(outlives, "contract-word-not-told").note(checkpoint.file_system.clone()),
            said(checkpoint.replaced_at_once, "contract-word-not-told"),
            said(checkpoint.opened_after_kill, "checkpoint-not-tried").note(kill),
            match space("checkpoint-size", checkpoint.bytes) {
                Some(size) => Cell::new(size)
                    .tone(fits.map(|fits| if fits { Tone::Passed } else { Tone::Failed }))
                    .note(space("checkpoint-free", checkpoint.free_bytes)),
                None => Cell::new(words.text("value-missing")),
            },
        ]
    });
    (!checkpoints.is_empty()).then(|| Table {
        heads: heads(
            &[
                "checkpoint",
                "checkpoint-outlives",
                "checkpoint-at-once",
                "checkpoint-opened",
                "checkpoint-space",
            ],
            words,
        ),
        rows: rows.collect(),
    })
}

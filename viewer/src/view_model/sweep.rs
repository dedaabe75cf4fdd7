//! The operating range along one axis: memory and throughput over it, and every step.

use firstfault_schema::Outcome;
use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{MemoryLimit, Sweep, SweepStep, ThroughputOf};

use super::chart::{Chart, Line, Point, Scale, byte_unit};
use super::table::{Cell, Table};
use super::{Fact, Tone, amount, named, size};
use crate::format;
use crate::order::ordered;

/// The operating range, as the page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepView {
    /// What was found, in sentences.
    pub summary: String,
    /// Memory over the axis, then throughput over it, where they were measured.
    pub charts: Vec<Chart>,
    /// Limit, margin, time and what was not tried.
    pub facts: Vec<Fact>,
    /// Every step, in the order in which they were tried.
    pub steps: Table,
}

/// The operating range.
pub fn sweep(sweep: &Sweep, words: &Guidance) -> SweepView {
    let values: Vec<f64> = sweep.steps.iter().map(|step| step.value).collect();
    let across = Scale::of(&values);
    SweepView {
        summary: summary(sweep, words),
        charts: [
            memory(sweep, across, &values, words),
            throughput(sweep, across, &values, words),
        ]
        .into_iter()
        .flatten()
        .collect(),
        facts: facts(sweep, words),
        steps: steps(sweep, words),
    }
}

fn figure(value: f64, words: &Guidance) -> String {
    format::number(value, 4, words.language())
}

/// Why a step was no good, or the sweep ended.
fn why(name: &str, words: &Guidance) -> String {
    named("sweep-ended", name, words)
}

/// What was found, in sentences.
pub(super) fn summary(sweep: &Sweep, words: &Guidance) -> String {
    let axis = || sweep.axis.clone().into();
    let mut sentences = vec![match sweep.last_good {
        Some(good) => words.text_with(
            "sweep-good",
            &[("axis", axis()), ("value", figure(good, words).into())],
        ),
        None => words.text_with("sweep-none-good", &[("axis", axis())]),
    }];
    let bad = sweep.first_bad.and_then(|bad| {
        let step = sweep.steps.iter().rev().find(|step| step.value == bad)?;
        Some((bad, step))
    });
    let mut told = None;
    if let Some((bad, step)) = bad {
        told = step.why.as_ref().or(sweep.ended_by.as_ref());
        let id = if refused(step) {
            "sweep-refused"
        } else {
            "sweep-bad"
        };
        let reason = told.map_or_else(
            || words.text(&word_id("outcome", step.outcome.name())),
            |name| why(name, words),
        );
        sentences.push(words.text_with(
            id,
            &[("value", figure(bad, words).into()), ("why", reason.into())],
        ));
    }
    if let Some(ended) = sweep.ended_by.as_ref().filter(|ended| told != Some(ended)) {
        sentences.push(words.text_with("sweep-ended", &[("why", why(ended, words).into())]));
    }
    sentences.join(" ")
}

/// A step that was never started.
fn refused(step: &SweepStep) -> bool {
    step.outcome == Outcome::NotReached
}

fn tone(step: &SweepStep) -> Tone {
    step.outcome.into()
}

/// Ticks of the axis: the steps themselves. Where not all have room, the two ends of the gap come first.
fn ticks(sweep: &Sweep, across: Scale, values: &[f64], words: &Guidance) -> Vec<(f64, String)> {
    let ends = [sweep.last_good, sweep.first_bad].into_iter().flatten();
    let wanted: Vec<f64> = ends.chain(values.iter().copied()).collect();
    let shown = ordered(across.apart(&wanted), &f64::total_cmp);
    shown
        .into_iter()
        .map(|value| (across.at(value), figure(value, words)))
        .collect()
}

/// The points of a line in the order of the axis.
fn line(
    sweep: &Sweep,
    across: Scale,
    up: Scale,
    of: &dyn Fn(&SweepStep) -> Option<f64>,
) -> Vec<Option<(f64, f64)>> {
    let points: Vec<(f64, f64)> = sweep
        .steps
        .iter()
        .filter_map(|step| Some((across.at(step.value), up.at(of(step)?))))
        .collect();
    let points = ordered(points, &|left, right| left.0.total_cmp(&right.0));
    points.into_iter().map(Some).collect()
}

#[allow(clippy::cast_precision_loss, reason = "drawn")]
fn drawn(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|bytes| bytes as f64)
}

fn memory(sweep: &Sweep, across: Scale, values: &[f64], words: &Guidance) -> Option<Chart> {
    let language = words.language();
    let measured = |step: &SweepStep| drawn(step.peak_bytes);
    let predicted = |step: &SweepStep| drawn(step.predicted_bytes);
    let limit = drawn(sweep.limit_bytes);
    let high = sweep
        .steps
        .iter()
        .flat_map(|step| [measured(step), predicted(step)])
        .flatten()
        .reduce(f64::max)?
        .max(limit.unwrap_or(0.0))
        * 1.08;
    let up = Scale::new(0.0, high);
    let mut levels = Vec::new();
    if let Some(limit) = limit {
        let level = |id: &str, bytes: f64| {
            let text = words.text_with(id, &[("size", format::bytes(bytes, language).into())]);
            (up.at(bytes), text)
        };
        levels.push(level("sweep-limit", limit));
        levels.extend(
            sweep
                .margin
                .map(|margin| level("sweep-limit-left", limit * (1.0 - margin))),
        );
    }
    let points = sweep.steps.iter().filter_map(|step| {
        let bytes = measured(step).or_else(|| predicted(step))?;
        let label = if Some(step.value) == sweep.last_good {
            Some("sweep-last-good")
        } else if Some(step.value) != sweep.first_bad {
            None
        } else if refused(step) {
            Some("sweep-first-refused")
        } else {
            Some("sweep-first-bad")
        };
        Some(Point {
            at: (across.at(step.value), up.at(bytes)),
            tone: tone(step),
            title: format!(
                "{} {}: {}",
                sweep.axis,
                figure(step.value, words),
                format::bytes(bytes, language)
            ),
            // The gap may be narrower than the names of its ends: each tells its value too.
            label: label
                .map(|id| words.text_with(id, &[("value", figure(step.value, words).into())])),
        })
    });
    let drawn_line = |id: &str, dashed: bool, of: &dyn Fn(&SweepStep) -> Option<f64>| Line {
        name: words.text(id),
        dashed,
        points: line(sweep, across, up, of),
    };
    Some(Chart {
        title: over("sweep-peak", sweep, words),
        height: 240.0,
        across: ticks(sweep, across, values, words),
        up: up
            .round(byte_unit(high), 4.0)
            .into_iter()
            .map(|tick| (up.at(tick), format::bytes(tick, language)))
            .collect(),
        lines: vec![
            drawn_line("sweep-measured", false, &measured),
            drawn_line("sweep-predicted", true, &predicted),
        ],
        levels,
        moment: None,
        points: points.collect(),
    })
}

fn over(id: &str, sweep: &Sweep, words: &Guidance) -> String {
    let what = words.text(id).into();
    words.text_with(
        "chart-over",
        &[("what", what), ("axis", sweep.axis.clone().into())],
    )
}

fn throughput(sweep: &Sweep, across: Scale, values: &[f64], words: &Guidance) -> Option<Chart> {
    let rate = |step: &SweepStep| step.throughput;
    let high = sweep.steps.iter().filter_map(rate).reduce(f64::max)? * 1.15;
    let up = Scale::new(0.0, high);
    let points = sweep.steps.iter().filter_map(|step| {
        let found = rate(step)?;
        Some(Point {
            at: (across.at(step.value), up.at(found)),
            tone: tone(step),
            title: format!(
                "{} {}: {}",
                sweep.axis,
                figure(step.value, words),
                per_second(found, words)
            ),
            label: None,
        })
    });
    Some(Chart {
        title: over("sweep-throughput", sweep, words),
        height: 120.0,
        across: ticks(sweep, across, values, words),
        up: up
            .round(1.0, 2.0)
            .into_iter()
            .map(|tick| (up.at(tick), per_second(tick, words)))
            .collect(),
        lines: vec![Line {
            name: String::new(),
            dashed: false,
            points: line(sweep, across, up, &rate),
        }],
        levels: Vec::new(),
        moment: sweep
            .throughput_stops_at
            .map(|value| (across.at(value), words.text("sweep-stops"))),
        points: points.collect(),
    })
}

fn throughput_of(of: ThroughputOf, words: &Guidance) -> String {
    words.text(match of {
        ThroughputOf::Passes => "throughput-of-passes",
        ThroughputOf::Command => "throughput-of-command",
    })
}

/// What every throughput is measured over, where that is one and the same.
fn same_throughput(sweep: &Sweep) -> Option<ThroughputOf> {
    let mut all = sweep.steps.iter().filter_map(|step| step.throughput_of);
    let first = all.next()?;
    all.all(|of| of == first).then_some(first)
}

fn per_second(rate: f64, words: &Guidance) -> String {
    let decimals = if rate < 10.0 { 2 } else { 1 };
    format!("{}/s", format::number(rate, decimals, words.language()))
}

fn facts(sweep: &Sweep, words: &Guidance) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut put = |id: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.push(Fact {
                name: words.text(id),
                value,
                machine: false,
            });
        }
    };
    put(
        "field-limit",
        sweep.limit_bytes.map(|bytes| {
            let size = size(bytes, words);
            let of = sweep.limit.map(|limit| match limit {
                MemoryLimit::Device => "memory-limit-device",
                MemoryLimit::ControlGroup => "memory-limit-control-group",
                MemoryLimit::Machine => "memory-limit-machine",
            });
            of.map_or_else(|| size.clone(), |of| format!("{size} · {}", words.text(of)))
        }),
    );
    put(
        "field-margin",
        match (sweep.margin, &sweep.limit) {
            (Some(margin), _) => Some(format::share(margin, words.language())),
            (None, Some(_)) => Some(words.text("sweep-no-margin")),
            (None, None) => None,
        },
    );
    put(
        "field-throughput-of",
        same_throughput(sweep).map(|of| throughput_of(of, words)),
    );
    put(
        "field-throughput-stops",
        sweep
            .throughput_stops_at
            .map(|value| format!("{} {}", sweep.axis, figure(value, words))),
    );
    let list: Vec<String> = sweep
        .not_tried
        .iter()
        .map(|value| figure(*value, words))
        .collect();
    put(
        "field-not-tried",
        (!list.is_empty()).then(|| list.join(" · ")),
    );
    put(
        "field-spent",
        sweep.spent_ms.map(|spent| {
            let spent = format::milliseconds(spent, words.language());
            match sweep.budget_ms {
                Some(budget) => words.text_with(
                    "time-of",
                    &[
                        ("time", spent.into()),
                        (
                            "limit",
                            format::milliseconds(budget, words.language()).into(),
                        ),
                    ],
                ),
                None => spent,
            }
        }),
    );
    if sweep.continued > 0 {
        put(
            "field-continued",
            Some(amount(sweep.continued.into(), words)),
        );
    }
    facts
}

fn steps(sweep: &Sweep, words: &Guidance) -> Table {
    let missing = || words.text("value-missing");
    let bytes = |bytes: Option<u64>| bytes.map_or_else(missing, |bytes| size(bytes, words));
    let time = |value: Option<f64>| {
        value.map_or_else(missing, |value| {
            format::milliseconds(value, words.language())
        })
    };
    let same = same_throughput(sweep);
    let rows = sweep.steps.iter().map(|step| {
        let outcome = if refused(step) {
            words.text("sweep-step-refused")
        } else {
            words.text(&word_id("outcome", step.outcome.name()))
        };
        let of = step.throughput_of.filter(|_| same.is_none());
        vec![
            Cell::new(figure(step.value, words)),
            Cell::new(outcome)
                .tone(tone(step))
                .note(step.why.as_ref().map(|name| why(name, words))),
            Cell::new(bytes(step.peak_bytes)),
            Cell::new(bytes(step.predicted_bytes)),
            Cell::new(
                step.throughput
                    .map_or_else(missing, |rate| per_second(rate, words)),
            )
            .note(of.map(|of| throughput_of(of, words))),
            Cell::new(time(step.first_pass_ms)),
            Cell::new(time(step.following_pass_ms)),
        ]
    });
    Table {
        heads: [
            "decision-outcome",
            "sweep-peak",
            "sweep-predicted",
            "sweep-throughput",
            "field-pass-first",
            "sweep-following",
        ]
        .into_iter()
        .fold(vec![sweep.axis.clone()], |mut heads, id| {
            heads.push(words.text(id));
            heads
        }),
        rows: rows.collect(),
    }
    .without_empty_columns()
}

//! The application dossier, turned into what the page shows.

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Application, Memory, Scalar};

use super::{Fact, Tone, fault_title};
use crate::format;

/// One point of the contract.
#[derive(Clone, Debug, PartialEq)]
pub struct PointView {
    /// Its name for people, where it has one.
    pub name: Option<String>,
    /// Its identifier.
    pub id: String,
    /// Its colour and icon.
    pub tone: Tone,
    /// Its outcome.
    pub outcome: String,
    /// What the contract demands.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Identifiers of items that break it.
    pub examples: Vec<String>,
}

/// A bar on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The stage's own name.
    pub name: String,
    /// Which repetition.
    pub pass: u32,
    /// Begin in ms.
    pub began_ms: f64,
    /// End in ms: the end of the axis for a stage that never ended.
    pub ended_ms: f64,
    /// Whether it ended.
    pub ended: bool,
    /// Begin and duration in words.
    pub title: String,
}

/// A point of the memory curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryPoint {
    /// When, in ms.
    pub at_ms: f64,
    /// What tensors hold, or the resident memory where there is no GPU.
    pub allocated: f64,
    /// What the allocator holds.
    pub reserved: Option<f64>,
}

/// Stages on a time axis with memory above it.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineView {
    /// The end of the axis in ms.
    pub end_ms: f64,
    /// The bars, one line for each name.
    pub lines: Vec<(String, Vec<Bar>)>,
    /// Memory at the ends of the stages, in order.
    pub memory: Vec<MemoryPoint>,
    /// Whether the memory is that of a GPU.
    pub gpu_memory: bool,
}

/// Facts about the run, in words.
pub fn facts(application: &Application, words: &Guidance) -> Vec<Fact> {
    let language = words.language();
    let mut facts = Vec::new();
    let mut put = |id: &str, value: Option<String>, machine: bool| {
        if let Some(value) = value {
            facts.push(Fact {
                name: words.text(id),
                value,
                machine,
            });
        }
    };
    #[allow(clippy::cast_precision_loss, reason = "shown as a whole number")]
    let count = |value: u64| format::number(value as f64, 0, language);
    put("field-command", Some(application.command.join(" ")), true);
    if let Some(fault) = &application.first_fault {
        let title = fault_title(fault, words);
        put(
            "field-first-fault",
            Some(title.unwrap_or_else(|| words.text(&word_id("layer", fault.layer.name())))),
            false,
        );
        put("field-message", fault.message.clone(), true);
    }
    put(
        "field-last-stage",
        application.last_completed_stage.clone(),
        true,
    );
    if let Some(input) = &application.input {
        put("field-input-count", input.count.map(count), false);
        put("field-input-longest", input.longest.map(count), false);
        put(
            "field-input-digest",
            input
                .digest
                .as_ref()
                .map(|digest| digest.chars().take(16).collect()),
            true,
        );
    }
    if let Some(model) = &application.model {
        put("field-model-parameters", model.parameters.map(count), false);
        put(
            "field-model-dtypes",
            (!model.dtypes.is_empty()).then(|| model.dtypes.join(", ")),
            true,
        );
        put(
            "field-model-devices",
            (!model.devices.is_empty()).then(|| model.devices.join(", ")),
            true,
        );
        put(
            "field-model-mode",
            model.mode.as_ref().map(|mode| {
                words
                    .find(&word_id("mode", mode), &[])
                    .unwrap_or_else(|| mode.clone())
            }),
            false,
        );
    }
    if let Some(passes) = &application.passes {
        put(
            "field-pass-first",
            Some(format::milliseconds(passes.first_ms, language)),
            false,
        );
        if let Some(following) = &passes.following {
            let time = |value: f64| format::milliseconds(value, language);
            let text = words.text_with(
                "passes-following",
                &[
                    ("count", count(following.count).into()),
                    ("median", time(following.median).into()),
                    ("min", time(following.min).into()),
                    ("p95", time(following.p95).into()),
                    ("max", time(following.max).into()),
                ],
            );
            put("field-pass-following", Some(text), false);
        }
    }
    if let Some(memory) = &application.memory {
        put(
            "field-memory-peak",
            Some(memory_text(&memory.peak, words)),
            false,
        );
        put(
            "field-memory-phase",
            memory.phase.as_ref().map(|phase| {
                words
                    .find(&word_id("phase", phase), &[])
                    .unwrap_or_else(|| phase.clone())
            }),
            false,
        );
    }
    facts
}

#[allow(clippy::cast_precision_loss, reason = "shown with three figures")]
fn memory_text(memory: &Memory, words: &Guidance) -> String {
    let parts = [
        (
            "memory-allocated",
            memory.peak_allocated_bytes.or(memory.allocated_bytes),
        ),
        ("memory-reserved", memory.reserved_bytes),
        ("memory-resident", memory.resident_bytes),
    ];
    let parts = parts.into_iter().filter_map(|(id, value)| {
        Some(words.text_with(
            id,
            &[(
                "size",
                format::bytes(value? as f64, words.language()).into(),
            )],
        ))
    });
    parts.collect::<Vec<_>>().join(" · ")
}

/// The contract, point by point.
pub fn contract(application: &Application, words: &Guidance) -> Vec<PointView> {
    let scalar = |value: &Option<Scalar>| match value {
        None => words.text("value-missing"),
        Some(Scalar::Number(number)) => number.as_f64().map_or_else(
            || number.to_string(),
            |value| format::number(value, 6, words.language()),
        ),
        Some(Scalar::Bool(value)) => super::truth(Some(*value), words),
        Some(Scalar::Text(text)) => words.contract_value(text),
    };
    let points = application.outputs.iter().map(|point| {
        let mut found = scalar(&point.found);
        if let Some(broken) = point.broken.filter(|broken| *broken > 0) {
            #[allow(clippy::cast_precision_loss, reason = "a number of items")]
            let broken = words.text_with("contract-broken", &[("count", (broken as f64).into())]);
            found = format!("{found} · {broken}");
        }
        PointView {
            name: words.contract_point(&point.point),
            id: point.point.clone(),
            tone: point.outcome.into(),
            outcome: words.text(&word_id("outcome", point.outcome.name())),
            expected: scalar(&point.expected),
            found,
            examples: point.examples.clone(),
        }
    });
    points.collect()
}

/// Stages on their time axis; none without stages.
pub fn timeline(application: &Application, words: &Guidance) -> Option<TimelineView> {
    let stages = &application.stages;
    let last = stages
        .iter()
        .map(|stage| stage.ended_ms.unwrap_or(stage.began_ms))
        .reduce(f64::max)?;
    let unended = stages.iter().any(|stage| stage.ended_ms.is_none());
    // A stage that never ended is drawn open at the right, so the axis goes on a little.
    let end_ms = if unended {
        last * 1.08 + 1.0
    } else {
        last.max(1.0)
    };
    let language = words.language();
    let mut lines: Vec<(String, Vec<Bar>)> = Vec::new();
    let mut memory: Vec<MemoryPoint> = Vec::new();
    let mut gpu_memory = false;
    #[allow(clippy::cast_precision_loss, reason = "drawn")]
    let mut point = |at_ms: f64, found: &Option<Memory>| {
        let Some(found) = found else { return };
        gpu_memory |= found.allocated_bytes.is_some();
        if let Some(allocated) = found.allocated_bytes.or(found.resident_bytes) {
            memory.push(MemoryPoint {
                at_ms,
                allocated: allocated as f64,
                reserved: found.reserved_bytes.map(|bytes| bytes as f64),
            });
        }
    };
    for stage in stages {
        point(stage.began_ms, &stage.memory_before);
        if let Some(ended) = stage.ended_ms {
            point(ended, &stage.memory_after);
        }
        let duration = match stage.ended_ms {
            Some(ended) => format::milliseconds(ended - stage.began_ms, language),
            None => words.text("stage-never-ended"),
        };
        let bar = Bar {
            name: stage.name.clone(),
            pass: stage.pass,
            began_ms: stage.began_ms,
            ended_ms: stage.ended_ms.unwrap_or(end_ms),
            ended: stage.ended_ms.is_some(),
            title: words.text_with(
                "stage-bar",
                &[
                    ("name", stage.name.clone().into()),
                    ("pass", stage.pass.to_string().into()),
                    (
                        "began",
                        format::milliseconds(stage.began_ms, language).into(),
                    ),
                    ("duration", duration.into()),
                ],
            ),
        };
        match lines.iter_mut().find(|(name, _)| *name == stage.name) {
            Some((_, bars)) => bars.push(bar),
            None => lines.push((stage.name.clone(), vec![bar])),
        }
    }
    memory.sort_by(|left, right| left.at_ms.total_cmp(&right.at_ms));
    Some(TimelineView {
        end_ms,
        lines,
        memory,
        gpu_memory,
    })
}

/// About `count` round values that divide `0..=end`.
pub fn ticks(end: f64, count: f64) -> Vec<f64> {
    if !(end.is_finite() && end > 0.0) {
        return Vec::new();
    }
    let rough = end / count;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough);
    let step = step.unwrap_or(power * 10.0);
    let mut ticks = Vec::new();
    let mut at = 0.0;
    while at <= end * 1.000_001 && ticks.len() < 32 {
        ticks.push(at);
        at += step;
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_axis() {
        assert_eq!(ticks(950.0, 5.0), [0.0, 200.0, 400.0, 600.0, 800.0]);
        assert_eq!(ticks(0.0, 5.0), [] as [f64; 0]);
        assert_eq!(ticks(f64::NAN, 5.0), [] as [f64; 0]);
    }
}

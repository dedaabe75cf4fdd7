//! The application dossier, turned into what the page shows.

use firstfault_schema::Outcome;
use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Application, Memory, Scalar};

use super::table::{Cell, Table};
use super::{Fact, Tone, amount, fault_title, named, size};
use crate::format;
use crate::order::ordered;

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
    let count = |value: u64| amount(value, words);
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
            model.mode.as_ref().map(|mode| named("mode", mode, words)),
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
            memory
                .phase
                .as_ref()
                .map(|phase| named("phase", phase, words)),
            false,
        );
    }
    facts
}

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
        Some(words.text_with(id, &[("size", size(value?, words).into())]))
    });
    parts.collect::<Vec<_>>().join(" · ")
}

/// How much of the contract is met, and what stands beside it as a hint; none without a contract.
pub fn contract_summary(application: &Application, words: &Guidance) -> Option<String> {
    let (notes, demands): (Vec<_>, Vec<_>) = application
        .outputs
        .iter()
        .partition(|point| point.is_note());
    if application.outputs.is_empty() {
        return None;
    }
    let met = demands
        .iter()
        .filter(|point| point.outcome == Outcome::Passed);
    #[allow(clippy::cast_precision_loss, reason = "a handful of points")]
    let number = |count: usize| (count as f64).into();
    let mut sentences = vec![words.text_with(
        "contract-met",
        &[("met", number(met.count())), ("of", number(demands.len()))],
    )];
    if !notes.is_empty() {
        sentences.push(words.text_with("contract-hints", &[("count", number(notes.len()))]));
    }
    Some(sentences.join(" "))
}

/// The contract, point by point; no rows without one.
pub fn contract(application: &Application, words: &Guidance) -> Table {
    let scalar = |value: &Option<Scalar>| match value {
        None => words.text("value-missing"),
        Some(Scalar::Number(number)) => number.as_f64().map_or_else(
            || number.to_string(),
            |value| format::number(value, 6, words.language()),
        ),
        Some(Scalar::Bool(value)) => super::truth(Some(*value), words),
        Some(Scalar::Text(text)) => words.contract_value(text),
    };
    let rows = application.outputs.iter().map(|point| {
        let mut found = scalar(&point.found);
        if let Some(broken) = point.broken.filter(|broken| *broken > 0) {
            #[allow(clippy::cast_precision_loss, reason = "a number of items")]
            let broken = words.text_with("contract-broken", &[("count", (broken as f64).into())]);
            found = format!("{found} · {broken}");
        }
        let identifier = Cell::machine(point.point.clone());
        vec![
            match words.contract_point(&point.point) {
                Some(name) => Cell {
                    note: Some(identifier.text),
                    text: name,
                    ..identifier
                },
                None => identifier,
            },
            Cell::new(words.text(&word_id("outcome", point.outcome.name())))
                .tone(Tone::from(point.outcome))
                .note(point.is_note().then(|| words.text("contract-hint"))),
            Cell::new(scalar(&point.expected)),
            Cell {
                note: (!point.examples.is_empty()).then(|| point.examples.join(", ")),
                text: found,
                machine: !point.examples.is_empty(),
                tone: None,
            },
        ]
    });
    let rows = rows.collect();
    Table {
        heads: [
            "contract-point",
            "decision-outcome",
            "contract-expected",
            "contract-found",
        ]
        .map(|id| words.text(id))
        .to_vec(),
        rows,
    }
}

/// The tensors that the markers named; no rows where they named none.
pub fn tensors(application: &Application, words: &Guidance) -> Table {
    let rows = application.tensors.iter().map(|tensor| {
        let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
        [
            tensor.name.clone(),
            shape.join(" × "),
            tensor.dtype.clone(),
            tensor.device.clone(),
        ]
        .map(Cell::machine)
        .to_vec()
    });
    Table {
        heads: [
            "tensor-name",
            "tensor-shape",
            "tensor-dtype",
            "tensor-device",
        ]
        .map(|id| words.text(id))
        .to_vec(),
        rows: rows.collect(),
    }
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
    let memory = ordered(memory, &|left, right| left.at_ms.total_cmp(&right.at_ms));
    Some(TimelineView {
        end_ms,
        lines,
        memory,
        gpu_memory,
    })
}

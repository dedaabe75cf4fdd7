//! The dossier: what the command showed, in the form of the report and by its allow-list.

use std::collections::BTreeMap;

use firstfault_schema::Report;
use firstfault_schema::clean::GAP;
use firstfault_schema::decision::Outcome;
use firstfault_schema::facts;
use firstfault_schema::report::{
    Application, ApplicationStage, ContractPoint, DeviceMemory, Diagnosis, MAX_APPLICATION_BYTES,
    MAX_PARAMETERS, Memory, MemoryPeak, Model, Passes, Scalar, Tensor,
};

use super::attempt::Plan;
use super::ending;
use super::launch::Launched;
use super::marks::{Marks, Stage};
use super::words;
use crate::names;
use crate::settings::{self, Variables};

/// The point that says most about a broken contract comes first.
const POINTS_BY_WEIGHT: &[&str] = &[
    "input_readable",
    "input_ids_unique",
    "output_written",
    "well_formed",
    "checkpoint_opens",
    "model_mode",
    "loss_finite",
    "parameters_finite",
    "parameters_changed",
    "parameters_kept",
    "dimension",
    "all_finite",
    "ids_repeated",
    "ids_missing",
    "ids_unknown",
    "each_id_once",
    "output_count",
    "value_range",
    "unit_norm",
    "metric",
    "stages_ended",
];

/// The point of a file that was not written at all.
const OUTPUT_WRITTEN: &str = "output_written";
/// A file that an earlier run wrote.
const OLDER: &str = "older_than_run";

/// The dossier without the outputs.
pub(super) fn of(
    launched: &Launched,
    plan: &Plan<'_>,
    kills: Option<u64>,
    devices: Vec<DeviceMemory>,
) -> Application {
    let marks = &launched.marks;
    let variables = plan.variables;
    let (stages, left_out) = marks.stages();
    let own = |text: &str| own(text, variables);
    Application {
        command: words::shown(plan.words, &plan.settings.check.parameters, variables),
        input: None,
        ending: Some(ending::ending(launched)),
        model: model(marks),
        first_fault: None,
        passes: passes(marks, variables),
        memory: memory(launched, &stages, kills, devices),
        stages: stages
            .into_iter()
            .map(|stage| ApplicationStage {
                name: own(&stage.name),
                pass: stage.pass,
                began_ms: rounded(stage.began_ms),
                ended_ms: stage.ended_ms.map(rounded),
                synchronized: stage.synchronized,
                memory_before: stage.before,
                memory_after: stage.after,
            })
            .collect(),
        stages_left_out: (left_out > 0).then_some(left_out),
        tensors: marks
            .tensors
            .iter()
            .map(|tensor| Tensor {
                name: own(&tensor.name),
                shape: tensor.shape.iter().copied().take(16).collect(),
                dtype: names::dtype(&tensor.dtype),
                device: names::device(&tensor.device),
            })
            .collect(),
        outputs: Vec::new(),
        last_completed_stage: marks.last_completed().map(own),
        resume: None,
        sweep: None,
    }
}

/// The stages that ended, as the contract looks at them: all of them, by the names that the program gave.
pub(super) fn ended(marks: &Marks) -> Vec<ApplicationStage> {
    let mut names: Vec<&str> = marks.ended_names().into_iter().collect();
    names.sort_unstable();
    names
        .into_iter()
        .map(|name| ApplicationStage {
            name: name.to_owned(),
            pass: 1,
            began_ms: 0.0,
            ended_ms: Some(0.0),
            synchronized: None,
            memory_before: None,
            memory_after: None,
        })
        .collect()
}

/// A name that the program gave: the user's own word, or a gap.
pub(super) fn own(text: &str, variables: &Variables) -> String {
    if settings::own_words(text, variables).is_ok() {
        text.to_owned()
    } else {
        GAP.to_owned()
    }
}

/// Microseconds are enough.
pub(super) fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

fn model(marks: &Marks) -> Option<Model> {
    let named = marks.model.as_ref();
    let switches = marks.switches;
    if named.is_none() && switches.is_none() {
        return None;
    }
    let clean = |texts: &[String], clean: fn(&str) -> String| -> Vec<String> {
        let mut cleaned: Vec<String> = texts.iter().take(16).map(|text| clean(text)).collect();
        cleaned.dedup();
        cleaned
    };
    Some(Model {
        parameters: named.and_then(|model| model.parameters),
        dtypes: named.map_or_else(Vec::new, |model| clean(&model.dtypes, names::dtype)),
        devices: named.map_or_else(Vec::new, |model| clean(&model.devices, names::device)),
        mode: mode_of(marks).map(str::to_owned),
        gradients: switches.and_then(|switches| switches.gradients),
        inference_mode: switches.and_then(|switches| switches.inference_mode),
    })
}

/// `training` or `evaluation` in the compute stages, or `both`; else where the model was named.
pub(super) fn mode_of(marks: &Marks) -> Option<&'static str> {
    match marks.modes_seen {
        (true, true) => Some("both"),
        (true, false) => Some("training"),
        (false, true) => Some("evaluation"),
        (false, false) => match marks.model.as_ref()?.training? {
            true => Some("training"),
            false => Some("evaluation"),
        },
    }
}

fn passes(marks: &Marks, variables: &Variables) -> Option<Passes> {
    let (name, series) = marks.computation()?;
    let mut following = series.following()?;
    for value in [
        &mut following.min,
        &mut following.median,
        &mut following.p95,
        &mut following.max,
    ] {
        *value = rounded(*value);
    }
    Some(Passes {
        stage: Some(own(name, variables)),
        synchronized: series.synchronized(),
        first_ms: rounded(series.first_ms()?),
        following: Some(following),
    })
}

fn memory(
    launched: &Launched,
    stages: &[Stage],
    kills: Option<u64>,
    devices: Vec<DeviceMemory>,
) -> Option<MemoryPeak> {
    let points = || {
        stages
            .iter()
            .flat_map(|stage| [&stage.before, &stage.after])
            .flatten()
    };
    let most = |value: fn(&Memory) -> Option<u64>| points().filter_map(value).max();
    let of_one = [
        launched.end.peak_bytes,
        most(|memory| memory.resident_bytes),
    ]
    .into_iter()
    .flatten()
    .max();
    let peak = Memory {
        allocated_bytes: most(|memory| memory.allocated_bytes),
        reserved_bytes: most(|memory| memory.reserved_bytes),
        peak_allocated_bytes: most(|memory| memory.peak_allocated_bytes),
        resident_bytes: launched.memory.peak(of_one),
    };
    if peak == Memory::default() && devices.is_empty() {
        return None;
    }
    let (phase, growth) = ending::memory_phase(&launched.marks);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "growth is above 0"
    )]
    let growth = growth.map(|bytes| bytes.round() as u64);
    Some(MemoryPeak {
        peak,
        phase: phase.map(str::to_owned),
        growth_per_pass_bytes: growth,
        limit_bytes: crate::evidence::memory_limit(),
        kills,
        shared_memory_free_bytes: launched.memory.shared_free,
        devices,
    })
}

/// Parameters that the program told, as far as they may enter a report.
pub(super) fn parameters(marks: &Marks, variables: &Variables) -> BTreeMap<String, Scalar> {
    marks
        .parameters
        .iter()
        .filter_map(|(name, value)| {
            let value = match value {
                serde_json::Value::Bool(value) => value.to_string(),
                serde_json::Value::Number(value) => value.to_string(),
                serde_json::Value::String(value) => value.clone(),
                _ => return None,
            };
            settings::parameters(&[format!("{name}={value}")], variables).ok()
        })
        .flatten()
        .take(MAX_PARAMETERS / 2)
        .collect()
}

/// What names a broken contract.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Broken {
    /// The point that says most, without the name of its output.
    Point(&'static str),
    /// This run wrote no such file: what is there instead.
    File(&'static str),
}

/// What says most about a broken contract.
pub(super) fn first_broken(points: &[ContractPoint]) -> Option<Broken> {
    let broken = |point: &ContractPoint| {
        let name = point.point.split('.').next().unwrap_or_default();
        let name = facts::CONTRACT_POINTS
            .iter()
            .find(|known| **known == name)
            .copied()?;
        Some(match no_file(name, point) {
            Some(word) => Broken::File(word),
            None => Broken::Point(name),
        })
    };
    let weight = |broken: &Broken| {
        // What was not written was not read either, so that nothing is known of what it holds.
        let (name, later) = match broken {
            Broken::File(word) => (OUTPUT_WRITTEN, *word != OLDER),
            Broken::Point(name) => (*name, true),
        };
        let place = POINTS_BY_WEIGHT.iter().position(|known| *known == name);
        (place.unwrap_or(usize::MAX), later)
    };
    let lightest = |outcome: Outcome| {
        points
            .iter()
            .filter(|point| point.outcome == outcome)
            .filter_map(broken)
            .min_by_key(weight)
    };
    lightest(Outcome::Failed).or_else(|| lightest(Outcome::NotProven))
}

/// What stands in place of a file that the command should have written. An input is none of those.
fn no_file(name: &str, point: &ContractPoint) -> Option<&'static str> {
    let Some(Scalar::Text(found)) = &point.found else {
        return None;
    };
    let word = [OLDER, "missing", "empty"]
        .into_iter()
        .find(|word| word == found)?;
    let told = name.starts_with("input_") || (name == OUTPUT_WRITTEN && word != OLDER);
    (!told).then_some(word)
}

/// A diagnosis with the facts of the command alone: those of the machine stand in the report's own.
pub(super) fn without_machine(mut diagnosis: Diagnosis) -> Diagnosis {
    let own = [
        facts::APPLICATION_END,
        facts::APPLICATION_START,
        facts::APPLICATION_UNEXPLAINED,
        facts::APPLICATION_SIGNAL,
        facts::APPLICATION_EXIT_CODE,
        facts::MEMORY_PHASE,
        facts::MEMORY_RAN_OUT,
        facts::MEMORY_KILLS,
        facts::CONTRACT_POINT,
        facts::CONTRACT_FILE,
        facts::RESUME_FINDING,
        facts::RESUME_POINT_NOT_MET,
        facts::LOSS_SHAPE,
    ];
    diagnosis
        .evidence
        .retain(|item| own.contains(&item.fact.as_str()));
    diagnosis
}

/// Keeps a report within its size: stages in the middle go first, then tensors.
pub(super) fn fit(report: &mut Report) {
    while report.to_json().len() > MAX_APPLICATION_BYTES {
        let Some(application) = &mut report.application else {
            return;
        };
        let count = application.stages.len();
        if count > 8 {
            let dropped = count / 2;
            application.stages.drain(count / 4..count / 4 + dropped);
            *application.stages_left_out.get_or_insert(0) += dropped as u64;
        } else if !application.tensors.is_empty() {
            application.tensors.clear();
        } else if let Some(point) = application
            .outputs
            .iter_mut()
            .find(|point| !point.examples.is_empty())
        {
            point.examples.clear();
        } else {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(point: &str, found: impl Into<Scalar>) -> ContractPoint {
        ContractPoint {
            point: point.to_owned(),
            outcome: Outcome::Failed,
            expected: None,
            found: Some(found.into()),
            broken: None,
            examples: Vec::new(),
        }
    }

    #[test]
    fn a_file_that_was_not_written_says_nothing_about_its_numbers() {
        let first = |points: &[ContractPoint]| first_broken(points).unwrap();
        assert_eq!(
            first(&[failed("loss_finite", OLDER)]),
            Broken::File("older_than_run")
        );
        assert_eq!(
            first(&[
                failed("parameters_finite", 3_u64),
                failed("checkpoint_opens", "missing"),
                failed("metric.loss", OLDER),
            ]),
            Broken::File("older_than_run")
        );
        assert_eq!(
            first(&[failed("loss_finite", "empty")]),
            Broken::File("empty")
        );
        assert_eq!(
            first(&[failed("output_written", "missing")]),
            Broken::Point("output_written")
        );
        assert_eq!(
            first(&[
                failed("output_written", OLDER),
                failed("input_readable", "missing"),
            ]),
            Broken::Point("input_readable")
        );
        assert_eq!(
            first(&[failed("loss_finite", false)]),
            Broken::Point("loss_finite")
        );
    }
}

//! The strip of layers: which were seen to work, which one failed first, and which nobody knows about.

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Layer, Report, Stage};
use firstfault_schema::{DecisionId, Outcome};

use super::Tone;

/// The layers of the strip; all layers of the application are one.
const LAYERS: [Option<Layer>; 9] = [
    Some(Layer::Interpreter),
    Some(Layer::Import),
    Some(Layer::Package),
    Some(Layer::Driver),
    Some(Layer::Exposure),
    Some(Layer::Allocation),
    Some(Layer::Computation),
    Some(Layer::Synchronization),
    None,
];

/// One layer of the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its identifier, never translated.
    pub id: &'static str,
    /// Its name for people.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// How it ended.
    pub tone: Tone,
    /// The same in a word.
    pub outcome: String,
    /// Whether it is the first failing one.
    pub first_fault: bool,
}

fn decision_of(at: usize) -> DecisionId {
    match at {
        0 | 1 => DecisionId::Interpreter,
        2..=4 => DecisionId::Backend,
        5..=7 => DecisionId::Computation,
        _ => DecisionId::Application,
    }
}

/// The strip of a report.
pub fn strip(report: &Report, words: &Guidance) -> Vec<Step> {
    let outcome = |id: DecisionId| {
        report
            .decisions
            .iter()
            .find(|decision| decision.id == id)
            .map_or(Outcome::NotRequested, |found| found.outcome)
    };
    let failing = report.diagnosis.as_ref().map(|diagnosis| {
        LAYERS
            .iter()
            .position(|layer| *layer == Some(diagnosis.layer))
            .unwrap_or(LAYERS.len() - 1)
    });
    LAYERS
        .iter()
        .enumerate()
        .map(|(at, layer)| {
            let decision = outcome(decision_of(at));
            let first_fault = failing == Some(at);
            let shown = if first_fault {
                Outcome::Failed
            } else {
                beside(at, decision, failing, report.stage)
            };
            let id = layer.map_or("application", Layer::name);
            let (name, meaning) = match layer {
                Some(layer) => (
                    words.text(&word_id("layer", layer.name())),
                    words.text(&word_id("layer", &format!("{}-meaning", layer.name()))),
                ),
                None => application(report, first_fault, words),
            };
            Step {
                id,
                name,
                meaning,
                tone: shown.into(),
                outcome: words.text(&word_id("outcome", shown.name())),
                first_fault,
            }
        })
        .collect()
}

/// The outcome of a layer that is not the first failing one.
fn beside(at: usize, decision: Outcome, failing: Option<usize>, stage: Stage) -> Outcome {
    match decision {
        Outcome::Passed | Outcome::PassedCpuOnly => match failing {
            // It did run, and the fault lies below it: such a pass proves nothing, and is never green.
            Some(failing) if failing < at => Outcome::NotProven,
            _ => decision,
        },
        Outcome::Failed | Outcome::NotProven => match failing {
            Some(failing) if at < failing && ended_before(at, stage) => Outcome::Passed,
            Some(failing) if at < failing => Outcome::NotProven,
            Some(_) => Outcome::NotReached,
            None => decision,
        },
        Outcome::NotReached | Outcome::NotRequested => decision,
    }
}

/// Whether the stage that stands for a layer had ended when `stage` began.
fn ended_before(at: usize, stage: Stage) -> bool {
    match at {
        0 => stage > Stage::Interpreter,
        1 => stage > Stage::Import,
        2 => stage > Stage::Backend,
        3 | 4 => stage > Stage::Device,
        5 => stage > Stage::Allocation,
        6 => stage > Stage::Gradient,
        _ => false,
    }
}

fn application(report: &Report, first_fault: bool, words: &Guidance) -> (String, String) {
    let name = words.text("layer-application");
    match &report.diagnosis {
        // The strip has one place for all layers of the application: it names the one that failed.
        Some(diagnosis) if first_fault => {
            let layer = words.text(&word_id("layer", diagnosis.layer.name()));
            let meaning = words.text(&word_id(
                "layer",
                &format!("{}-meaning", diagnosis.layer.name()),
            ));
            (format!("{name}: {layer}"), meaning)
        }
        _ => (name, words.text("decision-application-passes")),
    }
}

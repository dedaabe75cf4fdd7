//! From what a command showed to the first fault: how it ended, where memory ran out, and which layer failed.

use firstfault_schema::clean::GAP;
use firstfault_schema::code::Code;
use firstfault_schema::diagnosis::{self, Observation};
use firstfault_schema::report::{
    CommandEnding, Diagnosis, EndingKind, Evidence, Layer, Libtorch, Owner, Pytorch,
    RequestedDevice, Scalar, Stage, WitnessAnswer,
};
use firstfault_schema::{catalogue, explain, facts};

use super::launch::Launched;
use super::marks::Marks;
use crate::supervisor::Outcome;
use crate::supervisor::command::Stop;

/// Signatures that only say that something failed.
const BARE: &[&str] = &[
    "unknown",
    "application-failed",
    "application-unexplained",
    "application-timed-out",
    "application-crashed",
    "native-crash",
    "killed-by-signal",
];

/// How the command ended.
pub(crate) fn ending(launched: &Launched) -> CommandEnding {
    let end = launched.end;
    let how = match (end.stopped, end.outcome) {
        (Some(Stop::Limit), _) => EndingKind::TimedOut,
        (Some(Stop::Interrupt), _) => EndingKind::Interrupted,
        (Some(Stop::Order) | None, Outcome::Exited(_)) => EndingKind::Exited,
        (Some(Stop::Order) | None, Outcome::Signalled(_)) => EndingKind::Signalled,
        (None, Outcome::NotStarted(_)) => EndingKind::NotStarted,
        (Some(Stop::Order) | None, _) => EndingKind::Lost,
    };
    CommandEnding {
        how,
        exit_code: match end.outcome {
            Outcome::Exited(code) => Some(i64::from(code)),
            _ => None,
        },
        signal: match end.outcome {
            Outcome::Signalled(signal) => Some(crate::check::signal_name(signal).to_owned()),
            _ => None,
        },
        wall_ms: super::dossier::rounded(end.wall.as_secs_f64() * 1000.0),
    }
}

/// When memory was at its most, or ran out: `load`, `first_computation`, `plateau` or `growth`, and the growth from pass to
/// pass. None without marks.
pub(crate) fn memory_phase(marks: &Marks) -> (Option<&'static str>, Option<f64>) {
    if marks.is_empty() {
        return (None, None);
    }
    let Some((_, series)) = marks.computation() else {
        return (Some("load"), None);
    };
    let growth = series.growth();
    let phase = if series.begun <= 1 {
        "first_computation"
    } else if growth.is_some() {
        "growth"
    } else {
        "plateau"
    };
    (Some(phase), growth)
}

/// What a judgement rests on beside the command itself.
pub(crate) struct Around<'a> {
    pub(crate) requested_device: RequestedDevice,
    pub(crate) pytorch: &'a Pytorch,
    /// Kills for memory in the control group during the run.
    pub(crate) memory_kills: Option<u64>,
    /// Facts about the machine.
    pub(crate) machine: Vec<Evidence>,
}

/// Whether memory ran out: the system killed for it, or an allocation was refused.
pub(crate) fn memory_ran_out(launched: &Launched, memory_kills: Option<u64>) -> bool {
    let killed = launched.end.outcome == Outcome::Signalled(9)
        || launched.end.outcome == Outcome::Exited(137);
    (killed && memory_kills.is_some_and(|kills| kills > 0))
        || launched
            .faults
            .iter()
            .any(|fault| fault.layer == Layer::Memory && !explain::is_broad(&fault.signature))
        || last_exception(&launched.stderr).is_some_and(|line| {
            ["MemoryError", "std::bad_alloc"]
                .iter()
                .any(|name| line.starts_with(name))
                || line.contains("_ArrayMemoryError")
        })
}

/// Names the fault of a command that failed.
pub(crate) fn diagnose(
    launched: &Launched,
    ending: &CommandEnding,
    around: Around<'_>,
) -> Diagnosis {
    let mut known: Vec<(&str, Scalar)> = vec![(facts::APPLICATION_END, ending.how.name().into())];
    if let Some(why) = launched.not_started {
        known.push((facts::APPLICATION_START, why.into()));
    }
    if let Some(signal) = &ending.signal {
        known.push((facts::APPLICATION_SIGNAL, signal.clone().into()));
    }
    if let Some(code) = ending.exit_code.and_then(|code| u64::try_from(code).ok()) {
        known.push((facts::APPLICATION_EXIT_CODE, code.into()));
    }
    if memory_ran_out(launched, around.memory_kills) {
        known.push((facts::MEMORY_RAN_OUT, true.into()));
        if let (Some(phase), _) = memory_phase(&launched.marks) {
            known.push((facts::MEMORY_PHASE, phase.into()));
        }
    }
    if let Some(kills) = around.memory_kills {
        known.push((facts::MEMORY_KILLS, kills.into()));
    }
    if let Some(free) = launched.memory.shared_free {
        known.push((facts::DEV_SHM_FREE_BYTES, free.into()));
    }
    let mut evidence: Vec<Evidence> = known
        .into_iter()
        .map(|(fact, value)| Evidence {
            fact: fact.to_owned(),
            value,
        })
        .chain(around.machine)
        .filter(|item| facts::is_allowed(&item.fact, &item.value))
        .collect();
    let mut seen = std::collections::HashSet::new();
    evidence.retain(|item| seen.insert(item.fact.clone()));
    let message = last_exception(&launched.stderr);
    let mut diagnosis = diagnosis::diagnose(&Observation {
        code: Code::ApplicationFailed,
        stage: Stage::Application,
        requested_device: around.requested_device,
        message,
        stderr: &launched.stderr,
        pytorch: around.pytorch,
        libtorch: &Libtorch::only(WitnessAnswer::NotRun),
        evidence: &evidence,
    });
    if BARE.contains(&diagnosis.signature.as_str()) {
        // The whole of standard error may tell more than its end.
        let told = launched
            .faults
            .iter()
            .find(|fault| !BARE.contains(&fault.signature.as_str()));
        match told {
            Some(fault) if ending.how == EndingKind::Exited => {
                diagnosis.layer = fault.layer;
                diagnosis.owner = fault.owner;
                diagnosis.signature.clone_from(&fault.signature);
                diagnosis.actions.clone_from(&fault.actions);
                diagnosis.candidates.clone_from(&fault.candidates);
                if !fault.message.is_empty() {
                    diagnosis.message = Some(fault.message.clone());
                }
            }
            // A package that is not installed is no wrong output.
            _ if message.is_some_and(|line| line.starts_with("ModuleNotFoundError")) => {
                diagnosis.layer = Layer::Package;
                diagnosis.owner = Owner::Package;
            }
            _ => {
                if let Some(layer) = layer_of_open_stage(launched) {
                    diagnosis.layer = layer;
                    diagnosis.owner = Owner::Program;
                } else if diagnosis.signature == "application-failed" {
                    unexplained(&mut diagnosis, ending, message);
                    if !launched.marks.stages().0.is_empty() {
                        // It ended between two stages; that they be marked is no advice.
                        diagnosis.actions.retain(|action| action != "mark-stages");
                    }
                }
            }
        }
    }
    if diagnosis.signature.starts_with("memory-") {
        // Where it ran out is known; that it ran out is no other fault.
        let is_memory =
            |id: &String| catalogue::find(id).is_some_and(|entry| entry.layer == Layer::Memory);
        diagnosis.candidates.retain(|id| !is_memory(id));
    }
    // A message of which nothing is known says nothing.
    diagnosis.message = diagnosis.message.filter(|message| message != GAP);
    diagnosis
}

/// Where nothing tells the layer at all, that is said. Without a message, a shell tells by its number that it could not
/// start a command.
fn unexplained(diagnosis: &mut Diagnosis, ending: &CommandEnding, message: Option<&str>) {
    let told = match (ending.exit_code, message) {
        (Some(127), None) => Some((facts::APPLICATION_START, Scalar::from("not_found"))),
        (Some(126), None) => Some((facts::APPLICATION_START, Scalar::from("not_permitted"))),
        _ => None,
    };
    let signature = match (&told, ending.exit_code) {
        (Some(_), Some(127)) => "command-not-found",
        (Some(_), _) => "command-not-startable",
        (None, _) => "application-unexplained",
    };
    let (fact, value) = told.unwrap_or((facts::APPLICATION_UNEXPLAINED, true.into()));
    diagnosis.evidence.push(Evidence {
        fact: fact.to_owned(),
        value,
    });
    if let Some(entry) = catalogue::find(signature) {
        diagnosis.layer = entry.layer;
        diagnosis.owner = entry.owner;
        diagnosis.signature = signature.to_owned();
        diagnosis.actions = entry.actions.iter().map(|id| (*id).to_owned()).collect();
    }
}

/// Where nothing else tells the layer, the stage that never ended does.
fn layer_of_open_stage(launched: &Launched) -> Option<Layer> {
    let stage = launched.marks.current()?;
    let name = stage.name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["weight", "model", "checkpoint"]) {
        return Some(Layer::Weights);
    }
    if has(&["import"]) {
        return Some(Layer::Extension);
    }
    if has(&["data", "input", "read"]) {
        return Some(Layer::Data);
    }
    if has(&["transfer"]) {
        return Some(Layer::Placement);
    }
    if has(&["write", "save", "output"]) {
        return Some(Layer::Output);
    }
    let computes = stage.is_compute
        || launched
            .marks
            .computation()
            .is_some_and(|(computation, _)| computation == stage.name);
    computes.then_some(match launched.end.stopped {
        Some(_) => Layer::Synchronization,
        None => Layer::Computation,
    })
}

/// The last line that is the head of a Python exception: `torch.OutOfMemoryError: CUDA out of memory.`
pub(crate) fn last_exception(stderr: &str) -> Option<&str> {
    stderr.lines().rev().find(|line| {
        let head = line.split(':').next().unwrap_or_default();
        let last = head.rsplit('.').next().unwrap_or_default();
        !head.is_empty()
            && head.len() <= 100
            && head
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter))
            && last.starts_with(|letter: char| letter.is_ascii_uppercase() || letter == '_')
            && ["Error", "Exception", "Interrupt", "Exit", "bad_alloc"]
                .iter()
                .any(|end| last.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exception_is_the_head_of_a_line() {
        let text = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    raise ValueError('x')\nValueError: x\n\nDuring handling\n  RuntimeError: indented\ntorch.OutOfMemoryError: CUDA out of memory.\nbye\n";
        assert_eq!(
            last_exception(text),
            Some("torch.OutOfMemoryError: CUDA out of memory.")
        );
        assert_eq!(last_exception("MemoryError\n"), Some("MemoryError"));
        assert_eq!(last_exception("all is well: yes\n"), None);
        let coloured = "\u{1b}[1;35mModuleNotFoundError\u{1b}[0m: \u{1b}[35mNo module\u{1b}[0m\n";
        let plain = anstream::adapter::strip_str(coloured).to_string();
        assert_eq!(
            last_exception(&plain),
            Some("ModuleNotFoundError: No module")
        );
    }
}

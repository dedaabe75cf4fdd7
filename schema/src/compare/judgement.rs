//! The two judgements above a comparison: one change at a time, and ready to scale up.

use std::collections::BTreeSet;

use super::fields::{Factor, Value};
use super::{Change, Reason, Row, Verdict, identity};
use crate::decision::{DecisionId, Outcome};
use crate::report::{Application, Report, RequestedDevice, ResumeFinding};

/// A judgement with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Yes, no, or not shown.
    pub answer: Answer,
    /// Every reason, those that hold included.
    pub reasons: Vec<Reason>,
}

/// The answer of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Shown to be so.
    Yes,
    /// Shown not to be so.
    No,
    /// Not shown: something was not tried or not recorded.
    NotShown,
}

impl Answer {
    /// Its name in JSON and, with a hyphen, in Fluent identifiers (`answer-…`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotShown => "not_shown",
        }
    }
}

/// Whether the point of a reason is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Met.
    Holds,
    /// Seen not to be met.
    Broken,
    /// Nobody looked.
    Missing,
    /// Advice or information.
    Note,
}

/// What changed, each once: fields of one factor change together, a declared parameter stands for itself.
fn changes(baseline: &Report, candidate: &Report, rows: &[Row]) -> BTreeSet<(Factor, String)> {
    let mut changes = BTreeSet::new();
    let another_card = identity::is_another_card(baseline, candidate, rows);
    // Identities under two salts are no change: nobody can tell.
    let told =
        |row: &&Row| row.differs() && row.change != Change::NotComparable("incomparable-salt");
    for row in rows.iter().filter(told) {
        let super::Kind::Configuration(factor) = row.kind else {
            continue;
        };
        // What only one report records is no change: a failed import tells no versions, nobody asked for the host.
        if factor != Factor::Parameter
            && (row.baseline == Value::Missing || row.candidate == Value::Missing)
        {
            continue;
        }
        if factor == Factor::Command && command_follows_parameters(baseline, candidate) {
            continue;
        }
        // The mode was seen, not set: another command explains it.
        if row.path == "application.model.mode" && commands_differ(baseline, candidate) {
            continue;
        }
        let name = match factor {
            Factor::Parameter => row
                .path
                .trim_start_matches("attempt.parameters.")
                .to_owned(),
            Factor::Devices if another_card => "card".to_owned(),
            _ => String::new(),
        };
        changes.insert((factor, name));
    }
    changes
}

fn commands_differ(baseline: &Report, candidate: &Report) -> bool {
    let command = |report: &Report| {
        report
            .application
            .as_ref()
            .map(|application| application.command.clone())
    };
    command(baseline) != command(candidate)
}

/// Whether two commands differ only where a declared parameter differs in the same way: `--batch 16` with `--set batch=16`.
fn command_follows_parameters(baseline: &Report, candidate: &Report) -> bool {
    let (Some(before), Some(after)) = (&baseline.application, &candidate.application) else {
        return false;
    };
    let value = |report: &Report, name: &String| {
        report.attempt.parameters.get(name).map(ToString::to_string)
    };
    before.command.len() == after.command.len()
        && before
            .command
            .iter()
            .zip(&after.command)
            .filter(|(old, new)| old != new)
            .all(|(old, new)| {
                baseline.attempt.parameters.keys().any(|name| {
                    let fits = |word: &String, value: Option<String>| {
                        value.is_some_and(|value| {
                            *word == value
                                || word
                                    .strip_suffix(&value)
                                    .is_some_and(|head| head.ends_with('='))
                        })
                    };
                    fits(old, value(baseline, name)) && fits(new, value(candidate, name))
                })
            })
}

fn factor_value(change: &(Factor, String)) -> Value {
    match change.0 {
        Factor::Parameter => Value::Text(change.1.clone()),
        Factor::Devices if change.1 == "card" => Value::Word("factor", "card".to_owned()),
        factor => Value::Word("factor", factor.name().to_owned()),
    }
}

/// Is a difference in the results attributable to one change?
pub(super) fn one_change(baseline: &Report, candidate: &Report, rows: &[Row]) -> Judgement {
    let changes: Vec<_> = changes(baseline, candidate, rows).into_iter().collect();
    #[allow(clippy::cast_precision_loss, reason = "a handful of changes")]
    let count = Value::Number(changes.len() as f64);
    let (answer, reasons) = match changes.as_slice() {
        [] => (
            Answer::Yes,
            vec![Reason::new("one-change-none", Standing::Holds)],
        ),
        [only] => (
            Answer::Yes,
            vec![
                Reason::new("one-change-single", Standing::Holds)
                    .with("factor", factor_value(only)),
            ],
        ),
        [kept, reverted @ ..] => {
            let mut reasons =
                vec![Reason::new("one-change-several", Standing::Broken).with("count", count)];
            // Declared parameters sort first: what the user changed on purpose is kept.
            reasons.push(
                Reason::new("one-change-keep", Standing::Note).with("factor", factor_value(kept)),
            );
            for change in reverted {
                reasons.push(
                    Reason::new("one-change-revert", Standing::Note)
                        .with("factor", factor_value(change)),
                );
            }
            (Answer::No, reasons)
        }
    };
    Judgement { answer, reasons }
}

/// May the candidate's real work be raised?
pub(super) fn scale_up(candidate: &Report, verdict: Verdict, one_change: Answer) -> Judgement {
    let mut reasons = vec![device(candidate)];
    match &candidate.application {
        None => reasons.push(Reason::new("ready-application-missing", Standing::Missing)),
        Some(application) => {
            reasons.push(contract(candidate, application));
            reasons.extend(representative(application));
            reasons.push(memory(application));
            reasons.push(resume(application));
            reasons.push(limit(application));
        }
    }
    reasons.extend(repeated(candidate));
    reasons.push(match verdict {
        Verdict::Worse => Reason::new("ready-not-worse-broken", Standing::Broken),
        Verdict::NotComparable => Reason::new("ready-not-worse-missing", Standing::Missing),
        Verdict::Better | Verdict::Same => Reason::new("ready-not-worse-holds", Standing::Holds),
    });
    reasons.push(match one_change {
        Answer::Yes => Reason::new("ready-one-change-holds", Standing::Holds),
        Answer::No | Answer::NotShown => Reason::new("ready-one-change-broken", Standing::Broken),
    });
    let any = |standing| reasons.iter().any(|reason| reason.standing == standing);
    let answer = if any(Standing::Broken) {
        Answer::No
    } else if any(Standing::Missing) {
        Answer::NotShown
    } else {
        Answer::Yes
    };
    Judgement { answer, reasons }
}

fn device(candidate: &Report) -> Reason {
    if candidate.execution.requested_device == RequestedDevice::Cpu {
        return Reason::new("ready-device-cpu", Standing::Missing);
    }
    let computation = candidate
        .decisions
        .iter()
        .find(|decision| decision.id == DecisionId::Computation);
    match computation.map(|decision| decision.outcome) {
        Some(Outcome::Passed) => Reason::new("ready-device-holds", Standing::Holds),
        Some(Outcome::NotRequested) => Reason::new("ready-device-missing", Standing::Missing),
        _ => Reason::new("ready-device-broken", Standing::Broken),
    }
}

/// What passes only sometimes is not ready for more of it. Nobody has to repeat.
fn repeated(candidate: &Report) -> Option<Reason> {
    // What fails every time is told by the decisions.
    let noise = candidate
        .noise
        .as_ref()
        .filter(|noise| noise.runs > 1 && noise.passed > 0)?;
    let (id, standing) = if noise.passed == noise.runs {
        ("ready-repeated-holds", Standing::Holds)
    } else {
        ("ready-repeated-broken", Standing::Broken)
    };
    let number = |count: u32| Value::Number(f64::from(count));
    Some(
        Reason::new(id, standing)
            .with("passed", number(noise.passed))
            .with("runs", number(noise.runs)),
    )
}

fn contract(candidate: &Report, application: &Application) -> Reason {
    let passed = candidate.decisions.iter().any(|decision| {
        decision.id == DecisionId::Application && decision.outcome == Outcome::Passed
    });
    if !passed {
        return Reason::new("ready-contract-broken", Standing::Broken);
    }
    let met = application
        .outputs
        .iter()
        .filter(|point| point.outcome == Outcome::Passed && !point.is_note())
        .count();
    if met == 0 {
        return Reason::new("ready-contract-missing", Standing::Missing);
    }
    #[allow(clippy::cast_precision_loss, reason = "a handful of points")]
    Reason::new("ready-contract-holds", Standing::Holds).with("count", Value::Number(met as f64))
}

/// What the input of the run is not shown to stand for. No demand, so it is counted apart.
fn representative(application: &Application) -> Option<Reason> {
    let points = application.outputs.iter();
    let far = points
        .filter(|point| point.is_note() && point.outcome != Outcome::Passed)
        .count();
    #[allow(clippy::cast_precision_loss, reason = "one or two points")]
    let count = Value::Number(far as f64);
    (far > 0).then(|| Reason::new("ready-contract-note", Standing::Note).with("count", count))
}

fn memory(application: &Application) -> Reason {
    match application
        .memory
        .as_ref()
        .and_then(|memory| memory.phase.as_deref())
    {
        None => Reason::new("ready-memory-missing", Standing::Missing),
        Some("growth") => Reason::new("ready-memory-broken", Standing::Broken),
        Some(_) => Reason::new("ready-memory-holds", Standing::Holds),
    }
}

fn resume(application: &Application) -> Reason {
    match &application.resume {
        None => Reason::new("ready-resume-missing", Standing::Missing),
        Some(resume) => match resume.finding.map(ResumeFinding::outcome) {
            Some(Outcome::NotProven) => Reason::new("ready-resume-missing", Standing::Missing),
            Some(Outcome::Passed) => Reason::new("ready-resume-holds", Standing::Holds),
            // An older writer counted and told no finding.
            None if resume.lost + resume.repeated + resume.changed == 0 => {
                Reason::new("ready-resume-holds", Standing::Holds)
            }
            _ => Reason::new("ready-resume-broken", Standing::Broken),
        },
    }
}

fn limit(application: &Application) -> Reason {
    match &application.sweep {
        None => Reason::new("ready-limit-missing", Standing::Missing),
        Some(sweep) => match sweep.last_good {
            None => Reason::new("ready-limit-broken", Standing::Broken)
                .with("axis", Value::Text(sweep.axis.clone())),
            Some(last_good) => Reason::new("ready-limit-holds", Standing::Holds)
                .with("axis", Value::Text(sweep.axis.clone()))
                .with("value", Value::Number(last_good)),
        },
    }
}

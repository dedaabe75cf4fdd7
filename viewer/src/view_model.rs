//! One report, turned into what the page shows of it: texts, in the order in which they are read. Pure.

pub mod chart;
pub mod dossier;
mod evidence;
mod log;
pub mod noise;
pub mod resume;
mod strip;
pub mod sweep;
pub mod table;

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Application, Diagnosis, Report, RequestedDevice, ResumeFinding};
use firstfault_schema::{Code, DecisionId, Outcome, Status};

use crate::format;
pub use evidence::{evidence, evidence_fact, truth, witnesses};
pub use log::{ExplainedFault, ExplainedView, explained};
pub use strip::{Step, strip};

/// How something ended, for colour and icon; the word stands beside it always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Seen to work.
    Passed,
    /// Seen to fail.
    Failed,
    /// Never tried, since something before it failed.
    NotReached,
    /// Not asked for.
    NotRequested,
    /// Claimed without a receipt.
    NotProven,
}

impl From<Outcome> for Tone {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed | Outcome::PassedCpuOnly => Self::Passed,
            Outcome::Failed => Self::Failed,
            Outcome::NotReached => Self::NotReached,
            Outcome::NotRequested => Self::NotRequested,
            Outcome::NotProven => Self::NotProven,
        }
    }
}

impl Tone {
    /// Its name in the style sheet.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotReached => "not-reached",
            Self::NotRequested => "not-requested",
            Self::NotProven => "not-proven",
        }
    }
}

/// The head of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictView {
    /// One sentence.
    pub sentence: String,
    /// A second sentence where the first names a fault, an operating range or a finding.
    pub explanation: Option<String>,
    /// The code, never translated.
    pub code: String,
    /// The exit number.
    pub exit_code: u8,
    /// Passed or failed.
    pub tone: Tone,
    /// When it was started.
    pub when: String,
    /// What was checked, in a few words each.
    pub checked: Vec<String>,
}

/// An action for the reader.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionView {
    /// What to do.
    pub text: String,
    /// A command that does it, ready to copy.
    pub command: Option<String>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionsView {
    /// Whose job it is; none where nothing is broken.
    pub owner: Option<(String, String)>,
    /// The action to do first.
    pub first: ActionView,
    /// The others.
    pub others: Vec<ActionView>,
    /// Other faults that the evidence would fit.
    pub candidates: Vec<String>,
    /// What misleads about this fault.
    pub misleads: Option<String>,
}

/// One row of the decision table.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionView {
    /// Name.
    pub name: String,
    /// What it asks.
    pub passes: String,
    /// Colour and icon.
    pub tone: Tone,
    /// Its outcome.
    pub outcome: String,
    /// Where to look if it fails.
    pub fails: String,
    /// What a pass permits.
    pub permits: String,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Name for people.
    pub name: String,
    /// Value.
    pub value: String,
    /// Whether a machine said it, so that it is set in monospaced type.
    pub machine: bool,
}

/// Facts under one heading.
#[derive(Clone, Debug, PartialEq)]
pub struct FactGroup {
    /// The heading.
    pub title: String,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// Both engines on one point.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessRow {
    /// The point.
    pub name: String,
    /// What Python says.
    pub python: String,
    /// What libtorch says.
    pub libtorch: String,
}

/// The sentence, the code, the circumstances.
pub fn verdict(report: &Report, words: &Guidance) -> VerdictView {
    let code_text = words.text(&word_id("code", report.code.name()));
    let told = report.application.as_ref();
    let told = told.and_then(|application| told_of(application, words));
    let fault = report
        .diagnosis
        .as_ref()
        .and_then(|diagnosis| fault_title(diagnosis, words));
    let (sentence, explanation) = match (report.unsaved_code, fault, told) {
        (Some(own), fault, told) => {
            let own = told.unwrap_or_else(|| words.text(&word_id("code", own.name())));
            let all = fault.map_or_else(|| own.clone(), |fault| format!("{own} {fault}"));
            (code_text, Some(all))
        }
        (None, Some(fault), told) => (fault, Some(told.unwrap_or(code_text))),
        (None, None, Some(told)) => {
            let beside = match report.code {
                Code::ApplicationEnded => Some(words.text("verdict-left-out")),
                // Its sentence names losses that the finding need not have seen.
                Code::ResumeFailed => None,
                _ => Some(code_text),
            };
            (told, beside)
        }
        (None, None, None) => (code_text, None),
    };
    VerdictView {
        sentence,
        explanation,
        code: report.code.name().to_owned(),
        exit_code: report.exit_code,
        tone: if report.status == Status::Passed {
            Tone::Passed
        } else {
            Tone::Failed
        },
        when: format::date(&report.attempt.started_at, words),
        checked: checked(report, words),
    }
}

/// What a sweep, or a proof of stop and resume, came to: more than the code can say.
fn told_of(application: &Application, words: &Guidance) -> Option<String> {
    let range = application.sweep.as_ref();
    let proof = application.resume.as_ref();
    let told = [
        range.map(|found| sweep::summary(found, words)),
        proof.map(|found| resume::finding(found, words).1),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// The title of a known fault.
pub fn fault_title(diagnosis: &Diagnosis, words: &Guidance) -> Option<String> {
    words
        .find(&word_id("fault", &diagnosis.signature), &[])
        .filter(|_| diagnosis.signature != "unknown")
}

fn checked(report: &Report, words: &Guidance) -> Vec<String> {
    let execution = &report.execution;
    let mut parts = Vec::new();
    parts.push(
        match (execution.requested_device, execution.requested_index) {
            (RequestedDevice::Cpu, _) => words.text("checked-cpu"),
            (RequestedDevice::Gpu, index) => words.text_with(
                "checked-gpu",
                &[("index", index.unwrap_or_default().to_string().into())],
            ),
        },
    );
    let device = report.pytorch.devices.as_ref().and_then(|devices| {
        devices
            .iter()
            .find(|device| Some(device.index) == execution.requested_index)
            .or_else(|| devices.first())
    });
    parts.extend(device.map(|device| device.name.clone()));
    let pytorch = report
        .pytorch
        .version
        .as_ref()
        .or(report.pytorch.installed_version.as_ref());
    parts.extend(pytorch.map(|version| format!("PyTorch {version}")));
    parts.extend(
        report
            .runtime
            .python_version
            .as_ref()
            .map(|version| format!("Python {version}")),
    );
    parts
}

/// What to do, the first thing first.
pub fn actions(report: &Report, words: &Guidance) -> ActionsView {
    let Some(diagnosis) = &report.diagnosis else {
        return next_step(report, words);
    };
    let mut actions = diagnosis.actions.iter().map(|id| action(id, words));
    let first = actions.next().unwrap_or_else(|| {
        // No action is known: the layer and the table still tell where to look.
        let decision = report
            .decisions
            .iter()
            .find(|decision| Tone::from(decision.outcome) == Tone::Failed);
        let look = decision.map(|decision| {
            words.text(&word_id(
                "decision",
                &format!("{}-fails", decision.id.name()),
            ))
        });
        let layer = words.text(&word_id(
            "layer",
            &format!("{}-meaning", diagnosis.layer.name()),
        ));
        let text = words.text_with("action-look", &[("where", look.unwrap_or(layer).into())]);
        ActionView {
            text,
            command: None,
        }
    });
    let misleads = words.find(
        &word_id("fault", &format!("{}-misleads", diagnosis.signature)),
        &[],
    );
    ActionsView {
        owner: Some((
            words.text(&word_id("owner", diagnosis.owner.name())),
            words.text(&word_id(
                "owner",
                &format!("{}-meaning", diagnosis.owner.name()),
            )),
        )),
        first,
        others: actions.collect(),
        candidates: diagnosis
            .candidates
            .iter()
            .map(|id| {
                words
                    .find(&word_id("fault", id), &[])
                    .unwrap_or_else(|| id.clone())
            })
            .collect(),
        misleads,
    }
}

/// An action by its identifier.
pub fn action(id: &str, words: &Guidance) -> ActionView {
    let text = words
        .find(&word_id("action", id), &[])
        .unwrap_or_else(|| id.to_owned());
    ActionView {
        text,
        command: command(id),
    }
}

fn command(id: &str) -> Option<String> {
    firstfault_schema::catalogue::action(id)?
        .command
        .map(str::to_owned)
}

fn next_step(report: &Report, words: &Guidance) -> ActionsView {
    let mut steps = match report.code {
        Code::OutputWriteFailed => vec!["next-after-unsaved"],
        Code::CpuCheckPassed => vec!["next-after-cpu"],
        Code::ApplicationEnded => vec!["next-after-left-out"],
        _ => Vec::new(),
    };
    // After a check, one step at a time; a run that left the check out may go on with these all the same.
    if matches!(report.code, Code::GpuCheckPassed | Code::ApplicationEnded) {
        let ahead = ahead(report.application.as_ref());
        let most = if steps.is_empty() { 1 } else { ahead.len() };
        steps.extend(ahead.into_iter().take(most));
    }
    let mut actions = steps.into_iter().map(|id| ActionView {
        text: words.text(id),
        command: words.find(&format!("{id}-command"), &[]),
    });
    ActionsView {
        owner: None,
        first: actions.next().unwrap_or_else(|| ActionView {
            text: words.text(&word_id("code", report.code.name())),
            command: None,
        }),
        others: actions.collect(),
        candidates: Vec::new(),
        misleads: None,
    }
}

/// What is left to prove about the user's own command, in order; how to go on where nothing is.
fn ahead(application: Option<&Application>) -> Vec<&'static str> {
    let Some(application) = application else {
        return vec!["next-after-gpu"];
    };
    let open = [
        (application.outputs.is_empty(), "next-after-no-contract"),
        (application.resume.is_none(), "next-after-application"),
        (application.sweep.is_none(), "next-after-resume"),
    ];
    let mut ahead: Vec<&str> = open
        .into_iter()
        .filter_map(|(open, id)| open.then_some(id))
        .collect();
    if ahead.is_empty() {
        ahead.push("next-after-sweep");
    }
    ahead
}

/// The decision table.
pub fn decisions(report: &Report, words: &Guidance) -> Vec<DecisionView> {
    let part = |id: DecisionId, part: &str| words.text(&format!("decision-{}{part}", id.name()));
    report
        .decisions
        .iter()
        .map(|decision| DecisionView {
            name: part(decision.id, ""),
            passes: part(decision.id, "-passes"),
            tone: decision.outcome.into(),
            outcome: words.text(&word_id("outcome", decision.outcome.name())),
            fails: part(decision.id, "-fails"),
            permits: part(decision.id, "-permits"),
        })
        .collect()
}

/// What the report proves, and what it does not.
pub fn proofs(report: &Report, words: &Guidance) -> (Vec<String>, Vec<String>) {
    let outcome = |id: DecisionId| {
        report
            .decisions
            .iter()
            .find(|decision| decision.id == id)
            .map(|found| found.outcome)
    };
    let mut proves = Vec::new();
    let mut open = Vec::new();
    if outcome(DecisionId::Interpreter) == Some(Outcome::Passed) {
        proves.push("proves-import");
    }
    if outcome(DecisionId::Backend) == Some(Outcome::Passed) {
        proves.push("proves-backend");
    }
    match outcome(DecisionId::Computation) {
        Some(Outcome::Passed) => proves.push("proves-computation"),
        Some(Outcome::PassedCpuOnly) => {
            proves.push("proves-computation-cpu");
            open.push("open-gpu");
        }
        _ => {}
    }
    match outcome(DecisionId::Application) {
        Some(Outcome::Passed) => proves.push("proves-application"),
        Some(Outcome::NotRequested | Outcome::NotReached) => open.push("open-application"),
        _ => {}
    }
    let application = report.application.as_ref();
    let resume = application.and_then(|application| application.resume.as_ref());
    if resume.is_some_and(|resume| resume.finding == Some(ResumeFinding::Clean)) {
        proves.push("proves-resume");
    }
    let sweep = application.and_then(|application| application.sweep.as_ref());
    if sweep.is_some_and(|sweep| sweep.last_good.is_some()) {
        proves.push("proves-limit");
    }
    if report.diagnosis.is_some() {
        proves.push("proves-first-fault");
        open.push("open-later-layers");
    }
    if sweep.is_none() {
        open.push("open-full-size");
    }
    open.extend(["open-speed", "open-extensions", "open-several-gpus"]);
    let text = |ids: Vec<&str>| ids.into_iter().map(|id| words.text(id)).collect();
    (text(proves), text(open))
}

/// A whole number in words of the language.
#[allow(clippy::cast_precision_loss, reason = "shown as a whole number")]
fn amount(value: u64, words: &Guidance) -> String {
    format::number(value as f64, 0, words.language())
}

/// Bytes in words of the language.
#[allow(clippy::cast_precision_loss, reason = "shown with three figures")]
fn size(bytes: u64, words: &Guidance) -> String {
    format::bytes(bytes as f64, words.language())
}

/// The text of a word of the format; the word itself where this page is older than the report.
fn named(prefix: &str, name: &str, words: &Guidance) -> String {
    words
        .find(&word_id(prefix, name), &[])
        .unwrap_or_else(|| name.to_owned())
}

//! One report, turned into what the page shows of it: texts, in the order in which they are read. Pure.

pub mod dossier;
mod strip;

use firstfault_schema::compare::{Unit, Value, driver_version, word_id};
use firstfault_schema::facts;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Diagnosis, Evidence, Report, RequestedDevice, Scalar, Timings};
use firstfault_schema::{Code, DecisionId, Outcome, Status};

use crate::format;
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
    /// A second sentence where the first names a fault: what the code says of it.
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
    let code = word_id("code", report.code.name());
    let own = report
        .unsaved_code
        .map(|code| words.text(&word_id("code", code.name())));
    let fault = report
        .diagnosis
        .as_ref()
        .and_then(|diagnosis| fault_title(diagnosis, words));
    let code_text = words.text(&code);
    let (sentence, explanation) = match (fault, own) {
        (Some(fault), None) => (fault, Some(code_text)),
        (fault, Some(own)) => (
            code_text,
            Some(fault.map_or_else(|| own.clone(), |fault| format!("{own} {fault}"))),
        ),
        (None, None) => (code_text, None),
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
    let id = match (report.code, &report.application) {
        (Code::CpuCheckPassed, _) => "next-after-cpu",
        (Code::GpuCheckPassed, None) => "next-after-gpu",
        (Code::GpuCheckPassed, Some(application)) => {
            match (&application.resume, &application.sweep) {
                (None, _) => "next-after-application",
                (Some(_), None) => "next-after-resume",
                (Some(_), Some(_)) => "next-after-sweep",
            }
        }
        _ => "next-after-unsaved",
    };
    ActionsView {
        owner: None,
        first: ActionView {
            text: words.text(id),
            command: words.find(&format!("{id}-command"), &[]),
        },
        others: Vec::new(),
        candidates: Vec::new(),
        misleads: None,
    }
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

struct Facts<'a> {
    words: &'a Guidance,
    facts: Vec<Fact>,
}

impl Facts<'_> {
    fn text(&mut self, id: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.push(id, value.to_owned(), true);
        }
    }

    fn word(&mut self, id: &str, prefix: &'static str, value: Option<String>) {
        if let Some(name) = value {
            let value = self.words.text(&word_id(prefix, &name));
            self.push(id, value, false);
        }
    }

    fn push(&mut self, id: &str, value: String, machine: bool) {
        self.facts.push(Fact {
            name: self.words.text(id),
            value,
            machine,
        });
    }

    fn group(self, title: &str) -> Option<FactGroup> {
        (!self.facts.is_empty()).then(|| FactGroup {
            title: self.words.text(title),
            facts: self.facts,
        })
    }
}

fn name_of<T: serde::Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value)
        .ok()?
        .as_str()
        .map(str::to_owned)
}

/// The facts, group by group. What was not asked is left out; the raw report shows every field.
pub fn evidence(report: &Report, words: &Guidance) -> Vec<FactGroup> {
    let new = || Facts {
        words,
        facts: Vec::new(),
    };
    let mut groups = Vec::new();

    let mut judged = new();
    if let Some(diagnosis) = &report.diagnosis {
        judged.word(
            "field-layer",
            "layer",
            Some(diagnosis.layer.name().to_owned()),
        );
        judged.text("field-signature", Some(&diagnosis.signature));
        judged.text("field-message", diagnosis.message.as_deref());
        for fact in &diagnosis.evidence {
            judged.facts.push(evidence_fact(fact, words));
        }
    }
    groups.extend(judged.group("facts-diagnosis"));

    let (runtime, pytorch) = (&report.runtime, &report.pytorch);
    let mut package = new();
    package.text("field-pytorch-version", pytorch.version.as_deref());
    package.text(
        "field-installed-version",
        pytorch.installed_version.as_deref(),
    );
    package.word(
        "field-backend",
        "backend",
        pytorch.backend.and_then(name_of),
    );
    package.text("field-cuda-version", pytorch.cuda_version.as_deref());
    package.text("field-hip-version", pytorch.hip_version.as_deref());
    if let Some(available) = pytorch.gpu_available {
        package.push("field-gpu-available", truth(Some(available), words), false);
    }
    package.text(
        "field-visible-devices",
        pytorch
            .visible_device_count
            .map(|count| count.to_string())
            .as_deref(),
    );
    let architectures = pytorch
        .compiled_architectures
        .as_ref()
        .map(|list| list.join(" "));
    package.text("field-architectures", architectures.as_deref());
    groups.extend(package.group("facts-pytorch"));

    let mut devices = new();
    for device in pytorch.devices.iter().flatten() {
        let mut parts = vec![device.name.clone()];
        parts.extend(device.compute_capability.clone());
        parts.extend(device.total_memory_bytes.map(|bytes| size(bytes, words)));
        let name = words.text_with(
            "field-device",
            &[("index", device.index.to_string().into())],
        );
        devices.facts.push(Fact {
            name,
            value: parts.join(" · "),
            machine: true,
        });
    }
    groups.extend(devices.group("facts-devices"));

    let mut system = new();
    let python = match (&runtime.python_implementation, &runtime.python_version) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (_, version) => version.clone(),
    };
    system.text("field-python", python.as_deref());
    system.word(
        "field-environment",
        "environment",
        runtime.environment.and_then(name_of),
    );
    let machine: Vec<&str> = [&runtime.system, &runtime.architecture]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    system.text(
        "field-system",
        (!machine.is_empty()).then(|| machine.join(" ")).as_deref(),
    );
    system.word(
        "field-container",
        "container",
        runtime.container.and_then(name_of),
    );
    groups.extend(system.group("facts-system"));

    let mut host = new();
    if let Some(facts) = &report.host {
        host.word("field-host-status", "host-status", name_of(facts.status));
        for gpu in facts.gpus.iter().flatten() {
            let memory = match (gpu.used_memory_bytes, gpu.total_memory_bytes) {
                (Some(used), Some(total)) => Some(words.text_with(
                    "memory-used-of",
                    &[
                        ("used", size(used, words).into()),
                        ("total", size(total, words).into()),
                    ],
                )),
                (_, total) => total.map(|total| size(total, words)),
            };
            let value: Vec<String> = [Some(gpu.name.clone()), memory]
                .into_iter()
                .flatten()
                .collect();
            host.push("field-host-gpu", value.join(" · "), true);
        }
    }
    host.text(
        "field-driver-version",
        driver_version(report).filter(|_| report.host.is_some()),
    );
    groups.extend(host.group("facts-host"));

    let mut own = new();
    for (name, value) in &report.attempt.parameters {
        own.facts.push(Fact {
            name: name.clone(),
            value: value.to_string(),
            machine: true,
        });
    }
    groups.extend(own.group("facts-parameters"));
    groups
}

#[allow(clippy::cast_precision_loss, reason = "shown with three figures")]
fn size(bytes: u64, words: &Guidance) -> String {
    format::bytes(bytes as f64, words.language())
}

/// A fact of the evidence, worded by the catalogue where it knows it.
pub fn evidence_fact(evidence: &Evidence, words: &Guidance) -> Fact {
    let name = words
        .find(&word_id("fact", &evidence.fact), &[])
        .unwrap_or_else(|| evidence.fact.clone());
    let kind = facts::ALL
        .iter()
        .find(|fact| fact.id == evidence.fact)
        .map(|fact| fact.kind);
    let value = match (&evidence.value, kind) {
        (Scalar::Bool(value), _) => truth(Some(*value), words),
        (Scalar::Number(number), Some(facts::Kind::Bytes)) => format::value(
            &number.as_f64().map_or(Value::Missing, Value::Number),
            Unit::Bytes,
            words,
        ),
        (Scalar::Number(number), _) => format::value(
            &number.as_f64().map_or(Value::Missing, Value::Number),
            Unit::Plain,
            words,
        ),
        (Scalar::Text(text), Some(facts::Kind::Word(_))) => words
            .find(&word_id("fact-value", text), &[])
            .unwrap_or_else(|| text.clone()),
        (Scalar::Text(text), _) => text.clone(),
    };
    let machine =
        matches!(&evidence.value, Scalar::Text(_)) && !matches!(kind, Some(facts::Kind::Word(_)));
    Fact {
        name,
        value,
        machine,
    }
}

/// A receipt in a word.
pub fn truth(value: Option<bool>, words: &Guidance) -> String {
    words.text(match value {
        Some(true) => "value-true",
        Some(false) => "value-false",
        None => "value-missing",
    })
}

/// Both engines, point by point. Where libtorch decided, Python was not asked.
pub fn witnesses(report: &Report, words: &Guidance) -> Vec<WitnessRow> {
    let (execution, libtorch) = (&report.execution, &report.libtorch);
    let decided = libtorch.answer == firstfault_schema::report::WitnessAnswer::Decided;
    let missing = words.text("value-missing");
    let mut rows = Vec::new();
    let mut row = |id: &str, deciding: String, witness: String| {
        let (python, libtorch) = if decided {
            (missing.clone(), deciding)
        } else {
            (deciding, witness)
        };
        if python != missing || libtorch != missing {
            rows.push(WitnessRow {
                name: words.text(id),
                python,
                libtorch,
            });
        }
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| missing.clone());
    let count =
        |value: Option<u32>| value.map_or_else(|| missing.clone(), |count| count.to_string());
    row(
        "field-visible-devices",
        count(report.pytorch.visible_device_count),
        count(libtorch.visible_device_count),
    );
    row(
        "field-result-device",
        text(&execution.device),
        text(&libtorch.device),
    );
    row(
        "field-product",
        truth(execution.product_verified, words),
        truth(libtorch.product_verified, words),
    );
    row(
        "field-gradient",
        truth(execution.gradient_verified, words),
        truth(libtorch.gradient_verified, words),
    );
    row(
        "field-synchronized",
        truth(execution.synchronized, words),
        truth(libtorch.synchronized, words),
    );
    let loss = execution.loss.map_or_else(
        || missing.clone(),
        |loss| format::number(loss, 4, words.language()),
    );
    row("field-loss", loss, missing.clone());
    let time = |value: Option<f64>| {
        value.map_or_else(
            || missing.clone(),
            |value| format::milliseconds(value, words.language()),
        )
    };
    let mut times = |id: &str, of: fn(&Timings) -> Option<f64>| {
        row(
            id,
            time(of(&execution.timings)),
            time(of(&libtorch.timings)),
        );
    };
    times("field-import-time", |timings| timings.import_ms);
    times("field-first-pass", |timings| timings.first_pass_ms);
    times("field-following-pass", |timings| timings.following_pass_ms);
    row(
        "field-cpu-control",
        missing.clone(),
        truth(libtorch.cpu_control, words),
    );
    row(
        "field-gpu-hooks",
        missing.clone(),
        truth(libtorch.gpu_hooks, words),
    );
    row(
        "field-missing-library",
        missing.clone(),
        text(&libtorch.missing),
    );
    rows
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
    if report.diagnosis.is_some() {
        proves.push("proves-first-fault");
        open.push("open-later-layers");
    }
    if report
        .application
        .as_ref()
        .is_none_or(|application| application.sweep.is_none())
    {
        open.push("open-full-size");
    }
    open.extend(["open-speed", "open-extensions", "open-several-gpus"]);
    let text = |ids: Vec<&str>| ids.into_iter().map(|id| words.text(id)).collect();
    (text(proves), text(open))
}

/// The name of a compared field for people; none where only its path tells it.
pub fn field_name(path: &str, words: &Guidance) -> Option<String> {
    if let Some(fact) = path.strip_prefix("diagnosis.evidence.") {
        return words.find(&word_id("fact", fact), &[]);
    }
    if let Some(point) = path.strip_prefix("application.outputs.") {
        return words.find(&word_id("contract", point), &[]);
    }
    if let Some(decision) = path.strip_prefix("decisions.") {
        return words.find(&word_id("decision", decision), &[]);
    }
    if path.starts_with("attempt.parameters.") {
        return Some(words.text("compared-parameter"));
    }
    words.find(&format!("compared-{}", path.replace(['.', '_'], "-")), &[])
}

/// A fault that a log tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedFault {
    /// Its title.
    pub title: String,
    /// Its layer.
    pub layer: String,
    /// Who must act.
    pub owner: String,
    /// Its identifier.
    pub signature: String,
    /// Where it is told.
    pub line: Option<String>,
    /// The line, cleaned.
    pub message: String,
    /// What misleads about it.
    pub misleads: Option<String>,
    /// What to do.
    pub actions: Vec<ActionView>,
}

/// An explained log.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedView {
    /// How many faults there are.
    pub summary: String,
    /// The faults, the first cause first.
    pub faults: Vec<ExplainedFault>,
}

/// What a log says.
pub fn explained(explained: &crate::state::Explained, words: &Guidance) -> ExplainedView {
    #[allow(clippy::cast_precision_loss, reason = "a handful of faults")]
    let count = explained.faults.len() as f64;
    let mut summary = words.text_with("log-faults", &[("count", count.into())]);
    if let Some(name) = &explained.name {
        summary = format!("{name}: {summary}");
    }
    let faults = explained.faults.iter().map(|fault| ExplainedFault {
        title: words
            .find(&word_id("fault", &fault.signature), &[])
            .unwrap_or_else(|| {
                words.text(&word_id(
                    "layer",
                    &format!("{}-meaning", fault.layer.name()),
                ))
            }),
        layer: words.text(&word_id("layer", fault.layer.name())),
        owner: words.text(&word_id("owner", fault.owner.name())),
        signature: fault.signature.clone(),
        line: (fault.line > 0)
            .then(|| words.text_with("log-line", &[("line", fault.line.to_string().into())])),
        message: fault.message.clone(),
        misleads: words.find(
            &word_id("fault", &format!("{}-misleads", fault.signature)),
            &[],
        ),
        actions: fault.actions.iter().map(|id| action(id, words)).collect(),
    });
    ExplainedView {
        summary,
        faults: faults.collect(),
    }
}

//! A report as a flat list of fields, each with what it is and how a difference in it is judged.

mod dossier;

use crate::report::{Host, Report, Scalar};

/// What a field is, and in which direction it is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of the configuration, and the factor that it belongs to.
    Configuration(Factor),
    /// A result without a direction.
    State,
    /// The outcome of a decision or of a point of the contract.
    Outcome,
    /// A receipt: true is better.
    Verified,
    /// A duration in ms that was measured once: less is better.
    Single,
    /// A duration in ms out of repeated measurements: less is better.
    Repeated,
    /// Memory in bytes: less is better.
    Memory,
    /// Items per second: more is better.
    Throughput,
    /// Memory in bytes that no known process holds: less is better, by more than so many bytes.
    Held(u64),
    /// Memory in bytes in use, nobody can tell by whom: no direction, and a change by more than so many bytes.
    Used(u64),
    /// An exact number of which fewer are better.
    Fewer(Unit),
    /// An exact number of which more are better.
    More(Unit),
}

impl Kind {
    /// The unit of its numbers.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Single | Self::Repeated => Unit::Milliseconds,
            Self::Memory | Self::Held(_) | Self::Used(_) => Unit::Bytes,
            Self::Throughput => Unit::PerSecond,
            Self::Fewer(unit) | Self::More(unit) => unit,
            _ => Unit::Plain,
        }
    }
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// None: a count or a version.
    Plain,
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Items per second.
    PerSecond,
}

/// What one change of the configuration changes. Fields of one factor change together and count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// A declared parameter; each one is a factor of its own.
    Parameter,
    /// The command of the application.
    Command,
    /// The input of the application.
    Input,
    /// The model.
    Model,
    /// What was demanded: the device and its index.
    Request,
    /// The engine that decides.
    Engine,
    /// The interpreter.
    Python,
    /// The PyTorch package, with everything that comes with it.
    Package,
    /// The kind of Python environment.
    Environment,
    /// The container.
    Container,
    /// The GPU models.
    Devices,
    /// The driver.
    Driver,
    /// Operating system and architecture.
    System,
    /// FirstFault itself.
    Tool,
}

impl Factor {
    /// Its name; its text for people is `factor-` and this.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::Command => "command",
            Self::Input => "input",
            Self::Model => "model",
            Self::Request => "request",
            Self::Engine => "engine",
            Self::Python => "python",
            Self::Package => "package",
            Self::Environment => "environment",
            Self::Container => "container",
            Self::Devices => "devices",
            Self::Driver => "driver",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// A value for people: typed, not yet worded.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null or not there.
    Missing,
    /// A truth value.
    Truth(bool),
    /// A number, in the unit of its field.
    Number(f64),
    /// Text that a machine or the user said.
    Text(String),
    /// A word of the format: the prefix of its Fluent identifier, and its name in the report.
    Word(&'static str, String),
}

/// The Fluent identifier of a word: `outcome` and `not_reached` give `outcome-not-reached`.
pub fn word_id(prefix: &str, name: &str) -> String {
    format!("{prefix}-{}", name.replace('_', "-").to_lowercase())
}

/// One field of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its path, for example `execution.timings.import_ms`.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Its value.
    pub value: Value,
    /// How far repeated measurements of it lay apart, where that is known.
    pub spread: Option<f64>,
}

struct List(Vec<Field>);

impl List {
    fn put(&mut self, path: impl Into<String>, kind: Kind, value: Value) {
        self.0.push(Field {
            path: path.into(),
            kind,
            value,
            spread: None,
        });
    }

    fn text(&mut self, path: &str, kind: Kind, value: Option<&str>) {
        self.put(
            path,
            kind,
            value.map_or(Value::Missing, |text| Value::Text(text.to_owned())),
        );
    }

    fn word(
        &mut self,
        path: impl Into<String>,
        kind: Kind,
        prefix: &'static str,
        name: Option<String>,
    ) {
        self.put(
            path,
            kind,
            name.map_or(Value::Missing, |name| Value::Word(prefix, name)),
        );
    }

    fn truth(&mut self, path: &str, value: Option<bool>) {
        self.put(
            path,
            Kind::Verified,
            value.map_or(Value::Missing, Value::Truth),
        );
    }

    fn number(&mut self, path: impl Into<String>, kind: Kind, value: Option<f64>) {
        self.put(path, kind, value.map_or(Value::Missing, Value::Number));
    }
}

/// Counts and bytes are far below 2^53.
#[allow(
    clippy::cast_precision_loss,
    reason = "counts and bytes are far below 2^53"
)]
fn float(value: u64) -> f64 {
    value as f64
}

fn name_of<T: serde::Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value)
        .ok()?
        .as_str()
        .map(str::to_owned)
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Bool(truth) => Value::Truth(*truth),
        Scalar::Number(number) => number.as_f64().map_or(Value::Missing, Value::Number),
        Scalar::Text(text) => Value::Text(text.clone()),
    }
}

fn joined(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join(", "))
}

/// Every field that two reports are compared by, in the order of a report. Identifiers, labels and times of day are
/// no fields: they differ always and mean nothing.
pub fn fields(report: &Report) -> Vec<Field> {
    let mut list = List(Vec::with_capacity(96));
    configuration(report, &mut list);
    results(report, &mut list);
    if let Some(application) = &report.application {
        dossier::dossier(application, &mut list);
    }
    list.0
}

fn configuration(report: &Report, list: &mut List) {
    use Kind::Configuration;
    for (name, value) in &report.attempt.parameters {
        list.put(
            format!("attempt.parameters.{name}"),
            Configuration(Factor::Parameter),
            scalar(value),
        );
    }
    let (execution, runtime, pytorch) = (&report.execution, &report.runtime, &report.pytorch);
    list.word(
        "execution.requested_device",
        Configuration(Factor::Request),
        "device",
        name_of(execution.requested_device),
    );
    list.number(
        "execution.requested_index",
        Configuration(Factor::Request),
        execution.requested_index.map(f64::from),
    );
    list.word(
        "execution.engine",
        Configuration(Factor::Engine),
        "engine",
        name_of(execution.engine),
    );
    list.text(
        "runtime.python_version",
        Configuration(Factor::Python),
        runtime.python_version.as_deref(),
    );
    list.text(
        "runtime.python_implementation",
        Configuration(Factor::Python),
        runtime.python_implementation.as_deref(),
    );
    list.word(
        "runtime.environment",
        Configuration(Factor::Environment),
        "environment",
        runtime.environment.and_then(name_of),
    );
    list.word(
        "runtime.container",
        Configuration(Factor::Container),
        "container",
        runtime.container.and_then(name_of),
    );
    list.text(
        "runtime.system",
        Configuration(Factor::System),
        runtime.system.as_deref(),
    );
    list.text(
        "runtime.architecture",
        Configuration(Factor::System),
        runtime.architecture.as_deref(),
    );
    list.text(
        "pytorch.installed_version",
        Configuration(Factor::Package),
        pytorch.installed_version.as_deref(),
    );
    // What the import tells is configuration only while it tells: a failed import changes no package.
    if pytorch.version.is_some() {
        list.text(
            "pytorch.version",
            Configuration(Factor::Package),
            pytorch.version.as_deref(),
        );
        list.text(
            "pytorch.cuda_version",
            Configuration(Factor::Package),
            pytorch.cuda_version.as_deref(),
        );
        list.text(
            "pytorch.hip_version",
            Configuration(Factor::Package),
            pytorch.hip_version.as_deref(),
        );
        list.word(
            "pytorch.backend",
            Configuration(Factor::Package),
            "backend",
            pytorch.backend.and_then(name_of),
        );
    }
    if let Some(architectures) = &pytorch.compiled_architectures {
        list.text(
            "pytorch.compiled_architectures",
            Configuration(Factor::Package),
            joined(architectures).as_deref(),
        );
    }
    if let Some(devices) = &pytorch.devices {
        let names: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
        list.text(
            "pytorch.devices",
            Configuration(Factor::Devices),
            joined(&names).as_deref(),
        );
    }
    if let Some(driver) = driver_version(report) {
        list.text(
            "host.driver_version",
            Configuration(Factor::Driver),
            Some(driver),
        );
    }
    list.text(
        "tool.version",
        Configuration(Factor::Tool),
        Some(&format!("{} {}", report.tool.name, report.tool.version)),
    );
}

/// The driver's version as the host check or the evidence tells it.
pub fn driver_version(report: &Report) -> Option<&str> {
    let told = report
        .host
        .as_ref()
        .and_then(|host| host.driver_version.as_deref());
    told.or_else(|| {
        let evidence = &report.diagnosis.as_ref()?.evidence;
        evidence
            .iter()
            .find(|fact| fact.fact == "kernel_driver_version")
            .and_then(|fact| match &fact.value {
                Scalar::Text(text) => Some(text.as_str()),
                _ => None,
            })
    })
}

/// What a GPU's memory in use may differ by without meaning anything: a driver keeps some for itself.
const HELD_BYTES: u64 = 256 * 1024 * 1024;

/// Memory of each GPU that no process of the driver's list holds. In a container that list tells nothing: then the whole
/// memory in use stands there, and accuses nobody.
fn held(host: &Host, list: &mut List) {
    list.word(
        "host.status",
        Kind::State,
        "host-status",
        name_of(host.status),
    );
    for (at, gpu) in host.gpus.iter().flatten().enumerate() {
        let least = HELD_BYTES.max(gpu.total_memory_bytes.unwrap_or(0) / 100);
        match (gpu.used_memory_bytes, gpu.process_memory_bytes) {
            (Some(used), Some(known)) => list.number(
                format!("host.gpus.{at}.unattributed_bytes"),
                Kind::Held(least),
                Some(float(used.saturating_sub(known))),
            ),
            (Some(used), None) => list.number(
                format!("host.gpus.{at}.used_bytes"),
                Kind::Used(least),
                Some(float(used)),
            ),
            (None, _) => {}
        }
    }
}

fn results(report: &Report, list: &mut List) {
    list.text("code", Kind::State, Some(report.code.name()));
    list.word(
        "stage",
        Kind::State,
        "stage",
        Some(report.stage.name().to_owned()),
    );
    for decision in &report.decisions {
        let path = format!("decisions.{}", decision.id.name());
        list.word(
            path,
            Kind::Outcome,
            "outcome",
            Some(decision.outcome.name().to_owned()),
        );
    }
    if let Some(noise) = &report.noise {
        list.number("noise.runs", Kind::State, Some(f64::from(noise.runs)));
        list.number("noise.passed", Kind::State, Some(f64::from(noise.passed)));
    }
    let pytorch = &report.pytorch;
    list.truth("pytorch.gpu_available", pytorch.gpu_available);
    list.number(
        "pytorch.visible_device_count",
        Kind::State,
        pytorch.visible_device_count.map(f64::from),
    );
    if let Some(host) = &report.host {
        held(host, list);
    }
    let execution = &report.execution;
    list.text("execution.device", Kind::State, execution.device.as_deref());
    list.text("execution.dtype", Kind::State, execution.dtype.as_deref());
    list.truth("execution.product_verified", execution.product_verified);
    list.truth("execution.gradient_verified", execution.gradient_verified);
    list.truth("execution.synchronized", execution.synchronized);
    list.number("execution.loss", Kind::State, execution.loss);
    list.number(
        "execution.timings.import_ms",
        Kind::Single,
        execution.timings.import_ms,
    );
    list.number(
        "execution.timings.first_pass_ms",
        Kind::Single,
        execution.timings.first_pass_ms,
    );
    list.number(
        "execution.timings.following_pass_ms",
        Kind::Single,
        execution.timings.following_pass_ms,
    );
    list.word(
        "libtorch.answer",
        Kind::State,
        "witness",
        Some(report.libtorch.answer.name().to_owned()),
    );
    list.text(
        "libtorch.missing",
        Kind::State,
        report.libtorch.missing.as_deref(),
    );
    if let Some(diagnosis) = &report.diagnosis {
        list.word(
            "diagnosis.layer",
            Kind::State,
            "layer",
            Some(diagnosis.layer.name().to_owned()),
        );
        list.word(
            "diagnosis.owner",
            Kind::State,
            "owner",
            Some(diagnosis.owner.name().to_owned()),
        );
        list.text(
            "diagnosis.signature",
            Kind::State,
            Some(&diagnosis.signature),
        );
        for fact in diagnosis
            .evidence
            .iter()
            .filter(|fact| fact.fact != "kernel_driver_version")
        {
            list.put(
                format!("diagnosis.evidence.{}", fact.fact),
                Kind::State,
                scalar(&fact.value),
            );
        }
    }
}

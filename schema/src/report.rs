//! The report, format version 1: plain data, an allow-list of fields.
//!
//! Null means "was not asked or does not apply", as the field's documentation says. The program of this version
//! writes every field; a field that is absent was not known to an older writer and is read as null.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Code, Status};
use crate::decision::Decision;

mod application;
mod scaling;

pub use application::{
    Application, ApplicationStage, CommandEnding, ContractPoint, DeviceMemory, EndingKind,
    FollowingPasses, Input, Memory, MemoryPeak, Model, Passes, Tensor,
};
pub use scaling::{
    Checkpoint, LossPoint, MAX_LOSS_POINTS, MAX_SWEEP_STEPS, Measure, MemoryLimit, Noise, Resume,
    ResumeFinding, ResumedTraining, StopTrigger, Sweep, SweepEnd, SweepStep, ThroughputOf,
};

/// The value of the field `format` in every report.
pub const FORMAT: &str = "firstfault-report";
/// The format version that this crate writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// The most bytes that a report without an application dossier may have.
pub const MAX_CHECK_BYTES: usize = 32 * 1024;
/// The most bytes that a report with an application dossier may have.
pub const MAX_APPLICATION_BYTES: usize = 512 * 1024;
/// The most characters of a cleaned message.
pub const MAX_MESSAGE_CHARS: usize = 500;
/// The most characters of a label, of a parameter's name and of a parameter's text.
pub const MAX_LABEL_CHARS: usize = 120;
/// The most facts of a diagnosis.
pub const MAX_EVIDENCE: usize = 256;
/// The most parameters that an attempt may declare.
pub const MAX_PARAMETERS: usize = 64;

/// One attempt, as the program wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Always `firstfault-report`.
    pub format: String,
    /// Format version, 1.
    pub version: u32,
    /// Passed exactly when the code is a pass.
    pub status: Status,
    /// How the attempt ended.
    pub code: Code,
    /// The exit number that belongs to `code`.
    pub exit_code: u8,
    /// The code of the attempt itself, where `code` is `OUTPUT_WRITE_FAILED`; otherwise null.
    pub unsaved_code: Option<Code>,
    /// The stage in which the attempt ended; for a pass, the last one that was completed.
    pub stage: Stage,
    /// The program that wrote this report.
    pub tool: Tool,
    /// Which execution this was.
    pub attempt: Attempt,
    /// The four decisions, in order.
    pub decisions: Vec<Decision>,
    /// The interpreter and system that were examined.
    pub runtime: Runtime,
    /// What the imported PyTorch says of itself.
    pub pytorch: Pytorch,
    /// What the deciding engine computed, and where.
    pub execution: Execution,
    /// The same facts from the libtorch engine, or why there are none.
    pub libtorch: Libtorch,
    /// Driver facts of the host; null unless `--host-check` was given.
    pub host: Option<Host>,
    /// The first failing layer; null when passed.
    pub diagnosis: Option<Diagnosis>,
    /// The dossier of the user's own command; null for a check.
    pub application: Option<Application>,
    /// How much the measures of this attempt differ when it is repeated (`--repeat`); null where it was not.
    #[serde(default)]
    pub noise: Option<Noise>,
}

/// A named step with a begin and an end, in the order in which they happen.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The interpreter is started.
    Interpreter,
    /// PyTorch is imported.
    Import,
    /// The build's backend is read.
    Backend,
    /// The device is initialised and chosen.
    Device,
    /// Tensors are allocated on it.
    Allocation,
    /// The product is computed and compared.
    Product,
    /// The gradient is computed and compared.
    Gradient,
    /// The device is synchronised and the receipt is computed.
    Synchronize,
    /// The user's own command runs.
    Application,
    /// The report is saved.
    Output,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 10] = [
        Self::Interpreter,
        Self::Import,
        Self::Backend,
        Self::Device,
        Self::Allocation,
        Self::Product,
        Self::Gradient,
        Self::Synchronize,
        Self::Application,
        Self::Output,
    ];

    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Import => "import",
            Self::Backend => "backend",
            Self::Device => "device",
            Self::Allocation => "allocation",
            Self::Product => "product",
            Self::Gradient => "gradient",
            Self::Synchronize => "synchronize",
            Self::Application => "application",
            Self::Output => "output",
        }
    }
}

/// Where a fault lies; the first one that fails, from the interpreter down and then up into the application.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The wrong Python, or one that can't start.
    Interpreter,
    /// PyTorch is there and does not import.
    Import,
    /// The installed build or its libraries do not fit.
    Package,
    /// Kernel driver, firmware, hardware, fabric, or a driver that is too old.
    Driver,
    /// The device exists, but not for this process.
    Exposure,
    /// The first allocation fails.
    Allocation,
    /// Kernels fail or give wrong results.
    Computation,
    /// Asynchronous errors, hangs, unsynchronised times.
    Synchronization,
    /// Application: weights are missing, truncated or foreign.
    Weights,
    /// Application: a compiled add-on.
    Extension,
    /// Application: tensors on two devices.
    Placement,
    /// Application: number formats that do not fit.
    Dtype,
    /// Application: memory at load, at the first computation, or growing.
    Memory,
    /// Application: loading, workers, shared memory.
    Data,
    /// Application: outputs are wrong, missing, not finite or repeated.
    Output,
    /// Application: several GPUs or ranks.
    Distribution,
    /// Application: stop and resume.
    Resume,
}

impl Layer {
    /// All layers, in order.
    pub const ALL: [Self; 17] = [
        Self::Interpreter,
        Self::Import,
        Self::Package,
        Self::Driver,
        Self::Exposure,
        Self::Allocation,
        Self::Computation,
        Self::Synchronization,
        Self::Weights,
        Self::Extension,
        Self::Placement,
        Self::Dtype,
        Self::Memory,
        Self::Data,
        Self::Output,
        Self::Distribution,
        Self::Resume,
    ];

    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Import => "import",
            Self::Package => "package",
            Self::Driver => "driver",
            Self::Exposure => "exposure",
            Self::Allocation => "allocation",
            Self::Computation => "computation",
            Self::Synchronization => "synchronization",
            Self::Weights => "weights",
            Self::Extension => "extension",
            Self::Placement => "placement",
            Self::Dtype => "dtype",
            Self::Memory => "memory",
            Self::Data => "data",
            Self::Output => "output",
            Self::Distribution => "distribution",
            Self::Resume => "resume",
        }
    }
}

/// Whose job it is to act.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// Whoever runs the machine.
    Host,
    /// Whoever builds and starts the container or environment.
    Image,
    /// Whoever installs packages: another build is needed.
    Package,
    /// The user's own code or settings.
    Program,
}

impl Owner {
    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Image => "image",
            Self::Package => "package",
            Self::Program => "program",
        }
    }
}

/// The program that wrote the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `firstfault`, or the name of another writer of this format.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One execution with an identifier and recorded parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// Random, unique; 32 lower-case hexadecimal digits.
    pub id: String,
    /// The user's own word for it (`--label`); null when none was given.
    pub label: Option<String>,
    /// Start, UTC, RFC 3339 to the second, for example `2026-11-30T03:28:00Z`.
    pub started_at: String,
    /// The user's own declared parameters (`--set`), by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, Scalar>,
    /// The attempt that this one is to be compared with; null when none was named.
    pub baseline_id: Option<String>,
}

/// A number, truth value or short text.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(with = "ScalarShape")]
pub enum Scalar {
    /// `true` or `false`.
    Bool(bool),
    /// Any JSON number.
    Number(serde_json::Number),
    /// Bounded text.
    Text(String),
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "describes Scalar to JSON Schema")]
enum ScalarShape {
    Bool(bool),
    Number(f64),
    Text(String),
}

impl Serialize for Scalar {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => value.serialize(serializer),
            Self::Number(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Bool(value) => Ok(Self::Bool(value)),
            serde_json::Value::Number(value) => Ok(Self::Number(value)),
            serde_json::Value::String(value) => Ok(Self::Text(value)),
            _ => Err(serde::de::Error::custom(
                "expected a number, a string, true or false",
            )),
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl From<&str> for Scalar {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Scalar {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Scalar {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

/// The interpreter and system that were examined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    /// For example `3.11.7`; null where no Python answered or none was asked.
    pub python_version: Option<String>,
    /// For example `CPython`; null where no Python answered or none was asked.
    pub python_implementation: Option<String>,
    /// What kind of environment the interpreter belongs to; null where none was settled.
    pub environment: Option<Environment>,
    /// `Linux`, `Windows` or `Darwin`; null when not known.
    pub system: Option<String>,
    /// For example `x86_64`; null when not known.
    pub architecture: Option<String>,
    /// The kind of container; `none` where there is none, null when it could not be told.
    pub container: Option<Container>,
}

/// Kind of Python environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// A folder with `pyvenv.cfg`.
    Venv,
    /// A folder with `conda-meta`.
    Conda,
    /// An interpreter that belongs to the operating system.
    System,
    /// Any other, such as pyenv or a build from source.
    Other,
}

/// Kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// No container.
    None,
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// Kubernetes, whatever its runtime.
    Kubernetes,
    /// Apptainer or Singularity.
    Apptainer,
    /// LXC or LXD.
    Lxc,
    /// Windows Subsystem for Linux.
    Wsl,
    /// Another container.
    Other,
}

/// What PyTorch says of itself. Values are those of what was really imported, never of a file name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pytorch {
    /// Version in the installed metadata, read from disk without an import; null where none is installed.
    pub installed_version: Option<String>,
    /// `torch.__version__`; null where the import was not reached or failed.
    pub version: Option<String>,
    /// `torch.version.cuda`; null on CPU and ROCm builds, or when not imported.
    pub cuda_version: Option<String>,
    /// `torch.version.hip`; null on CPU and CUDA builds, or when not imported.
    pub hip_version: Option<String>,
    /// The GPU backend that the build declares; null when not imported.
    pub backend: Option<Backend>,
    /// Whether the device could be initialised. Null in CPU mode: the driver was not asked.
    pub gpu_available: Option<bool>,
    /// Devices visible to this process. Null in CPU mode: the driver was not asked.
    pub visible_device_count: Option<u32>,
    /// The visible devices; null in CPU mode or where initialisation failed.
    pub devices: Option<Vec<Device>>,
    /// Random salt of the devices' identities, 32 lower-case hexadecimal digits; that of the baseline for a `recheck`.
    /// Null where no device told who it is.
    #[serde(default)]
    pub device_salt: Option<String>,
    /// Architectures that the build has kernels for, for example `sm_90`; null when not asked.
    pub compiled_architectures: Option<Vec<String>>,
}

/// The GPU backend that a PyTorch build declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// NVIDIA CUDA.
    Cuda,
    /// AMD ROCm; uses `torch.cuda` and devices called `cuda`.
    Rocm,
    /// Neither.
    None,
}

/// One visible GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Device {
    /// Index among the visible devices, from 0.
    pub index: u32,
    /// Product name as the driver tells it.
    pub name: String,
    /// For example `9.0`; on ROCm the gfx target, for example `gfx1100`; null when not told.
    pub compute_capability: Option<String>,
    /// Total memory in bytes; null when not told.
    pub total_memory_bytes: Option<u64>,
    /// The first 32 hexadecimal digits of the SHA-256 of salt and UUID: the same for the same card under the same salt,
    /// and never the UUID itself. Null where the card told none.
    #[serde(default)]
    pub identity: Option<String>,
}

/// What was demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestedDevice {
    /// A GPU: the default.
    Gpu,
    /// The CPU, on explicit request.
    Cpu,
}

/// The fixed computation, as the deciding engine did it. Null: that point was not reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// The engine that decided.
    pub engine: Engine,
    /// What was demanded.
    pub requested_device: RequestedDevice,
    /// The GPU index that was demanded; null in CPU mode.
    pub requested_index: Option<u32>,
    /// Device of the result tensor, read back from it: `cuda:0` or `cpu`.
    pub device: Option<String>,
    /// Number format of the result tensor, `float32`.
    pub dtype: Option<String>,
    /// The product equals [[4,4],[10,8]] exactly.
    pub product_verified: Option<bool>,
    /// The gradient equals [[16,24],[40,52]] exactly.
    pub gradient_verified: Option<bool>,
    /// The device was synchronised after the computation, and the product of random integers that the parent chose came back right.
    pub synchronized: Option<bool>,
    /// Sum of squares of the product, 196 when right; null also where it is not finite.
    pub loss: Option<f64>,
    /// Durations of the steps.
    pub timings: Timings,
}

/// Which engine did the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `import torch` in the settled interpreter.
    Python,
    /// libtorch without Python.
    Libtorch,
}

/// Durations in milliseconds, each between two synchronisations. Null: not reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// `import torch`, or loading libtorch.
    pub import_ms: Option<f64>,
    /// The first computation, with every initialisation that it brings.
    pub first_pass_ms: Option<f64>,
    /// A following computation.
    pub following_pass_ms: Option<f64>,
}

/// What the libtorch engine says. As a witness it explains and never overrules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Libtorch {
    /// Its answer.
    pub answer: WitnessAnswer,
    /// The stage in which it ended; null where it agrees or did not run.
    pub stage: Option<Stage>,
    /// Its cleaned message, 500 characters at most; null where there is none.
    pub message: Option<String>,
    /// The library's base name that the loader could not open, or the symbol's that it could not find.
    pub missing: Option<String>,
    /// The fixed computation on the CPU came out exactly; null when not reached.
    pub cpu_control: Option<bool>,
    /// The CUDA or HIP library was loaded and its hooks answer; null when not reached.
    pub gpu_hooks: Option<bool>,
    /// Devices visible to this engine; null when not asked.
    pub visible_device_count: Option<u32>,
    /// Device of the result tensor; null when not reached.
    pub device: Option<String>,
    /// The product was right on that device; null when not reached.
    pub product_verified: Option<bool>,
    /// The gradient was right on that device; null when not reached.
    pub gradient_verified: Option<bool>,
    /// The device was synchronised and the receipt was right; null when not reached.
    pub synchronized: Option<bool>,
    /// Durations of the steps.
    pub timings: Timings,
}

impl Libtorch {
    /// A witness that gave `answer` and nothing else.
    pub fn only(answer: WitnessAnswer) -> Self {
        Self {
            answer,
            stage: None,
            message: None,
            missing: None,
            cpu_control: None,
            gpu_hooks: None,
            visible_device_count: None,
            device: None,
            product_verified: None,
            gradient_verified: None,
            synchronized: None,
            timings: Timings::default(),
        }
    }
}

/// Answers of the libtorch engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WitnessAnswer {
    /// It saw the same: both pass, or both fail in the same decision.
    Agrees,
    /// It saw something else, with its stage and message.
    Disagrees,
    /// Built for other libraries: a symbol is undefined, or the control on the CPU is not exact.
    Incompatible,
    /// The loader cannot open a library: a finding about the environment.
    MissingLibrary,
    /// This installation of FirstFault has no libtorch worker.
    NotBuilt,
    /// It was not asked (`--engine python`), or there was nothing for it to load.
    NotRun,
    /// It ended with no usable answer: a crash, a signal or its time limit.
    NoAnswer,
    /// It was the deciding engine; see `execution`.
    Decided,
}

impl WitnessAnswer {
    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Disagrees => "disagrees",
            Self::Incompatible => "incompatible",
            Self::MissingLibrary => "missing_library",
            Self::NotBuilt => "not_built",
            Self::NotRun => "not_run",
            Self::NoAnswer => "no_answer",
            Self::Decided => "decided",
        }
    }
}

/// NVIDIA driver facts, as `nvidia-smi` told them within 3 s. No equivalent for ROCm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// How the host check itself ended.
    pub status: HostStatus,
    /// For example `550.54.14`; null when not told.
    pub driver_version: Option<String>,
    /// GPUs as the driver counts them, whatever this process may see; null when not told.
    pub gpus: Option<Vec<HostGpu>>,
}

/// How the host check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostStatus {
    /// It answered.
    Answered,
    /// There is no `nvidia-smi` here.
    NotInstalled,
    /// It failed, without a usable answer.
    Failed,
    /// It was stopped after 3 s.
    TimedOut,
}

/// Memory of one GPU as the driver tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostGpu {
    /// Product name.
    pub name: String,
    /// Total memory in bytes; null when not told.
    pub total_memory_bytes: Option<u64>,
    /// Used memory in bytes, by any process; null when not told.
    pub used_memory_bytes: Option<u64>,
    /// Memory in bytes of the processes that the driver names; null when not told. A container may be shown none of them.
    #[serde(default)]
    pub process_memory_bytes: Option<u64>,
}

/// The first failing layer, whose job it is, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// The first failing layer.
    pub layer: Layer,
    /// Who must act.
    pub owner: Owner,
    /// Identifier of the fault in the catalogue, or `unknown`.
    pub signature: String,
    /// Other faults of the catalogue that the same evidence would fit; empty when one stands out.
    #[serde(default)]
    pub candidates: Vec<String>,
    /// Cleaned message of the first error, 500 characters at most; null where there was none.
    pub message: Option<String>,
    /// Facts that the judgement rests on.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Identifiers of the actions, the one to do first on top.
    #[serde(default)]
    pub actions: Vec<String>,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Identifier of the fact, for example `cuda_visible_devices`.
    pub fact: String,
    /// Its value: a number, a truth value or a word of the catalogue; never a path or a variable's value.
    pub value: Scalar,
}

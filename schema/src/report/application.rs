//! The dossier of the user's own command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Diagnosis, Resume, Scalar, Sweep};
use crate::decision::Outcome;

/// The application dossier. Everything the run of the user's own command showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Application {
    /// The command by the allow-list: base name and option names; values only when numeric, boolean or declared.
    pub command: Vec<String>,
    /// Smallest input that was used; null when the contract names none.
    pub input: Option<Input>,
    /// How the command ended; null for another writer that did not tell.
    pub ending: Option<CommandEnding>,
    /// The model as the markers described it; null without markers.
    pub model: Option<Model>,
    /// First fault of the application; null when there was none.
    pub first_fault: Option<Diagnosis>,
    /// Stages in the order of their begin: the first ones, the last ones, and every one that never ended.
    #[serde(default)]
    pub stages: Vec<ApplicationStage>,
    /// How many stages in between are left out of `stages`; null when none was.
    pub stages_left_out: Option<u64>,
    /// Times of the passes; null where no stage was repeated.
    pub passes: Option<Passes>,
    /// Memory over the whole run; null when nothing was measured.
    pub memory: Option<MemoryPeak>,
    /// Tensors that the markers named.
    #[serde(default)]
    pub tensors: Vec<Tensor>,
    /// The contract, point by point; empty without a contract.
    #[serde(default)]
    pub outputs: Vec<ContractPoint>,
    /// Name of the last stage that ended; null when none did.
    pub last_completed_stage: Option<String>,
    /// Proof of stop and resume; null when not asked.
    pub resume: Option<Resume>,
    /// Operating range along one axis; null when not asked.
    pub sweep: Option<Sweep>,
}

/// How the command ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandEnding {
    /// What ended it.
    pub how: EndingKind,
    /// Its exit code; null where it had none.
    pub exit_code: Option<i64>,
    /// The signal that ended it, for example `SIGSEGV`; null where there was none.
    pub signal: Option<String>,
    /// From its start to its end, in ms.
    pub wall_ms: f64,
}

/// What ended a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndingKind {
    /// It exited by itself.
    Exited,
    /// A signal ended it that did not come from FirstFault.
    Signalled,
    /// It was stopped at the time limit.
    TimedOut,
    /// Ctrl-C was passed on to it.
    Interrupted,
    /// It could not be started.
    NotStarted,
    /// Nobody knows.
    Lost,
}

impl EndingKind {
    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::Signalled => "signalled",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
            Self::NotStarted => "not_started",
            Self::Lost => "lost",
        }
    }
}

/// The input of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Number of examples.
    pub count: Option<u64>,
    /// Longest example, in the contract's own unit.
    pub longest: Option<u64>,
    /// SHA-256 of the input, hexadecimal.
    pub digest: Option<String>,
}

/// The model as the markers described it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// Number of parameters.
    pub parameters: Option<u64>,
    /// Number formats of the parameters.
    #[serde(default)]
    pub dtypes: Vec<String>,
    /// Devices of the parameters.
    #[serde(default)]
    pub devices: Vec<String>,
    /// `training` or `evaluation`, in the last compute stage, or where the model was named; null when not told.
    pub mode: Option<String>,
    /// Whether gradients were tracked in the last compute stage; null when not told.
    pub gradients: Option<bool>,
    /// Whether inference mode was on in the last compute stage, which is another switch; null when not told.
    pub inference_mode: Option<bool>,
}

/// A stage of the application, as it was marked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApplicationStage {
    /// The program's own name for it.
    pub name: String,
    /// Which repetition, from 1.
    pub pass: u32,
    /// Begin, in ms after the start of the command.
    pub began_ms: f64,
    /// End, in ms after the start of the command; null for a stage that never ended.
    pub ended_ms: Option<f64>,
    /// Whether the device was synchronised at both ends: without it, a time says nothing about the device's work. Null where there is no device.
    pub synchronized: Option<bool>,
    /// Memory at the begin; null when not measured.
    pub memory_before: Option<Memory>,
    /// Memory at the end; null when not measured or not ended.
    pub memory_after: Option<Memory>,
}

/// Memory at one point, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// `torch.cuda.memory_allocated()`: what tensors hold; null without a GPU.
    pub allocated_bytes: Option<u64>,
    /// `torch.cuda.memory_reserved()`: what the allocator holds; null without a GPU.
    pub reserved_bytes: Option<u64>,
    /// `torch.cuda.max_memory_allocated()`; null without a GPU.
    pub peak_allocated_bytes: Option<u64>,
    /// Resident memory: of the marking process at the ends of a stage, of all the command's processes together at the peak. Null when not measured.
    pub resident_bytes: Option<u64>,
}

/// Times of repeated stages: the first apart from the following ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passes {
    /// Name of the repeated stage; null for another writer that did not tell.
    pub stage: Option<String>,
    /// Whether the device was synchronised at both ends of every pass; null where there is no device.
    pub synchronized: Option<bool>,
    /// The first pass.
    pub first_ms: f64,
    /// The following ones; null where there was only one.
    pub following: Option<FollowingPasses>,
}

/// Statistics of the following passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FollowingPasses {
    /// How many.
    pub count: u64,
    /// Shortest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Longest.
    pub max: f64,
}

/// The most memory that was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryPeak {
    /// Values at the peak.
    pub peak: Memory,
    /// `load`, `first_computation`, `plateau` or `growth`; null when it could not be told.
    pub phase: Option<String>,
    /// Growth from one pass to the next, by a robust estimate (Theil-Sen), in bytes; null where it is a plateau or could not be told.
    pub growth_per_pass_bytes: Option<u64>,
    /// Memory limit of the control group; null where there is none.
    pub limit_bytes: Option<u64>,
    /// Processes of the control group that were killed for memory during the run; null where that can't be read.
    pub kills: Option<u64>,
    /// The least free space in `/dev/shm` during the run; null when not measured.
    pub shared_memory_free_bytes: Option<u64>,
    /// Memory of each GPU of the host as NVML tells it, by any process; empty where it tells none.
    #[serde(default)]
    pub devices: Vec<DeviceMemory>,
}

/// Memory of one GPU of the host, of all processes together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceMemory {
    /// Index as NVML counts, which need not be that of PyTorch.
    pub index: u32,
    /// Used memory before the command was started, in bytes.
    pub used_before_bytes: u64,
    /// The most used memory while it ran, in bytes.
    pub peak_used_bytes: u64,
    /// Its whole memory in bytes; null when not told.
    #[serde(default)]
    pub total_bytes: Option<u64>,
}

/// One tensor: never its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tensor {
    /// The program's own name for it.
    pub name: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Its number format.
    pub dtype: String,
    /// Its device.
    pub device: String,
}

/// One point of the contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContractPoint {
    /// Identifier of the point, for example `each_id_once`.
    pub point: String,
    /// Its outcome: passed, failed, not_reached, or not_proven where something that was demanded was not seen.
    pub outcome: Outcome,
    /// What the contract demands.
    pub expected: Option<Scalar>,
    /// What was found.
    pub found: Option<Scalar>,
    /// How many items break it.
    pub broken: Option<u64>,
    /// A few identifiers of items that break it.
    #[serde(default)]
    pub examples: Vec<String>,
}

impl ContractPoint {
    /// Whether it demands nothing: a note on how far the input stands for that of the final work. It breaks no contract.
    pub fn is_note(&self) -> bool {
        matches!(
            self.point.as_str(),
            "representative_longest" | "representative_count"
        )
    }
}

//! Before scaling up: proof of stop and resume, the limit along one axis, and how far numbers can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommandEnding, Scalar};
use crate::code::Code;
use crate::decision::Outcome;

/// The most points of a loss curve that a report holds.
pub const MAX_LOSS_POINTS: usize = 200;
/// The most steps of a sweep that a report holds.
pub const MAX_SWEEP_STEPS: usize = 256;

/// Proof of a clean stop and continuation. The reference is the same command, run to its end without a stop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resume {
    /// What it came to; null for another writer that did not tell.
    #[serde(default)]
    pub finding: Option<ResumeFinding>,
    /// The signal that stopped the command, for example `SIGTERM`.
    pub signal: String,
    /// What the stop waited for; null for another writer that did not tell.
    #[serde(default)]
    pub stopped_at: Option<StopTrigger>,
    /// How long the command was given to stop, in ms; null for SIGKILL, which gives no time.
    #[serde(default)]
    pub grace_ms: Option<f64>,
    /// How the stopped command ended; null where it was never stopped.
    #[serde(default)]
    pub ending: Option<CommandEnding>,
    /// How long the stop took, in ms.
    pub stop_ms: f64,
    /// Outputs of the reference; null for another writer that did not tell.
    #[serde(default)]
    pub outputs_reference: Option<u64>,
    /// Outputs present at the stop.
    pub outputs_before: u64,
    /// Outputs after resuming to the end.
    pub outputs_after: u64,
    /// Outputs of the reference that are missing.
    pub lost: u64,
    /// Outputs that are there twice.
    pub repeated: u64,
    /// Outputs written before the stop that changed.
    pub changed: u64,
    /// Outputs that differ from the reference by more than `tolerance`, whenever they were written; null where that was not compared.
    #[serde(default)]
    pub different: Option<u64>,
    /// Outputs that the reference does not have; null where that was not compared.
    #[serde(default)]
    pub unknown: Option<u64>,
    /// How much numbers may differ from the reference, both absolutely and relatively; null where nothing was compared.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// A few identifiers of outputs that break the proof.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Passes of the reference; null without marks.
    #[serde(default)]
    pub passes_reference: Option<u64>,
    /// Passes that had ended when the command was stopped; null without marks.
    #[serde(default)]
    pub passes_before: Option<u64>,
    /// Passes of the continuation; null without marks. As many as the reference has: it began anew.
    #[serde(default)]
    pub passes_after: Option<u64>,
    /// The loss after resuming beside that of the reference; null where the contract names no log of a training.
    #[serde(default)]
    pub training: Option<ResumedTraining>,
    /// Whether each checkpoint of the contract would outlive process and host; empty where it names none.
    #[serde(default)]
    pub checkpoints: Vec<Checkpoint>,
}

/// What a proof of stop and resume came to. The first that holds, in this order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ResumeFinding {
    /// Clean: stopped in time, continued, nothing lost, repeated or changed, the rest equal.
    Clean,
    /// It ended by itself before the point at which it was to be stopped: nothing is proven.
    EndedBefore,
    /// It did not stop within its grace and had to be ended.
    DidNotStop,
    /// A checkpoint could not be opened after the stop.
    CheckpointDamaged,
    /// The second start failed, crashed or ran out of time.
    ContinuationFailed,
    /// Outputs of the reference are missing.
    OutputsLost,
    /// Outputs are there twice.
    OutputsRepeated,
    /// Outputs written before the stop changed.
    OutputsChanged,
    /// Outputs differ from the reference, or the reference does not have them.
    OutputsDiffer,
    /// The loss after resuming differs from the reference.
    TrainingDiverged,
    /// The outputs after resuming break the contract in another point.
    ContractBroken,
    /// The second start did all the work once more: a restart, no continuation. Nothing is proven.
    BeganAnew,
}

impl ResumeFinding {
    /// All findings, in the order in which they are looked for.
    pub const ALL: [Self; 12] = [
        Self::Clean,
        Self::EndedBefore,
        Self::DidNotStop,
        Self::CheckpointDamaged,
        Self::ContinuationFailed,
        Self::OutputsLost,
        Self::OutputsRepeated,
        Self::OutputsChanged,
        Self::OutputsDiffer,
        Self::TrainingDiverged,
        Self::ContractBroken,
        Self::BeganAnew,
    ];

    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::EndedBefore => "ended_before",
            Self::DidNotStop => "did_not_stop",
            Self::CheckpointDamaged => "checkpoint_damaged",
            Self::ContinuationFailed => "continuation_failed",
            Self::OutputsLost => "outputs_lost",
            Self::OutputsRepeated => "outputs_repeated",
            Self::OutputsChanged => "outputs_changed",
            Self::OutputsDiffer => "outputs_differ",
            Self::TrainingDiverged => "training_diverged",
            Self::ContractBroken => "contract_broken",
            Self::BeganAnew => "began_anew",
        }
    }

    /// The outcome of decision 4 that follows, where the contract holds.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Clean => Outcome::Passed,
            Self::EndedBefore | Self::BeganAnew => Outcome::NotProven,
            _ => Outcome::Failed,
        }
    }
}

/// What a stop waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StopTrigger {
    /// `stage`, `pass`, `outputs`, `seconds` or `checkpoint`.
    pub at: String,
    /// The stage's name, or the number of passes, outputs or seconds; null for a checkpoint.
    pub value: Option<Scalar>,
}

/// The loss of a training that was stopped and resumed, step by step beside the reference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResumedTraining {
    /// Steps of the reference.
    pub steps_reference: u64,
    /// Steps of the resumed training in all, each counted once.
    pub steps_resumed: u64,
    /// The first step after resuming; null where it can't be told.
    pub resumed_at: Option<f64>,
    /// Steps after resuming whose loss differs by more than the tolerance.
    pub differing: u64,
    /// The largest difference; null where none could be compared.
    pub largest_difference: Option<f64>,
    /// Whether the very first step after resuming already differs; null where that can't be told.
    pub first_step_differs: Option<bool>,
    /// `jump`, `drift` or `offset`: a hint, not a verdict; null where nothing differs.
    pub shape: Option<String>,
    /// The reference, thinned to 200 points at most.
    #[serde(default)]
    pub reference: Vec<LossPoint>,
    /// The resumed training, from its first step after resuming, thinned likewise.
    #[serde(default)]
    pub resumed: Vec<LossPoint>,
}

/// One point of a loss curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossPoint {
    /// The step, as the log counts.
    pub step: f64,
    /// The loss; null where it is not finite.
    pub loss: Option<f64>,
}

/// Whether a checkpoint would outlive the process and the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// Its place in the contract, from 0.
    pub index: u32,
    /// Kind of its file system, for example `ext4`, `overlay` or `tmpfs`; null when it can't be told.
    pub file_system: Option<String>,
    /// Whether that outlives the host or container: false for memory and for a container's own layer; null when it can't be told.
    pub outlives_host: Option<bool>,
    /// Whether a new one takes the old one's place in one step (written aside, then renamed); false where it is written
    /// over in place; null where that was not seen.
    pub replaced_at_once: Option<bool>,
    /// Whether it could be opened after SIGKILL; null where SIGKILL was not tried, or met no checkpoint.
    pub opened_after_kill: Option<bool>,
    /// Whether SIGKILL came while it was being written; null as above.
    pub killed_while_writing: Option<bool>,
    /// Its size in bytes; null where there is none.
    pub bytes: Option<u64>,
    /// How many copies the contract says are kept.
    pub kept_copies: u64,
    /// Free space of its file system in bytes; null when it can't be told.
    pub free_bytes: Option<u64>,
}

/// The limit along one axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// Name of the axis, for example `batch`.
    pub axis: String,
    /// The steps in the order in which they were tried.
    pub steps: Vec<SweepStep>,
    /// The largest step that was good; null when none was.
    pub last_good: Option<f64>,
    /// The first step that was bad or refused; null when none was.
    pub first_bad: Option<f64>,
    /// Why the sweep ended; see [`SweepEnd`].
    pub ended_by: Option<String>,
    /// The good step from which on more brings no more throughput; null where it kept rising or was not measured.
    #[serde(default)]
    pub throughput_stops_at: Option<f64>,
    /// Share of the limit that had to stay free, 0 to 1; null where crossing it was allowed.
    #[serde(default)]
    pub margin: Option<f64>,
    /// The limit that the margin is of, in bytes; null where none is known.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    /// What that limit is; null where none is known.
    #[serde(default)]
    pub limit: Option<MemoryLimit>,
    /// The time that the whole was given, in ms; null without a limit.
    #[serde(default)]
    pub budget_ms: Option<f64>,
    /// The time that the steps took together, in ms; null for another writer that did not tell.
    #[serde(default)]
    pub spent_ms: Option<f64>,
    /// Steps that were planned and not tried, in order.
    #[serde(default)]
    pub not_tried: Vec<f64>,
    /// How many of the steps stem from an earlier, interrupted start of the same sweep.
    #[serde(default)]
    pub continued: u32,
}

/// What limits the memory of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryLimit {
    /// The memory of the device.
    Device,
    /// The memory limit of the control group.
    ControlGroup,
    /// The memory of the machine.
    Machine,
}

/// Why a sweep ended; in a report as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepEnd {
    /// Every planned step was good.
    AllGood,
    /// The next step, or the one that was running, would not leave the demanded margin.
    Margin,
    /// Memory ran out.
    OutOfMemory,
    /// The command failed.
    ApplicationFailed,
    /// The outputs broke the contract.
    ContractFailed,
    /// A step ran out of its time.
    Timeout,
    /// The time of the whole was used up.
    Budget,
    /// The number of attempts was used up.
    Attempts,
    /// Ctrl-C.
    Interrupted,
}

impl SweepEnd {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::AllGood,
        Self::Margin,
        Self::OutOfMemory,
        Self::ApplicationFailed,
        Self::ContractFailed,
        Self::Timeout,
        Self::Budget,
        Self::Attempts,
        Self::Interrupted,
    ];

    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllGood => "all_good",
            Self::Margin => "margin",
            Self::OutOfMemory => "out_of_memory",
            Self::ApplicationFailed => "application_failed",
            Self::ContractFailed => "contract_failed",
            Self::Timeout => "timeout",
            Self::Budget => "budget",
            Self::Attempts => "attempts",
            Self::Interrupted => "interrupted",
        }
    }
}

/// One step of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepStep {
    /// Value on the axis.
    pub value: f64,
    /// How decision 4 ended in this step; `not_reached` for one that was refused before its start.
    pub outcome: Outcome,
    /// Why it was no good, as the name of a [`SweepEnd`]; null for a good step.
    #[serde(default)]
    pub why: Option<String>,
    /// The result code of its attempt; null for a step that was refused.
    #[serde(default)]
    pub code: Option<Code>,
    /// Identifier of its attempt; null for a step that was refused.
    #[serde(default)]
    pub attempt_id: Option<String>,
    /// Peak memory in bytes, of what the limit is for.
    pub peak_bytes: Option<u64>,
    /// Peak memory that was predicted before the step.
    pub predicted_bytes: Option<u64>,
    /// Items per second.
    pub throughput: Option<f64>,
    /// What the throughput is measured over; null where there is none.
    #[serde(default)]
    pub throughput_of: Option<ThroughputOf>,
    /// First pass in ms; null without marks.
    #[serde(default)]
    pub first_pass_ms: Option<f64>,
    /// Median of the following passes in ms; null without marks.
    #[serde(default)]
    pub following_pass_ms: Option<f64>,
    /// From its start to its end in ms; null for a step that was refused.
    #[serde(default)]
    pub wall_ms: Option<f64>,
}

/// What a throughput is measured over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThroughputOf {
    /// The passes after the first one.
    Passes,
    /// The whole command, with everything that it loads.
    Command,
}

/// How much the measures of an attempt differ when nothing is changed (A/A).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// How often the attempt was made, this one included.
    pub runs: u32,
    /// How many of them passed.
    pub passed: u32,
    /// Every measure that all passing runs have.
    #[serde(default)]
    pub measures: Vec<Measure>,
}

/// One measure over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// Path of the field in the comparison, for example `application.passes.following.median`.
    pub field: String,
    /// Lowest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Highest.
    pub max: f64,
}

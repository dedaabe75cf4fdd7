//! The four decisions, and which outcomes follow from a code and the stage it ended in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::report::{Backend, Execution, RequestedDevice, Stage};

/// One of the four questions that a report answers, in the order in which they are asked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DecisionId {
    /// Does the program's Python start and import PyTorch?
    Interpreter,
    /// Has the package a GPU backend, and is the device usable in this process?
    Backend,
    /// Are product, gradient and synchronisation of the fixed computation right on that device?
    Computation,
    /// Does the user's own command meet its written contract on a small real input?
    Application,
}

impl DecisionId {
    /// All four, in order.
    pub const ALL: [Self; 4] = [
        Self::Interpreter,
        Self::Backend,
        Self::Computation,
        Self::Application,
    ];

    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Backend => "backend",
            Self::Computation => "computation",
            Self::Application => "application",
        }
    }
}

/// The answer to one decision.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Seen to work.
    Passed,
    /// Seen to work on the CPU, which says nothing about a GPU.
    PassedCpuOnly,
    /// Seen to fail.
    Failed,
    /// An earlier decision failed, so this was never tried.
    NotReached,
    /// Nobody asked for it.
    NotRequested,
    /// Something claims to have passed, and its receipt is missing or inconsistent.
    NotProven,
}

impl Outcome {
    /// The name as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::PassedCpuOnly => "passed_cpu_only",
            Self::Failed => "failed",
            Self::NotReached => "not_reached",
            Self::NotRequested => "not_requested",
            Self::NotProven => "not_proven",
        }
    }
}

/// A decision and its outcome, as a report holds them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Which decision.
    pub id: DecisionId,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The decision that a stage belongs to; none for `output`.
pub const fn decision_of(stage: Stage) -> Option<DecisionId> {
    match stage {
        Stage::Interpreter | Stage::Import => Some(DecisionId::Interpreter),
        Stage::Backend | Stage::Device => Some(DecisionId::Backend),
        Stage::Allocation | Stage::Product | Stage::Gradient | Stage::Synchronize => {
            Some(DecisionId::Computation)
        }
        Stage::Application => Some(DecisionId::Application),
        Stage::Output => None,
    }
}

/// The outcomes of decisions 1 to 4 for an attempt that ended with `code` in `stage`.
///
/// Decision 1 is `not_requested` where libtorch decides, since no Python is asked (`python` false).
/// Decision 4 is `not_requested`: only an application run answers it.
/// For `OUTPUT_WRITE_FAILED` there is no table: the decisions stay those of the truth.
pub fn table(code: Code, stage: Stage, requested: RequestedDevice, python: bool) -> [Outcome; 4] {
    use Outcome::{Failed, NotReached, NotRequested, Passed, PassedCpuOnly};
    let backend_before = match requested {
        RequestedDevice::Gpu => Passed,
        RequestedDevice::Cpu => NotRequested,
    };
    let [mut first, mut second, third] = match code {
        Code::GpuCheckPassed => [Passed, Passed, Passed],
        Code::CpuCheckPassed => [Passed, NotRequested, PassedCpuOnly],
        Code::InterpreterFailed | Code::TorchMissing | Code::TorchImportFailed => {
            [Failed, NotReached, NotReached]
        }
        Code::GpuBackendAbsent | Code::GpuUnavailable | Code::DeviceIndexInvalid => {
            [Passed, Failed, NotReached]
        }
        Code::CheckFailed | Code::OutOfMemory | Code::RuntimeError => {
            [Passed, backend_before, Failed]
        }
        Code::Timeout | Code::WorkerFailed => match decision_of(stage) {
            Some(DecisionId::Interpreter) => [Failed, NotReached, NotReached],
            Some(DecisionId::Backend) => [Passed, Failed, NotReached],
            _ => [Passed, backend_before, Failed],
        },
        Code::ApplicationEnded => [NotRequested; 3],
        Code::ApplicationFailed
        | Code::ContractFailed
        | Code::ResumeFailed
        | Code::OutputWriteFailed => match requested {
            RequestedDevice::Gpu => [Passed, Passed, Passed],
            RequestedDevice::Cpu => [Passed, NotRequested, PassedCpuOnly],
        },
    };
    if !python {
        // What can't be loaded without Python is the package's fault, and decision 2 is the first that asks it.
        if first == Failed {
            second = Failed;
        }
        first = NotRequested;
    }
    [first, second, third, NotRequested]
}

/// `table` as the list that a report holds.
pub fn decisions(outcomes: [Outcome; 4]) -> Vec<Decision> {
    DecisionId::ALL
        .into_iter()
        .zip(outcomes)
        .map(|(id, outcome)| Decision { id, outcome })
        .collect()
}

/// Whether `execution` holds every receipt of a computation on the device that was asked for:
/// product, gradient and synchronisation verified, and the tensor's own device read back.
pub fn receipt_is_complete(execution: &Execution) -> bool {
    let wanted = match execution.requested_device {
        RequestedDevice::Gpu => format!("cuda:{}", execution.requested_index.unwrap_or(0)),
        RequestedDevice::Cpu => "cpu".to_owned(),
    };
    execution.device.as_deref() == Some(&wanted)
        && execution.product_verified == Some(true)
        && execution.gradient_verified == Some(true)
        && execution.synchronized == Some(true)
}

/// Which backend a build declares: HIP wins, since ROCm builds set `torch.version.hip` and leave cuda empty.
pub fn backend_of(cuda_version: Option<&str>, hip_version: Option<&str>) -> Backend {
    if hip_version.is_some() {
        Backend::Rocm
    } else if cuda_version.is_some() {
        Backend::Cuda
    } else {
        Backend::None
    }
}

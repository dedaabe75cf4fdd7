//! Result codes and their exit numbers: the one place that documents them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an attempt ended. Other tools rely on the names and on the exit numbers: neither ever changes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// Product and gradient were verified on the chosen GPU.
    GpuCheckPassed,
    /// Product and gradient were verified on the CPU only, on explicit request.
    CpuCheckPassed,
    /// There is no PyTorch in this Python.
    TorchMissing,
    /// PyTorch is there and its import fails.
    TorchImportFailed,
    /// The package declares neither CUDA nor HIP.
    GpuBackendAbsent,
    /// There is a backend, but no GPU that this process can use.
    GpuUnavailable,
    /// The index is outside the visible devices.
    DeviceIndexInvalid,
    /// The computation gave a wrong result.
    CheckFailed,
    /// An allocation failed.
    OutOfMemory,
    /// A backend operation failed.
    RuntimeError,
    /// Stopped at the time limit.
    Timeout,
    /// The worker ended with no usable answer: a crash, a signal, garbage.
    WorkerFailed,
    /// The report could not be saved where asked.
    OutputWriteFailed,
    /// Decision 4: the command failed, crashed or timed out.
    ApplicationFailed,
    /// Decision 4: the command ended well, but its outputs break the contract.
    ContractFailed,
    /// Decision 4: outputs were lost, repeated or changed across stop and resume.
    ResumeFailed,
    /// The named Python could not be started at all.
    InterpreterFailed,
    /// A run without the check: the command ended by itself. Only decision 4 says whether its outputs were proven.
    ApplicationEnded,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 18] = [
        Self::GpuCheckPassed,
        Self::CpuCheckPassed,
        Self::TorchMissing,
        Self::TorchImportFailed,
        Self::GpuBackendAbsent,
        Self::GpuUnavailable,
        Self::DeviceIndexInvalid,
        Self::CheckFailed,
        Self::OutOfMemory,
        Self::RuntimeError,
        Self::Timeout,
        Self::WorkerFailed,
        Self::OutputWriteFailed,
        Self::ApplicationFailed,
        Self::ContractFailed,
        Self::ResumeFailed,
        Self::InterpreterFailed,
        Self::ApplicationEnded,
    ];

    /// The exit number of `firstfault check` and `run`. 2 is a usage error and has no report.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::GpuCheckPassed | Self::CpuCheckPassed | Self::ApplicationEnded => 0,
            Self::TorchMissing => 3,
            Self::TorchImportFailed => 4,
            Self::GpuBackendAbsent => 5,
            Self::GpuUnavailable => 6,
            Self::DeviceIndexInvalid => 7,
            Self::CheckFailed => 8,
            Self::OutOfMemory | Self::RuntimeError => 9,
            Self::Timeout => 10,
            Self::WorkerFailed => 11,
            Self::OutputWriteFailed => 12,
            Self::ApplicationFailed => 13,
            Self::ContractFailed => 14,
            Self::ResumeFailed => 15,
            Self::InterpreterFailed => 16,
        }
    }

    /// Whether this code is a pass.
    pub const fn status(self) -> Status {
        match self {
            Self::GpuCheckPassed | Self::CpuCheckPassed | Self::ApplicationEnded => Status::Passed,
            _ => Status::Failed,
        }
    }

    /// The name as it stands in a report, for example `GPU_CHECK_PASSED`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GpuCheckPassed => "GPU_CHECK_PASSED",
            Self::CpuCheckPassed => "CPU_CHECK_PASSED",
            Self::TorchMissing => "TORCH_MISSING",
            Self::TorchImportFailed => "TORCH_IMPORT_FAILED",
            Self::GpuBackendAbsent => "GPU_BACKEND_ABSENT",
            Self::GpuUnavailable => "GPU_UNAVAILABLE",
            Self::DeviceIndexInvalid => "DEVICE_INDEX_INVALID",
            Self::CheckFailed => "CHECK_FAILED",
            Self::OutOfMemory => "OUT_OF_MEMORY",
            Self::RuntimeError => "RUNTIME_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::WorkerFailed => "WORKER_FAILED",
            Self::OutputWriteFailed => "OUTPUT_WRITE_FAILED",
            Self::ApplicationFailed => "APPLICATION_FAILED",
            Self::ContractFailed => "CONTRACT_FAILED",
            Self::ResumeFailed => "RESUME_FAILED",
            Self::InterpreterFailed => "INTERPRETER_FAILED",
            Self::ApplicationEnded => "APPLICATION_ENDED",
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether the attempt proved what was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything that was asked for was seen to work.
    Passed,
    /// Something that was asked for was not seen to work.
    Failed,
}

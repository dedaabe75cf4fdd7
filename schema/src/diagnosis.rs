//! From raw observations to the first failing layer, its owner and the actions.

use crate::code::Code;
use crate::report::{Diagnosis, Evidence, Layer, Libtorch, Owner, Pytorch, RequestedDevice, Stage};

/// What an attempt saw, with the raw message: everything that a judgement may rest on.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// How the attempt ended.
    pub code: Code,
    /// Where it ended.
    pub stage: Stage,
    /// What was demanded.
    pub requested_device: RequestedDevice,
    /// Raw message of the first error, with its exception class before it; none where there was none.
    pub message: Option<&'a str>,
    /// The end of what the worker printed on standard error, raw; may be empty.
    pub stderr: &'a str,
    /// What PyTorch said of itself.
    pub pytorch: &'a Pytorch,
    /// What the other engine says.
    pub libtorch: &'a Libtorch,
    /// Facts that were collected after the failure.
    pub evidence: &'a [Evidence],
}

/// Names the first failing layer.
pub fn diagnose(seen: &Observation<'_>) -> Diagnosis {
    let (layer, owner) = base(seen.code, seen.stage);
    Diagnosis {
        layer,
        owner,
        signature: "unknown".to_owned(),
        candidates: Vec::new(),
        message: None,
        evidence: seen.evidence.to_vec(),
        actions: Vec::new(),
    }
}

/// The layer that code and stage prove by themselves, and who usually acts on it.
pub const fn base(code: Code, stage: Stage) -> (Layer, Owner) {
    match code {
        Code::InterpreterFailed | Code::TorchMissing => (Layer::Interpreter, Owner::Program),
        Code::TorchImportFailed => (Layer::Import, Owner::Package),
        Code::GpuBackendAbsent => (Layer::Package, Owner::Package),
        Code::GpuUnavailable => (Layer::Driver, Owner::Host),
        Code::DeviceIndexInvalid => (Layer::Exposure, Owner::Program),
        _ => match stage {
            Stage::Interpreter => (Layer::Interpreter, Owner::Program),
            Stage::Import => (Layer::Import, Owner::Package),
            Stage::Backend => (Layer::Package, Owner::Package),
            Stage::Device => (Layer::Driver, Owner::Host),
            Stage::Allocation => (Layer::Allocation, Owner::Host),
            Stage::Product | Stage::Gradient => (Layer::Computation, Owner::Package),
            Stage::Synchronize => (Layer::Synchronization, Owner::Host),
            Stage::Application | Stage::Output => (Layer::Output, Owner::Program),
        },
    }
}

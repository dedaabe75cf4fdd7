//! The two engines: the same fixed computation with and without Python. Each turns its worker's answers into
//! [`Findings`]; the judgement is made here, from raw values, and no worker's "passed" is believed.

pub(crate) mod identity;
pub(crate) mod libtorch;
pub(crate) mod python;

use firstfault_schema::code::Code;
use firstfault_schema::decision::{self, Outcome as DecisionOutcome};
use firstfault_schema::facts;
use firstfault_schema::report::{
    Backend, Device, Engine, Execution, Pytorch, RequestedDevice, Runtime, Scalar, Stage, Timings,
};

use crate::names;
use crate::protocol::{Request, Transcript};
use crate::supervisor::{self, Ending, Outcome};

const PRODUCT: [f64; 4] = [4.0, 4.0, 10.0, 8.0];
const GRADIENT: [f64; 4] = [16.0, 24.0, 40.0, 52.0];
const LOSS: f64 = 196.0;
/// Of how many devices a report tells more than their number; the wanted one is told always.
const MAX_DEVICES: u32 = 16;
/// How many of a build's architectures a report tells.
const MAX_ARCHITECTURES: usize = 32;

/// What one engine found, judged.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) code: Code,
    pub(crate) stage: Stage,
    /// A pass was claimed without a receipt: the decision is "not proven" rather than "failed".
    pub(crate) unproven: bool,
    pub(crate) runtime: Runtime,
    pub(crate) pytorch: Pytorch,
    pub(crate) execution: Execution,
    /// Exception class and message of the first error, raw; it stays at home.
    pub(crate) message: Option<String>,
    /// What the worker printed on standard error, raw; it stays at home.
    pub(crate) stderr: String,
    /// Which cards these are, by index; it stays in this process.
    pub(crate) uuids: Vec<(u32, identity::Uuid)>,
    /// Facts that only the worker could see.
    pub(crate) facts: Vec<(&'static str, Scalar)>,
    /// The fixed computation on the CPU came out exactly; only libtorch's worker does it.
    pub(crate) cpu_control: Option<bool>,
    /// The CUDA or HIP library was loaded and its hooks answer; only libtorch's worker tells.
    pub(crate) gpu_hooks: Option<bool>,
    /// Processes that would not die.
    pub(crate) left_running: u32,
    pub(crate) outcome: Outcome,
}

impl Findings {
    /// The outcomes of the four decisions.
    pub(crate) fn decisions(&self) -> [DecisionOutcome; 4] {
        let python = self.execution.engine == Engine::Python;
        let mut outcomes = decision::table(
            self.code,
            self.stage,
            self.execution.requested_device,
            python,
        );
        if self.unproven {
            for outcome in &mut outcomes {
                if *outcome == DecisionOutcome::Failed {
                    *outcome = DecisionOutcome::NotProven;
                }
            }
        }
        outcomes
    }
}

/// Turns what a worker said, and how it ended, into a judgement.
pub(crate) fn judge(
    engine: Engine,
    request: &Request,
    transcript: &Transcript,
    ending: &Ending,
) -> Findings {
    let gpu = request.device == RequestedDevice::Gpu;
    let first = if engine == Engine::Python {
        Stage::Interpreter
    } else {
        Stage::Import
    };
    let mut findings = Findings {
        code: Code::WorkerFailed,
        stage: transcript.stage().max(first),
        unproven: false,
        runtime: runtime(transcript),
        pytorch: pytorch(transcript, gpu, request.index),
        execution: execution(engine, request, transcript),
        message: None,
        stderr: ending.stderr.clone(),
        uuids: uuids(transcript),
        facts: worker_facts(transcript),
        cpu_control: transcript
            .facts(Stage::Import)
            .and_then(|facts| facts.cpu_control),
        gpu_hooks: transcript
            .facts(Stage::Import)
            .and_then(|facts| facts.gpu_hooks),
        left_running: ending.left_running,
        outcome: ending.outcome,
    };
    if transcript.garbled {
        findings.message = Some("the events of the worker were not as expected".to_owned());
    } else if let Some(fault) = &transcript.fault {
        findings.message = Some(format!("{}: {}", fault.exception, fault.message));
        (findings.code, findings.stage) = fault_code(request, transcript, fault);
    } else if transcript.done {
        (findings.code, findings.stage, findings.unproven) =
            verdict(gpu, transcript, &findings.execution);
    } else {
        let said_nothing = transcript.completed.is_empty() && transcript.open.is_none();
        findings.code = match ending.outcome {
            Outcome::TimedOut => Code::Timeout,
            // The loader ends a program whose libraries it can't load with 127 and one line.
            Outcome::Exited(127) if engine == Engine::Libtorch => Code::TorchImportFailed,
            Outcome::NotStarted(_) if engine == Engine::Python => Code::InterpreterFailed,
            // Without a single event nothing shows that this is a Python at all.
            Outcome::Exited(_) if engine == Engine::Python && said_nothing => {
                Code::InterpreterFailed
            }
            _ => Code::WorkerFailed,
        };
        findings.message = match ending.outcome {
            Outcome::Signalled(signal) => Some(format!("the worker was ended by signal {signal}")),
            Outcome::Exited(_) if findings.code != Code::WorkerFailed => last_line(&ending.stderr),
            Outcome::Exited(code) => Some(format!("the worker exited with code {code}")),
            Outcome::NotStarted(number) => {
                let error = std::io::Error::from_raw_os_error(number);
                let exhausted = supervisor::is_exhaustion(&error);
                Some(if exhausted {
                    supervisor::no_more(&error)
                } else {
                    error.to_string()
                })
            }
            // Not even the keeper could be started, or it was killed.
            Outcome::Lost if said_nothing => last_line(&ending.stderr),
            _ => None,
        };
    }
    findings
}

/// The last line that says something: what a loader or an interpreter that can't start prints.
fn last_line(text: &str) -> Option<String> {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

fn fault_code(
    request: &Request,
    transcript: &Transcript,
    fault: &crate::protocol::Fault,
) -> (Code, Stage) {
    let visible = fault.facts.visible_device_count.unwrap_or(0);
    let out_of_memory =
        fault.exception == "OutOfMemoryError" || fault.message.contains("out of memory");
    let code = match fault.stage {
        Stage::Interpreter => Code::InterpreterFailed,
        Stage::Import if fault.facts.missing == Some(true) => Code::TorchMissing,
        Stage::Import => Code::TorchImportFailed,
        Stage::Backend if backend(transcript).is_none_or(|backend| backend == Backend::None) => {
            Code::GpuBackendAbsent
        }
        Stage::Backend => Code::TorchImportFailed,
        Stage::Device if visible > 0 && request.index >= visible => Code::DeviceIndexInvalid,
        Stage::Device => Code::GpuUnavailable,
        _ if out_of_memory => Code::OutOfMemory,
        _ => Code::RuntimeError,
    };
    let stage = if code == Code::TorchImportFailed {
        Stage::Import
    } else {
        fault.stage
    };
    (code, stage)
}

/// The verdict over a worker that did everything: code, stage, and whether the receipt is missing.
fn verdict(gpu: bool, transcript: &Transcript, execution: &Execution) -> (Code, Stage, bool) {
    let unproven = |stage| (Code::WorkerFailed, stage, true);
    let mut wanted = vec![
        Stage::Import,
        Stage::Backend,
        Stage::Allocation,
        Stage::Product,
        Stage::Gradient,
        Stage::Synchronize,
    ];
    if gpu {
        wanted.insert(2, Stage::Device);
    }
    if let Some(absent) = wanted
        .into_iter()
        .find(|stage| transcript.facts(*stage).is_none())
    {
        return unproven(absent);
    }
    if gpu && !backend(transcript).is_some_and(|backend| backend != Backend::None) {
        return unproven(Stage::Backend);
    }
    let gpu_counted = !gpu
        || transcript
            .facts(Stage::Device)
            .and_then(|facts| facts.visible_device_count)
            .is_some_and(|count| count > execution.requested_index.unwrap_or(0));
    if !gpu_counted {
        return unproven(Stage::Device);
    }
    for (stage, verified) in [
        (Stage::Product, execution.product_verified),
        (Stage::Gradient, execution.gradient_verified),
        (Stage::Synchronize, execution.synchronized),
    ] {
        match verified {
            Some(true) => {}
            Some(false) => return (Code::CheckFailed, stage, false),
            None => return unproven(stage),
        }
    }
    if !decision::receipt_is_complete(execution) || execution.dtype.as_deref() != Some("float32") {
        return unproven(Stage::Synchronize);
    }
    (
        if gpu {
            Code::GpuCheckPassed
        } else {
            Code::CpuCheckPassed
        },
        Stage::Synchronize,
        false,
    )
}

fn backend(transcript: &Transcript) -> Option<Backend> {
    if let Some(import) = transcript.facts(Stage::Import)
        && import.torch_version.is_some()
        && import.gpu_hooks.is_none()
    {
        return Some(decision::backend_of(
            import.cuda_version.as_deref(),
            import.hip_version.as_deref(),
        ));
    }
    // Only libtorch's worker tells the backend itself: it has no versions to read.
    match transcript.facts(Stage::Backend)?.backend.as_deref()? {
        "cuda" => Some(Backend::Cuda),
        "rocm" => Some(Backend::Rocm),
        _ => Some(Backend::None),
    }
}

fn runtime(transcript: &Transcript) -> Runtime {
    let facts = transcript
        .facts(Stage::Interpreter)
        .cloned()
        .unwrap_or_default();
    Runtime {
        python_version: facts.python_version.map(|text| names::version(&text)),
        python_implementation: facts
            .python_implementation
            .map(|text| names::implementation(&text)),
        environment: None,
        system: facts.system.map(|text| names::system(&text)),
        architecture: facts.architecture.map(|text| names::machine(&text)),
        container: None,
    }
}

fn pytorch(transcript: &Transcript, gpu: bool, index: u32) -> Pytorch {
    let import = transcript.facts(Stage::Import).cloned().unwrap_or_default();
    let device = transcript.facts(Stage::Device).or_else(|| {
        transcript
            .fault
            .as_ref()
            .filter(|fault| fault.stage == Stage::Device)
            .map(|fault| &fault.facts)
    });
    let device = device.filter(|_| gpu);
    // A device that never answered is neither there nor not there.
    let available = device.map(|facts| {
        transcript.facts(Stage::Device).is_some()
            || facts.visible_device_count.is_some_and(|count| count > 0)
    });
    Pytorch {
        installed_version: None,
        backend: backend(transcript),
        version: import.torch_version.map(|text| names::version(&text)),
        cuda_version: import.cuda_version.map(|text| names::version(&text)),
        hip_version: import.hip_version.map(|text| names::version(&text)),
        gpu_available: available,
        visible_device_count: device.and_then(|facts| facts.visible_device_count),
        devices: device
            .and_then(|facts| facts.devices.clone())
            .map(|devices| {
                devices
                    .into_iter()
                    .filter(|device| device.index < MAX_DEVICES || device.index == index)
                    .map(|device| Device {
                        index: device.index,
                        name: names::product(&device.name),
                        compute_capability: device
                            .compute_capability
                            .map(|text| names::architecture(&text)),
                        total_memory_bytes: device.total_memory_bytes,
                        identity: None,
                    })
                    .collect()
            }),
        device_salt: None,
        compiled_architectures: device
            .and_then(|facts| facts.compiled_architectures.clone())
            .map(|mut compiled| {
                compiled.truncate(MAX_ARCHITECTURES);
                compiled
                    .iter()
                    .map(|text| names::architecture(text))
                    .collect()
            }),
    }
}

/// Which cards the worker saw, where they told.
fn uuids(transcript: &Transcript) -> Vec<(u32, identity::Uuid)> {
    transcript
        .facts(Stage::Device)
        .and_then(|facts| facts.devices.as_ref())
        .into_iter()
        .flatten()
        .filter_map(|device| {
            let uuid = identity::Uuid::parse(device.uuid.as_deref()?)?;
            Some((device.index, uuid))
        })
        .collect()
}

fn execution(engine: Engine, request: &Request, transcript: &Transcript) -> Execution {
    let product = transcript.facts(Stage::Product);
    let gradient = transcript.facts(Stage::Gradient);
    let last = transcript.facts(Stage::Synchronize);
    let allocation = transcript.facts(Stage::Allocation);
    let wanted = match request.device {
        RequestedDevice::Gpu => format!("cuda:{}", request.index),
        RequestedDevice::Cpu => "cpu".to_owned(),
    };
    // Every device that was read back has to be the one that was asked for; otherwise the odd one is told.
    let mut devices = [allocation, product, last]
        .into_iter()
        .flatten()
        .filter_map(|facts| facts.device.clone())
        .collect::<Vec<_>>();
    devices.sort_by_key(|device| *device == wanted);
    let receipt = last.and_then(|facts| facts.receipt.as_deref());
    Execution {
        engine,
        requested_device: request.device,
        requested_index: (request.device == RequestedDevice::Gpu).then_some(request.index),
        device: devices.first().map(|text| names::device(text)),
        dtype: product
            .and_then(|facts| facts.dtype.clone())
            .or(allocation.and_then(|facts| facts.dtype.clone()))
            .map(|text| names::dtype(&text)),
        product_verified: product
            .and_then(|facts| Some(equals(facts.values.as_deref()?, &PRODUCT))),
        gradient_verified: gradient.and_then(|facts| {
            Some(equals(facts.values.as_deref()?, &GRADIENT) && facts.loss == Some(LOSS))
        }),
        synchronized: receipt.map(|receipt| request.receipt.is_product(receipt)),
        loss: gradient.and_then(|facts| facts.loss),
        timings: Timings {
            import_ms: transcript
                .facts(Stage::Import)
                .and_then(|facts| duration(facts.import_ms)),
            first_pass_ms: last.and_then(|facts| duration(facts.first_pass_ms)),
            following_pass_ms: last.and_then(|facts| duration(facts.following_pass_ms)),
        },
    }
}

fn worker_facts(transcript: &Transcript) -> Vec<(&'static str, Scalar)> {
    let mut found = Vec::new();
    let faulty = transcript.fault.as_ref().map(|fault| &fault.facts);
    let all = || {
        transcript
            .completed
            .iter()
            .map(|(_, facts)| facts)
            .chain(faulty)
    };
    if let Some(origin) = all().find_map(|facts| facts.origin.as_deref()) {
        found.push((facts::TORCH_ORIGIN, origin.into()));
    } else if all().any(|facts| facts.missing == Some(true)) {
        found.push((facts::TORCH_ORIGIN, "none".into()));
    }
    if let Some(others) = all().find_map(|facts| facts.other_backends.as_deref()) {
        let known = ["mps", "xpu"]
            .into_iter()
            .filter(|known| others.iter().any(|other| other == known))
            .collect::<Vec<_>>();
        found.push((
            facts::OTHER_BACKENDS,
            if known.is_empty() {
                "none".into()
            } else {
                known.join(", ").into()
            },
        ));
    }
    found
}

/// A duration in ms, to the microsecond; nothing for what no clock can show.
fn duration(value: Option<f64>) -> Option<f64> {
    value
        .filter(|ms| ms.is_finite() && *ms >= 0.0)
        .map(|ms| (ms * 1000.0).round() / 1000.0)
}

fn equals(values: &[Option<f64>], exact: &[f64]) -> bool {
    values.len() == exact.len()
        && values
            .iter()
            .zip(exact)
            .all(|(value, exact)| *value == Some(*exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_not_finite_equals_anything() {
        assert!(equals(
            &[Some(4.0), Some(4.0), Some(10.0), Some(8.0)],
            &PRODUCT
        ));
        assert!(!equals(&[Some(4.0), None, Some(10.0), Some(8.0)], &PRODUCT));
        assert!(!equals(&[], &PRODUCT));
    }
}

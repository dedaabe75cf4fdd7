//! What a report may not contradict. A report that breaks a rule is refused, with the field's name.

use crate::code::{Code, Status};
use crate::decision::{self, DecisionId, Outcome};
use crate::parse::ReportError;
use crate::report::{
    Backend, Engine, MAX_EVIDENCE, MAX_LOSS_POINTS, MAX_SWEEP_STEPS, Report, RequestedDevice,
    ResumeFinding, Stage, WitnessAnswer,
};

/// Checks every rule, in the order in which a reader meets the fields.
pub(crate) fn check(report: &Report) -> Result<(), ReportError> {
    head(report)?;
    decisions(report)?;
    pytorch(report)?;
    execution(report)?;
    passes(report)?;
    findings(report)?;
    scaling(report)
}

fn ensure(holds: bool, field: &str, problem: impl FnOnce() -> String) -> Result<(), ReportError> {
    if holds {
        Ok(())
    } else {
        Err(ReportError::Rule {
            field: field.to_owned(),
            problem: problem(),
        })
    }
}

fn head(report: &Report) -> Result<(), ReportError> {
    let code = report.code;
    ensure(report.exit_code == code.exit_code(), "exit_code", || {
        format!(
            "{code} belongs to {}, not to {}",
            code.exit_code(),
            report.exit_code
        )
    })?;
    ensure(report.status == code.status(), "status", || {
        format!("contradicts the code {code}")
    })?;
    let expected_stage = match code {
        Code::OutputWriteFailed => Some(Stage::Output),
        Code::InterpreterFailed => Some(Stage::Interpreter),
        Code::TorchMissing | Code::TorchImportFailed => Some(Stage::Import),
        Code::GpuBackendAbsent => Some(Stage::Backend),
        Code::GpuUnavailable | Code::DeviceIndexInvalid => Some(Stage::Device),
        Code::ApplicationEnded
        | Code::ApplicationFailed
        | Code::ContractFailed
        | Code::ResumeFailed => Some(Stage::Application),
        Code::GpuCheckPassed | Code::CpuCheckPassed if report.application.is_none() => {
            Some(Stage::Synchronize)
        }
        _ => None,
    };
    if let Some(expected) = expected_stage {
        ensure(report.stage == expected, "stage", || {
            format!("{code} ends in the stage {}", expected.name())
        })?;
    }
    let computes = matches!(
        code,
        Code::CheckFailed | Code::OutOfMemory | Code::RuntimeError
    );
    ensure(
        !computes
            || report.application.is_some()
            || (Stage::Allocation..=Stage::Synchronize).contains(&report.stage),
        "stage",
        || format!("{code} ends in a stage of the computation"),
    )?;
    Ok(())
}

fn decisions(report: &Report) -> Result<(), ReportError> {
    let ids: Vec<DecisionId> = report
        .decisions
        .iter()
        .map(|decision| decision.id)
        .collect();
    ensure(ids == DecisionId::ALL, "decisions", || {
        "must be interpreter, backend, computation and application, in this order".to_owned()
    })?;
    let python = report.execution.engine == Engine::Python;
    let expected = decision::table(
        report.code,
        report.stage,
        report.execution.requested_device,
        python,
    );
    let as_found = matches!(
        report.code,
        Code::OutputWriteFailed
            | Code::ApplicationFailed
            | Code::ContractFailed
            | Code::ResumeFailed
    );
    for (at, (decision, expected)) in report.decisions.iter().zip(expected).enumerate().take(3) {
        let unproven = report.code == Code::WorkerFailed && expected == Outcome::Failed;
        let fits = as_found
            || decision.outcome == expected
            || (unproven && decision.outcome == Outcome::NotProven);
        ensure(fits, &format!("decisions[{at}].outcome"), || {
            format!(
                "{} is {}, but {} says {}",
                decision.id.name(),
                decision.outcome.name(),
                report.code,
                expected.name()
            )
        })?;
    }
    let application = report.decisions[3].outcome;
    let fits = match report.code {
        Code::ApplicationFailed | Code::ContractFailed | Code::ResumeFailed => {
            matches!(application, Outcome::Failed | Outcome::NotProven)
        }
        Code::OutputWriteFailed => true,
        // A command that ended well proves nothing without a contract.
        Code::ApplicationEnded => matches!(application, Outcome::Passed | Outcome::NotProven),
        _ if report.application.is_some() => match report.status {
            Status::Passed => matches!(application, Outcome::Passed | Outcome::NotProven),
            // An earlier decision failed and the command was run all the same.
            Status::Failed => matches!(
                application,
                Outcome::Passed | Outcome::Failed | Outcome::NotProven
            ),
        },
        _ => matches!(application, Outcome::NotRequested | Outcome::NotReached),
    };
    ensure(fits, "decisions[3].outcome", || {
        format!("{} contradicts {}", application.name(), report.code)
    })?;
    ensure(
        application != Outcome::Passed || met_a_contract(report),
        "decisions[3].outcome",
        || "passed needs a contract of which every point holds".to_owned(),
    )
}

/// Whether there was a contract, and no point of it is broken.
fn met_a_contract(report: &Report) -> bool {
    report.application.as_ref().is_some_and(|application| {
        application
            .outputs
            .iter()
            .any(|point| point.outcome == Outcome::Passed)
            && !application
                .outputs
                .iter()
                .any(|point| point.outcome == Outcome::Failed)
    })
}

fn pytorch(report: &Report) -> Result<(), ReportError> {
    let pytorch = &report.pytorch;
    if report.execution.requested_device == RequestedDevice::Cpu {
        ensure(
            pytorch.gpu_available.is_none(),
            "pytorch.gpu_available",
            || "must be null in CPU mode".to_owned(),
        )?;
        ensure(
            pytorch.visible_device_count.is_none(),
            "pytorch.visible_device_count",
            || "must be null in CPU mode".to_owned(),
        )?;
        ensure(pytorch.devices.is_none(), "pytorch.devices", || {
            "must be null in CPU mode".to_owned()
        })?;
    }
    if let Some(backend) = pytorch.backend {
        let expected = decision::backend_of(
            pytorch.cuda_version.as_deref(),
            pytorch.hip_version.as_deref(),
        );
        // Without Python nothing tells versions, only which library was loaded.
        ensure(
            backend == expected || report.execution.engine == Engine::Libtorch,
            "pytorch.backend",
            || "contradicts cuda_version and hip_version".to_owned(),
        )?;
    }
    let index = report.execution.requested_index.unwrap_or(0);
    match report.unsaved_code.unwrap_or(report.code) {
        Code::GpuUnavailable => ensure(
            pytorch.gpu_available != Some(true),
            "pytorch.gpu_available",
            || "is true, but no GPU was usable".to_owned(),
        )?,
        Code::DeviceIndexInvalid => ensure(
            pytorch
                .visible_device_count
                .is_none_or(|count| count <= index),
            "pytorch.visible_device_count",
            || format!("shows the index {index}, which is said to be invalid"),
        )?,
        Code::GpuBackendAbsent => ensure(
            matches!(pytorch.backend, None | Some(Backend::None)),
            "pytorch.backend",
            || "is there, but said to be absent".to_owned(),
        )?,
        _ => {}
    }
    if let (Some(count), Some(devices)) = (pytorch.visible_device_count, &pytorch.devices) {
        ensure(devices.len() <= count as usize, "pytorch.devices", || {
            format!(
                "holds {} devices, but visible_device_count is {count}",
                devices.len()
            )
        })?;
    }
    Ok(())
}

fn execution(report: &Report) -> Result<(), ReportError> {
    let execution = &report.execution;
    let index_fits =
        (execution.requested_device == RequestedDevice::Gpu) == execution.requested_index.is_some();
    ensure(index_fits, "execution.requested_index", || {
        "is a number exactly when a GPU is requested".to_owned()
    })?;
    #[allow(
        clippy::float_cmp,
        reason = "the fixed computation is exact in float32"
    )]
    let loss_fits = execution.gradient_verified != Some(true)
        || execution.loss.is_none_or(|loss| loss == 196.0);
    ensure(loss_fits, "execution.loss", || {
        "a verified gradient has the loss 196".to_owned()
    })?;
    let not_reached = matches!(
        report.unsaved_code.unwrap_or(report.code),
        Code::InterpreterFailed
            | Code::TorchMissing
            | Code::TorchImportFailed
            | Code::GpuBackendAbsent
            | Code::GpuUnavailable
            | Code::DeviceIndexInvalid
    );
    for (name, verified) in [
        ("execution.product_verified", execution.product_verified),
        ("execution.gradient_verified", execution.gradient_verified),
        ("execution.synchronized", execution.synchronized),
    ] {
        ensure(!not_reached || verified != Some(true), name, || {
            "is true, but the computation was not reached".to_owned()
        })?;
    }
    for (name, value) in [
        ("execution.timings.import_ms", execution.timings.import_ms),
        (
            "execution.timings.first_pass_ms",
            execution.timings.first_pass_ms,
        ),
        (
            "execution.timings.following_pass_ms",
            execution.timings.following_pass_ms,
        ),
    ] {
        ensure(value.is_none_or(|value| value >= 0.0), name, || {
            "is negative".to_owned()
        })?;
    }
    let decided = report.libtorch.answer == WitnessAnswer::Decided;
    ensure(
        decided == (execution.engine == Engine::Libtorch),
        "libtorch.answer",
        || "is \"decided\" exactly when libtorch is the engine".to_owned(),
    )
}

fn passes(report: &Report) -> Result<(), ReportError> {
    // A pass that could not be saved needs its receipt all the same.
    let code = report.unsaved_code.unwrap_or(report.code);
    let requested = match code {
        Code::GpuCheckPassed => RequestedDevice::Gpu,
        Code::CpuCheckPassed => RequestedDevice::Cpu,
        _ => return Ok(()),
    };
    let execution = &report.execution;
    ensure(
        execution.requested_device == requested,
        "execution.requested_device",
        || format!("contradicts {code}"),
    )?;
    ensure(
        execution.product_verified == Some(true),
        "execution.product_verified",
        || format!("{code} needs a verified product"),
    )?;
    ensure(
        execution.gradient_verified == Some(true),
        "execution.gradient_verified",
        || format!("{code} needs a verified gradient"),
    )?;
    ensure(
        execution.synchronized == Some(true),
        "execution.synchronized",
        || format!("{code} needs a synchronisation"),
    )?;
    ensure(
        decision::receipt_is_complete(execution),
        "execution.device",
        || format!("{code} needs a result on the device that was asked for"),
    )?;
    ensure(execution.loss.is_some(), "execution.loss", || {
        format!("{code} needs the loss")
    })?;
    ensure(
        execution.dtype.as_deref() == Some("float32"),
        "execution.dtype",
        || format!("{code} is a computation in float32"),
    )?;
    if requested == RequestedDevice::Gpu {
        let pytorch = &report.pytorch;
        ensure(
            pytorch.gpu_available == Some(true),
            "pytorch.gpu_available",
            || format!("{code} needs true"),
        )?;
        let counted =
            pytorch.visible_device_count.unwrap_or(0) > execution.requested_index.unwrap_or(0);
        ensure(counted, "pytorch.visible_device_count", || {
            format!("{code} on an index that is not visible")
        })?;
    }
    Ok(())
}

fn findings(report: &Report) -> Result<(), ReportError> {
    let unsaved = report.code == Code::OutputWriteFailed;
    ensure(
        unsaved == report.unsaved_code.is_some(),
        "unsaved_code",
        || "is a code exactly when the report could not be saved".to_owned(),
    )?;
    let code = report.unsaved_code.unwrap_or(report.code);
    let failed = code.status() == Status::Failed;
    ensure(report.diagnosis.is_some() == failed, "diagnosis", || {
        "is null exactly when the attempt passed".to_owned()
    })?;
    let of_application = matches!(
        code,
        Code::ApplicationEnded
            | Code::ApplicationFailed
            | Code::ContractFailed
            | Code::ResumeFailed
    );
    ensure(
        !of_application || report.application.is_some(),
        "application",
        || format!("is null, but {code} is about it"),
    )?;
    if let Some(diagnosis) = &report.diagnosis {
        ensure(!diagnosis.actions.is_empty(), "diagnosis.actions", || {
            "is empty: a fault without anything to do".to_owned()
        })?;
        ensure(
            diagnosis.evidence.len() <= MAX_EVIDENCE,
            "diagnosis.evidence",
            || format!("has more than {MAX_EVIDENCE} facts"),
        )?;
    }
    Ok(())
}

/// Proof of stop and resume, operating range and noise floor.
fn scaling(report: &Report) -> Result<(), ReportError> {
    let application = report.application.as_ref();
    let resume = application.and_then(|application| application.resume.as_ref());
    let code = report.unsaved_code.unwrap_or(report.code);
    let finding = resume.and_then(|resume| resume.finding);
    ensure(
        code != Code::ResumeFailed || (resume.is_some() && finding != Some(ResumeFinding::Clean)),
        "application.resume",
        || format!("shows no fault, but {code} is about it"),
    )?;
    if let Some(resume) = resume {
        let clean = finding == Some(ResumeFinding::Clean);
        let broken = resume.lost + resume.repeated + resume.changed > 0
            || resume.different.is_some_and(|count| count > 0)
            || resume.unknown.is_some_and(|count| count > 0);
        ensure(!clean || !broken, "application.resume.finding", || {
            "is clean, but outputs were lost, repeated or changed".to_owned()
        })?;
        let passed = report.decisions[3].outcome == Outcome::Passed;
        ensure(
            !passed || finding.is_none_or(|finding| finding.outcome() == Outcome::Passed),
            "decisions[3].outcome",
            || "is passed, but stop and resume is not proven".to_owned(),
        )?;
        let points = resume.training.as_ref().map_or(0, |training| {
            training.reference.len().max(training.resumed.len())
        });
        ensure(
            points <= MAX_LOSS_POINTS,
            "application.resume.training",
            || format!("has a curve of more than {MAX_LOSS_POINTS} points"),
        )?;
    }
    if let Some(sweep) = application.and_then(|application| application.sweep.as_ref()) {
        ensure(
            sweep.steps.len() <= MAX_SWEEP_STEPS,
            "application.sweep.steps",
            || format!("are more than {MAX_SWEEP_STEPS}"),
        )?;
        #[allow(clippy::float_cmp, reason = "the same number, written twice")]
        let is_good = |value: f64| {
            sweep
                .steps
                .iter()
                .any(|step| step.value == value && step.outcome == Outcome::Passed)
        };
        ensure(
            sweep.last_good.is_none_or(is_good),
            "application.sweep.last_good",
            || "is no step that passed".to_owned(),
        )?;
    }
    if let Some(noise) = &report.noise {
        ensure(noise.passed <= noise.runs, "noise.passed", || {
            "is more than the runs".to_owned()
        })?;
        let ordered = |low: f64, middle: f64, high: f64| low <= middle && middle <= high;
        ensure(
            noise
                .measures
                .iter()
                .all(|measure| ordered(measure.min, measure.median, measure.max)),
            "noise.measures",
            || "has a median outside of its range".to_owned(),
        )?;
    }
    Ok(())
}

//! From what a proof came to, to the report.

use firstfault_schema::Report;
use firstfault_schema::code::{Code, Status};
use firstfault_schema::diagnosis::{self, Observation};
use firstfault_schema::facts;
use firstfault_schema::report::{
    Diagnosis, Evidence, Libtorch, Resume, ResumeFinding, Scalar, Stage, WitnessAnswer,
};

use crate::application::dossier;

/// Signatures that only say that the second start failed.
const BARE: &[&str] = &[
    "unknown",
    "application-failed",
    "application-unexplained",
    "application-timed-out",
    "application-crashed",
    "native-crash",
    "killed-by-signal",
];

/// The report of a proof: `report` is the attempt that ended it, `checked` the check before it, and `fault` what the second
/// start met itself.
pub(super) fn conclude(
    mut report: Report,
    checked: &Report,
    proof: Resume,
    fault: Option<Diagnosis>,
) -> Report {
    let Some(finding) = proof.finding else {
        return report;
    };
    let clean = finding == ResumeFinding::Clean;
    report.code = checked.code;
    report.exit_code = checked.exit_code;
    report.status = checked.status;
    report.stage = checked.stage;
    report.diagnosis.clone_from(&checked.diagnosis);
    report.decisions[3].outcome = finding.outcome();
    let found = (!clean).then(|| name(&report, finding, &proof, fault));
    if let Some(application) = &mut report.application {
        application.resume = Some(proof);
        application.first_fault = found.clone().map(dossier::without_machine);
    }
    // The first fault keeps its place: what came after it was only asked for.
    if checked.status == Status::Passed {
        report.stage = Stage::Application;
        if !clean {
            report.code = Code::ResumeFailed;
            report.exit_code = report.code.exit_code();
            report.status = report.code.status();
            report.diagnosis = found;
        }
    }
    dossier::fit(&mut report);
    report
}

fn name(
    report: &Report,
    finding: ResumeFinding,
    proof: &Resume,
    fault: Option<Diagnosis>,
) -> Diagnosis {
    let mut evidence: Vec<Evidence> = Vec::new();
    let mut know = |fact: &str, value: Scalar| {
        if facts::is_allowed(fact, &value) {
            evidence.push(Evidence {
                fact: fact.to_owned(),
                value,
            });
        }
    };
    know(facts::RESUME_FINDING, finding.name().into());
    let shape = proof
        .training
        .as_ref()
        .and_then(|training| training.shape.clone());
    if finding == ResumeFinding::TrainingDiverged
        && let Some(shape) = shape
    {
        know(facts::LOSS_SHAPE, shape.into());
    }
    let ending = proof.ending.as_ref();
    if finding == ResumeFinding::EndedBefore
        && let Some(ending) = ending
    {
        know(facts::APPLICATION_END, ending.how.name().into());
    }
    // A stop that waited for a writing comes at its moment or never, so there is no earlier one.
    let never_wrote = finding == ResumeFinding::EndedBefore
        && proof.stop_ms <= 0.0
        && proof
            .stopped_at
            .as_ref()
            .is_some_and(|point| point.at == "checkpoint");
    if never_wrote {
        know(facts::RESUME_POINT_NOT_MET, "checkpoint".into());
    }
    let mut own = diagnosis::diagnose(&Observation {
        code: Code::ResumeFailed,
        stage: Stage::Application,
        requested_device: report.execution.requested_device,
        message: None,
        stderr: "",
        pytorch: &report.pytorch,
        libtorch: &Libtorch::only(WitnessAnswer::NotRun),
        evidence: &evidence,
    });
    if never_wrote {
        // It says the same, and less.
        own.candidates.retain(|id| id != "resume-ended-before");
    }
    let carries = matches!(
        finding,
        ResumeFinding::ContinuationFailed | ResumeFinding::ContractBroken
    );
    let Some(mut fault) = fault.filter(|_| carries) else {
        return own;
    };
    fault.evidence.splice(0..0, evidence);
    fault
        .evidence
        .truncate(firstfault_schema::report::MAX_EVIDENCE);
    if finding == ResumeFinding::ContinuationFailed && !BARE.contains(&fault.signature.as_str()) {
        // What the second start says itself tells more than that it failed.
        fault.candidates.insert(0, own.signature);
        return fault;
    }
    Diagnosis {
        message: fault.message,
        evidence: fault.evidence,
        candidates: fault.candidates,
        ..own
    }
}

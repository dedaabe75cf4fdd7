//! The fields of an application's dossier.

use super::{Factor, Kind, List, Unit, float, joined};
use crate::decision::Outcome;
use crate::report::{Application, EndingKind, Memory, Resume, Sweep, SweepStep};

fn memory(path: &str, memory: &Memory, list: &mut List) {
    for (name, value) in [
        ("allocated_bytes", memory.allocated_bytes),
        ("reserved_bytes", memory.reserved_bytes),
        ("peak_allocated_bytes", memory.peak_allocated_bytes),
        ("resident_bytes", memory.resident_bytes),
    ] {
        if let Some(value) = value {
            list.number(format!("{path}.{name}"), Kind::Memory, Some(float(value)));
        }
    }
}

pub(super) fn dossier(application: &Application, list: &mut List) {
    use Kind::Configuration;
    list.text(
        "application.command",
        Configuration(Factor::Command),
        Some(&application.command.join(" ")),
    );
    if let Some(input) = &application.input {
        list.number(
            "application.input.count",
            Configuration(Factor::Input),
            input.count.map(float),
        );
        list.number(
            "application.input.longest",
            Configuration(Factor::Input),
            input.longest.map(float),
        );
        list.text(
            "application.input.digest",
            Configuration(Factor::Input),
            input.digest.as_deref(),
        );
    }
    if let Some(model) = &application.model {
        list.number(
            "application.model.parameters",
            Configuration(Factor::Model),
            model.parameters.map(float),
        );
        list.text(
            "application.model.dtypes",
            Configuration(Factor::Model),
            joined(&model.dtypes).as_deref(),
        );
        list.text(
            "application.model.devices",
            Configuration(Factor::Model),
            joined(&model.devices).as_deref(),
        );
        list.text(
            "application.model.mode",
            Configuration(Factor::Model),
            model.mode.as_deref(),
        );
    }
    list.text(
        "application.last_completed_stage",
        Kind::State,
        application.last_completed_stage.as_deref(),
    );
    if let Some(fault) = &application.first_fault {
        list.word(
            "application.first_fault.layer",
            Kind::State,
            "layer",
            Some(fault.layer.name().to_owned()),
        );
        list.text(
            "application.first_fault.signature",
            Kind::State,
            Some(&fault.signature),
        );
    }
    // Where no marks tell of passes, the time of the whole command is the only one there is.
    if let (None, Some(ending)) = (&application.passes, &application.ending)
        && ending.how == EndingKind::Exited
        && ending.exit_code == Some(0)
    {
        list.number(
            "application.ending.wall_ms",
            Kind::Single,
            Some(ending.wall_ms),
        );
    }
    if let Some(passes) = &application.passes {
        list.number(
            "application.passes.first_ms",
            Kind::Single,
            Some(passes.first_ms),
        );
        if let Some(following) = &passes.following {
            list.number(
                "application.passes.following.median",
                Kind::Repeated,
                Some(following.median),
            );
            let spread = following.p95 - following.min;
            if let Some(field) = list.0.last_mut() {
                field.spread = Some(spread);
            }
            list.number(
                "application.passes.following.p95",
                Kind::Repeated,
                Some(following.p95),
            );
            if let Some(field) = list.0.last_mut() {
                field.spread = Some(spread);
            }
        }
    }
    if let Some(peak) = &application.memory {
        memory("application.memory.peak", &peak.peak, list);
        list.text(
            "application.memory.phase",
            Kind::State,
            peak.phase.as_deref(),
        );
    }
    for point in &application.outputs {
        let path = format!("application.outputs.{}", point.point);
        list.word(
            path,
            Kind::Outcome,
            "outcome",
            Some(point.outcome.name().to_owned()),
        );
    }
    if let Some(proof) = &application.resume {
        resume(proof, list);
    }
    if let Some(range) = &application.sweep {
        sweep(range, list);
    }
}

fn resume(resume: &Resume, list: &mut List) {
    list.word(
        "application.resume.finding",
        Kind::State,
        "resume-finding",
        resume.finding.map(|finding| finding.name().to_owned()),
    );
    for (name, count) in [
        ("lost", Some(resume.lost)),
        ("repeated", Some(resume.repeated)),
        ("changed", Some(resume.changed)),
        ("different", resume.different),
        ("unknown", resume.unknown),
    ] {
        list.number(
            format!("application.resume.{name}"),
            Kind::Fewer(Unit::Plain),
            count.map(float),
        );
    }
    list.number(
        "application.resume.stop_ms",
        Kind::Single,
        Some(resume.stop_ms),
    );
    for checkpoint in &resume.checkpoints {
        let path = |name| format!("application.resume.checkpoints.{}.{name}", checkpoint.index);
        list.text(
            &path("file_system"),
            Kind::State,
            checkpoint.file_system.as_deref(),
        );
        for (name, holds) in [
            ("outlives_host", checkpoint.outlives_host),
            ("replaced_at_once", checkpoint.replaced_at_once),
            ("opened_after_kill", checkpoint.opened_after_kill),
        ] {
            list.truth(&path(name), holds);
        }
    }
}

fn sweep(sweep: &Sweep, list: &mut List) {
    let path = |name: &str| format!("application.sweep.{}.{name}", sweep.axis);
    list.number(path("last_good"), Kind::More(Unit::Plain), sweep.last_good);
    list.number(path("first_bad"), Kind::More(Unit::Plain), sweep.first_bad);
    list.word(
        path("ended_by"),
        Kind::State,
        "sweep-ended",
        sweep.ended_by.clone(),
    );
    list.number(
        path("throughput_stops_at"),
        Kind::State,
        sweep.throughput_stops_at,
    );
    let best = sweep
        .steps
        .iter()
        .filter_map(|step| step.throughput)
        .reduce(f64::max);
    list.number(path("throughput"), Kind::Throughput, best);
    let good = |step: &&SweepStep| step.outcome == Outcome::Passed;
    for step in sweep.steps.iter().filter(good) {
        let path = |name: &str| path(&format!("steps.{}.{name}", step.value));
        list.number(path("peak_bytes"), Kind::Memory, step.peak_bytes.map(float));
        list.number(path("throughput"), Kind::Throughput, step.throughput);
    }
}

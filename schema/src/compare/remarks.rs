//! What one should know first about two attempts: few sentences, the most important on top.

use super::fields::{Factor, Kind, Value};
use super::identity;
use super::words::Argument;
use super::{Change, Reason, Row, Standing};
use crate::report::{Noise, Report};

/// Reasons in the order of their weight. Rows tell the same in full; these are their first lines.
pub(super) fn remarks(baseline: &Report, candidate: &Report, rows: &[Row]) -> Vec<Reason> {
    let mut remarks = Vec::new();
    remarks.extend(sometimes(
        candidate,
        "remark-fails-sometimes",
        Standing::Broken,
    ));
    remarks.extend(rows.iter().filter_map(lost));
    if identity::is_another_card(baseline, candidate, rows) {
        remarks.push(Reason::plain("remark-card"));
    }
    let of_devices = |row: &&Row| row.kind == Kind::Configuration(Factor::Devices);
    remarks.extend(rows.iter().filter(of_devices).filter_map(configured));
    remarks.extend(rows.iter().filter_map(held));
    // A host check that answered before and fails now is an early sign.
    remarks.extend(
        rows.iter()
            .filter(|row| row.path == "host.status" && row.change == Change::Changed)
            .map(|row| moved(row, Standing::Note)),
    );
    remarks.extend(rows.iter().filter_map(worse));
    remarks.extend(
        rows.iter()
            .filter(|row| !of_devices(row))
            .filter_map(configured),
    );
    remarks.extend(sometimes(
        baseline,
        "remark-failed-sometimes-before",
        Standing::Note,
    ));
    remarks
}

/// A fault that comes and goes. One that is always there is told by the code.
fn sometimes(report: &Report, id: &'static str, standing: Standing) -> Option<Reason> {
    let Noise { runs, passed, .. } = report.noise.as_ref()?;
    (0 < *passed && passed < runs).then(|| {
        Reason::new(id, standing)
            .with("passed", Value::Number(f64::from(*passed)))
            .with("runs", Value::Number(f64::from(*runs)))
    })
}

/// An outcome, a receipt or an exact number that became worse.
fn lost(row: &Row) -> Option<Reason> {
    let exact = matches!(
        row.kind,
        Kind::Outcome | Kind::Verified | Kind::Fewer(_) | Kind::More(_)
    );
    (exact && row.change == Change::Worse).then(|| moved(row, Standing::Broken))
}

fn configured(row: &Row) -> Option<Reason> {
    let told = row.path != identity::PATH && row.change == Change::Changed;
    (told && row.is_configuration()).then(|| moved(row, Standing::Note))
}

fn moved(row: &Row, standing: Standing) -> Reason {
    let value = |value: &Value| Argument::OfField(value.clone(), row.kind.unit());
    Reason::new("remark-changed", standing)
        .with("field", Argument::Field(row.path.clone()))
        .with("before", value(&row.baseline))
        .with("after", value(&row.candidate))
}

fn held(row: &Row) -> Option<Reason> {
    let (Value::Number(before), Value::Number(after)) = (&row.baseline, &row.candidate) else {
        return None;
    };
    let (id, standing) = match (row.kind, &row.change) {
        (Kind::Held(_), Change::Worse) => ("remark-held", Standing::Broken),
        (Kind::Used(_), Change::Changed) if after > before => ("remark-used", Standing::Note),
        _ => return None,
    };
    Some(Reason::new(id, standing).with("size", Argument::Amount(row.kind.unit(), after - before)))
}

/// A measure that became worse beyond its noise.
fn worse(row: &Row) -> Option<Reason> {
    let (Value::Number(before), Value::Number(after)) = (&row.baseline, &row.candidate) else {
        return None;
    };
    if row.change != Change::Worse || !crate::noise::is_measured(row.kind) {
        return None;
    }
    let share = row.floor.and_then(|floor| floor.share());
    let id = if share.is_some() {
        "remark-worse-measured"
    } else {
        "remark-worse"
    };
    let mut reason = Reason::new(id, Standing::Broken)
        .with("field", Argument::Field(row.path.clone()))
        .with("shift", Argument::Shift(*before, *after));
    if let Some(share) = share {
        reason = reason.with("floor", Argument::Share(share));
    }
    Some(reason)
}

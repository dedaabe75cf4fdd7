//! Whether two attempts met the same cards. Identities are hashes under a salt: those of two salts say nothing about
//! each other.

use super::fields::{Factor, Kind, Value};
use super::{Change, Row};
use crate::report::{Device, Report};

/// The row's path.
pub(super) const PATH: &str = "pytorch.device_identity";
/// How much of an identity is shown.
const SHOWN_DIGITS: usize = 8;

/// Puts the identities below the GPUs' names, where any of the two reports tells one.
pub(super) fn insert(baseline: &Report, candidate: &Report, rows: &mut Vec<Row>) {
    let (before, after) = (value(baseline), value(candidate));
    if before == Value::Missing && after == Value::Missing {
        return;
    }
    let change = if before == Value::Missing || after == Value::Missing {
        Change::NotComparable("incomparable-one-only")
    } else if baseline.pytorch.device_salt != candidate.pytorch.device_salt
        || baseline.pytorch.device_salt.is_none()
    {
        Change::NotComparable("incomparable-salt")
    } else if identities(baseline).eq(identities(candidate)) {
        Change::Unchanged
    } else {
        Change::Changed
    };
    let at = rows
        .iter()
        .position(|row| row.path == "pytorch.devices")
        .map_or(0, |at| at + 1);
    rows.insert(
        at,
        Row {
            path: PATH.to_owned(),
            kind: Kind::Configuration(Factor::Devices),
            baseline: before,
            candidate: after,
            change,
            floor: None,
        },
    );
}

fn devices(report: &Report) -> &[Device] {
    report.pytorch.devices.as_deref().unwrap_or_default()
}

fn identities(report: &Report) -> impl Iterator<Item = Option<&str>> {
    devices(report)
        .iter()
        .map(|device| device.identity.as_deref())
}

fn value(report: &Report) -> Value {
    if !identities(report).any(|identity| identity.is_some()) {
        return Value::Missing;
    }
    let shown: Vec<String> = identities(report)
        .map(|identity| {
            identity.map_or_else(
                || "–".to_owned(),
                |text| text.chars().take(SHOWN_DIGITS).collect(),
            )
        })
        .collect();
    Value::Text(shown.join(", "))
}

/// Whether the card that was examined is another one of the same model.
pub(super) fn is_another_card(baseline: &Report, candidate: &Report, rows: &[Row]) -> bool {
    let examined = |report: &Report| {
        let index = report.execution.requested_index?;
        let device = devices(report)
            .iter()
            .find(|device| device.index == index)?;
        Some((device.name.clone(), device.identity.clone()?))
    };
    let changed = rows
        .iter()
        .any(|row| row.path == PATH && row.change == Change::Changed);
    changed
        && examined(baseline).zip(examined(candidate)).is_some_and(
            |((model, card), (other_model, other))| model == other_model && card != other,
        )
}

//! A report in Markdown: whole for an issue tracker, or only what the host's operator needs.
//!
//! Everything that came from elsewhere stands in code spans, so that no link, mention, reference or mark-up in it is active.

use std::fmt::Write as _;

use fluent_bundle::FluentValue;

use crate::catalogue;
use crate::code::Status;
use crate::facts::{self, Kind};
use crate::guidance::Guidance;
use crate::report::{Diagnosis, Owner, Report, Scalar};
use crate::visible::{shortened, visible};

/// The most characters of one value.
const MAX_VALUE_CHARS: usize = 500;

/// The fault and the facts of the host in Markdown, fit to send to whoever runs it. The user's own labels and parameters,
/// the environment and its packages are left out.
pub fn host_ticket(report: &Report, guidance: &Guidance) -> String {
    let mut text = format!("# {}\n\n", guidance.text("ticket-title"));
    let Some(diagnosis) = fault(report) else {
        let _ = writeln!(text, "{}", guidance.text("ticket-no-fault"));
        head(&mut text, report, guidance);
        return text;
    };
    fault_section(&mut text, diagnosis, guidance);
    if diagnosis.owner != Owner::Host {
        let owner = guidance.text(&format!("owner-{}", diagnosis.owner.name()));
        let _ = writeln!(
            text,
            "\n{}",
            guidance.text_with("ticket-other-owner", &[("owner", FluentValue::from(owner))])
        );
    }
    head(&mut text, report, guidance);
    if let Some(host) = &report.host {
        if let Some(version) = &host.driver_version {
            item(&mut text, &guidance.text("ticket-driver"), version);
        }
        for gpu in host.gpus.iter().flatten() {
            let memory = gpu
                .total_memory_bytes
                .map(|bytes| format!(", {}", binary(bytes)))
                .unwrap_or_default();
            item(
                &mut text,
                &guidance.text("ticket-gpu"),
                &format!("{}{memory}", gpu.name),
            );
        }
    }
    let first_variable = facts::ALL
        .iter()
        .position(|fact| fact.id == facts::CUDA_VISIBLE_DEVICES)
        .unwrap_or(0);
    let of_host = |id: &str| {
        facts::ALL
            .iter()
            .position(|fact| fact.id == id)
            .is_some_and(|at| at < first_variable)
    };
    evidence(&mut text, diagnosis, guidance, of_host);
    let _ = writeln!(text, "\n## {}\n", guidance.text("ticket-wanted"));
    let (host, other): (Vec<_>, Vec<_>) = diagnosis
        .actions
        .iter()
        .filter(|id| *id != "ask-host-with-ticket" && *id != "read-local-log")
        .partition(|id| catalogue::action(id).is_some_and(|action| action.owner == Owner::Host));
    let wanted = if host.is_empty() { other } else { host };
    actions(&mut text, wanted.into_iter().map(String::as_str), guidance);
    let _ = writeln!(text, "\n{}", guidance.text("ticket-foot"));
    text
}

/// The report in Markdown, for an issue tracker.
pub fn markdown(report: &Report, guidance: &Guidance) -> String {
    let mut text = format!(
        "# FirstFault: {}\n\n{}\n",
        span(report.code.name()),
        guidance.text(&kebab("code", report.code.name()))
    );
    if let Some(diagnosis) = fault(report) {
        text.push('\n');
        fault_section(&mut text, diagnosis, guidance);
        let _ = writeln!(text, "\n## {}\n", guidance.text("ticket-wanted"));
        actions(
            &mut text,
            diagnosis.actions.iter().map(String::as_str),
            guidance,
        );
    }
    let _ = writeln!(text, "\n## {}\n", guidance.text("ticket-decisions"));
    for decision in &report.decisions {
        let name = guidance.text(&kebab("decision", decision.id.name()));
        let outcome = guidance.text(&kebab("outcome", decision.outcome.name()));
        let _ = writeln!(text, "- {name}: {outcome}");
    }
    let witness = guidance.text(&kebab("witness", report.libtorch.answer.name()));
    let _ = writeln!(text, "- libtorch: {witness}");
    head(&mut text, report, guidance);
    let (runtime, pytorch) = (&report.runtime, &report.pytorch);
    let mut optional = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            item(&mut text, name, &value);
        }
    };
    optional("Python", runtime.python_version.clone());
    optional(
        "PyTorch",
        pytorch
            .version
            .clone()
            .or_else(|| pytorch.installed_version.clone()),
    );
    optional("CUDA", pytorch.cuda_version.clone());
    optional("HIP", pytorch.hip_version.clone());
    for device in pytorch.devices.iter().flatten() {
        let capability = device
            .compute_capability
            .as_ref()
            .map(|capability| format!(", {capability}"))
            .unwrap_or_default();
        optional(
            &format!("GPU {}", device.index),
            Some(format!("{}{capability}", device.name)),
        );
    }
    if let Some(diagnosis) = fault(report) {
        evidence(&mut text, diagnosis, guidance, |_| true);
    }
    text
}

fn fault(report: &Report) -> Option<&Diagnosis> {
    let application = report
        .application
        .as_ref()
        .and_then(|application| application.first_fault.as_ref());
    report
        .diagnosis
        .as_ref()
        .or(application)
        .filter(|_| report.unsaved_code.unwrap_or(report.code).status() == Status::Failed)
}

fn fault_section(text: &mut String, diagnosis: &Diagnosis, guidance: &Guidance) {
    // A signature from a foreign report may be anything; only one of the catalogue has a text.
    let title = guidance
        .find(&format!("fault-{}", diagnosis.signature), &[])
        .unwrap_or_else(|| guidance.text("fault-unknown"));
    let _ = writeln!(text, "**{title}**\n");
    item(text, &guidance.text("ticket-fault"), &diagnosis.signature);
    let layer = diagnosis.layer.name();
    let _ = writeln!(
        text,
        "- {}: {} ({})",
        guidance.text("ticket-layer"),
        guidance.text(&format!("layer-{layer}")),
        span(layer)
    );
    let owner = diagnosis.owner.name();
    let _ = writeln!(
        text,
        "- {}: {} ({})",
        guidance.text("ticket-owner"),
        guidance.text(&format!("owner-{owner}")),
        span(owner)
    );
    if let Some(message) = &diagnosis.message {
        item(text, &guidance.text("ticket-message"), message);
    }
    if !diagnosis.candidates.is_empty() {
        let all: Vec<String> = diagnosis
            .candidates
            .iter()
            .map(|candidate| span(candidate))
            .collect();
        let _ = writeln!(
            text,
            "- {}: {}",
            guidance.text("ticket-candidates"),
            all.join(", ")
        );
    }
}

fn head(text: &mut String, report: &Report, guidance: &Guidance) {
    let _ = writeln!(text, "\n## {}\n", guidance.text("ticket-attempt"));
    item(
        text,
        &guidance.text("ticket-code"),
        &format!("{} ({})", report.code.name(), report.stage.name()),
    );
    item(
        text,
        &guidance.text("ticket-when"),
        &report.attempt.started_at,
    );
    item(
        text,
        &guidance.text("ticket-identifier"),
        &report.attempt.id,
    );
    item(
        text,
        &guidance.text("ticket-tool"),
        &format!("{} {}", report.tool.name, report.tool.version),
    );
    let system: Vec<&str> = [&report.runtime.system, &report.runtime.architecture]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    if !system.is_empty() {
        item(text, &guidance.text("ticket-system"), &system.join(" "));
    }
}

fn evidence(
    text: &mut String,
    diagnosis: &Diagnosis,
    guidance: &Guidance,
    wanted: impl Fn(&str) -> bool,
) {
    let known: Vec<_> = diagnosis
        .evidence
        .iter()
        .filter(|item| facts::is_allowed(&item.fact, &item.value) && wanted(&item.fact))
        .collect();
    if known.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {}\n", guidance.text("ticket-facts"));
    for fact in known {
        item(
            text,
            &guidance.text(&kebab("fact", &fact.fact)),
            &value(&fact.fact, &fact.value),
        );
    }
}

fn value(id: &str, value: &Scalar) -> String {
    match (facts::find(id).map(|fact| fact.kind), value) {
        (Some(Kind::Bytes), Scalar::Number(number)) => {
            number.as_u64().map_or_else(|| number.to_string(), binary)
        }
        _ => value.to_string(),
    }
}

fn actions<'a>(text: &mut String, ids: impl Iterator<Item = &'a str>, guidance: &Guidance) {
    for (number, id) in ids.filter_map(catalogue::action).enumerate() {
        let _ = write!(
            text,
            "{}. {}",
            number + 1,
            guidance.text(&format!("action-{}", id.id))
        );
        match id.command {
            Some(command) => {
                let _ = writeln!(text, " {}", span(command));
            }
            None => text.push('\n'),
        }
    }
}

fn item(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "- {name}: {}", span(value));
}

/// A code span: nothing in it is active. A backtick would end it, so it is shown as another mark.
fn span(text: &str) -> String {
    let (text, cut) = shortened(text, MAX_VALUE_CHARS);
    let shown = visible(text).replace('`', "ˋ");
    let shown = shown.trim();
    if shown.is_empty() {
        return "–".to_owned();
    }
    format!("`{shown}{}`", if cut { "…" } else { "" })
}

/// `code-gpu-check-passed` for `GPU_CHECK_PASSED`.
fn kebab(prefix: &str, name: &str) -> String {
    format!("{prefix}-{}", name.to_ascii_lowercase().replace('_', "-"))
}

/// 1023 → `1023 B`, 1024 → `1.0 KiB`, 85899345920 → `80.0 GiB`.
fn binary(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10 * 1024 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_binary_units() {
        assert_eq!(binary(1023), "1023 B");
        assert_eq!(binary(1024), "1.0 KiB");
        assert_eq!(binary(67_108_864), "64.0 MiB");
        assert_eq!(binary(85_899_345_920), "80.0 GiB");
    }

    #[test]
    fn nothing_in_a_span_is_active() {
        assert_eq!(
            span("@everyone [x](http://evil)"),
            "`@everyone [x](http://evil)`"
        );
        assert_eq!(span("a`b\n# c"), "`aˋb␊# c`");
        assert_eq!(span("   "), "–");
    }
}

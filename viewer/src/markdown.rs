//! A report as Markdown: for an issue tracker, and as a ticket for whoever runs the host. Pure.

use std::fmt::Write as _;

use firstfault_schema::Report;
use firstfault_schema::compare::{driver_version, word_id};
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Layer, Owner};
use firstfault_schema::visible::{shortened, visible};

use crate::view_model::{self, FactGroup};

/// The most characters of one value.
const MOST: usize = 600;

/// Text that Markdown shows as it is: no markup, no link, no mention, no line of its own.
pub fn escape(text: &str) -> String {
    let (start, cut) = shortened(text, MOST);
    let mut out = String::with_capacity(start.len() + 16);
    for character in visible(start).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | '#' | '|' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(character);
            }
            '&' => out.push_str("&amp;"),
            // A joiner without width keeps a mention or an address from being found.
            '@' => out.push_str("@\u{2060}"),
            ':' => out.push_str(":\u{2060}"),
            other => out.push(other),
        }
    }
    if cut {
        out.push('…');
    }
    out
}

/// Text between backticks.
fn code(text: &str) -> String {
    let (start, cut) = shortened(text, MOST);
    let shown = visible(start).replace('`', "ˋ").replace('|', "¦");
    format!("`{shown}{}`", if cut { "…" } else { "" })
}

/// The whole report in short.
pub fn report(report: &Report, words: &Guidance) -> String {
    let verdict = view_model::verdict(report, words);
    let mut out = String::new();
    // Writing to a String can't fail, here and below.
    let _ = writeln!(out, "## {}\n", escape(&verdict.sentence));
    if let Some(explanation) = &verdict.explanation {
        let _ = writeln!(out, "{}\n", escape(explanation));
    }
    let checked: Vec<String> = verdict.checked.iter().map(|part| escape(part)).collect();
    let _ = writeln!(out, "{} · {} · {}\n", code(&verdict.code), escape(&verdict.when), checked.join(" · "));
    if let Some(diagnosis) = &report.diagnosis {
        let layer = words.text(&word_id("layer", diagnosis.layer.name()));
        let owner = words.text(&word_id("owner", diagnosis.owner.name()));
        let _ = writeln!(out, "- {}: {} ({})", words.text("field-layer"), escape(&layer), code(diagnosis.layer.name()));
        let _ = writeln!(out, "- {}: {}", words.text("whose-job"), escape(&owner));
    }
    let actions = view_model::actions(report, words);
    let heading = if actions.owner.is_some() { "heading-first-action" } else { "heading-next-step" };
    let _ = writeln!(out, "\n### {}\n", words.text(heading));
    for (at, action) in std::iter::once(&actions.first).chain(&actions.others).enumerate() {
        let _ = writeln!(out, "{}. {}", at + 1, escape(&action.text));
        if let Some(command) = &action.command {
            let _ = writeln!(out, "   {}", code(command));
        }
    }
    let _ = writeln!(out, "\n| {} | {} |\n| --- | --- |", words.text("decision-control"), words.text("decision-outcome"));
    for (at, row) in view_model::decisions(report, words).iter().enumerate() {
        let _ = writeln!(out, "| {} {} | {} |", at + 1, escape(&row.name), escape(&row.outcome));
    }
    groups(&view_model::evidence(report, words), &mut out);
    let _ = writeln!(out, "\n{} {} · {}", report.tool.name, report.tool.version, code(&report.attempt.id));
    out
}

/// Only what concerns the host; none where the fault is not the host's to mend.
pub fn ticket(report: &Report, words: &Guidance) -> Option<String> {
    let diagnosis = report.diagnosis.as_ref()?;
    let theirs = matches!(diagnosis.owner, Owner::Host)
        || matches!(diagnosis.layer, Layer::Driver | Layer::Exposure);
    if !theirs {
        return None;
    }
    let verdict = view_model::verdict(report, words);
    let mut out = String::new();
    let _ = writeln!(out, "## {}\n", escape(&verdict.sentence));
    let _ = writeln!(out, "{}\n", words.text("ticket-intro"));
    let _ = writeln!(out, "- {}: {}", words.text("ticket-when"), escape(&verdict.when));
    let _ = writeln!(out, "- {}: {} / {}", words.text("ticket-code"), code(&verdict.code), code(diagnosis.layer.name()));
    if let Some(message) = &diagnosis.message {
        let _ = writeln!(out, "- {}: {}", words.text("field-message"), code(message));
    }
    if let Some(driver) = driver_version(report) {
        let _ = writeln!(out, "- {}: {}", words.text("field-driver-version"), code(driver));
    }
    let machine = [&report.runtime.system, &report.runtime.architecture];
    let machine: Vec<&str> = machine.into_iter().flatten().map(String::as_str).collect();
    if !machine.is_empty() {
        let _ = writeln!(out, "- {}: {}", words.text("field-system"), code(&machine.join(" ")));
    }
    for fact in &diagnosis.evidence {
        let fact = view_model::evidence_fact(fact, words);
        let _ = writeln!(out, "- {}: {}", escape(&fact.name), code(&fact.value));
    }
    for gpu in report.host.iter().flat_map(|host| host.gpus.iter().flatten()) {
        let _ = writeln!(out, "- {}: {}", words.text("field-host-gpu"), code(&gpu.name));
    }
    let _ = writeln!(out, "\n{} {} · {}", report.tool.name, report.tool.version, code(&report.attempt.id));
    Some(out)
}

fn groups(groups: &[FactGroup], out: &mut String) {
    for group in groups {
        let _ = writeln!(out, "\n### {}\n", group.title);
        for fact in &group.facts {
            let value = if fact.machine { code(&fact.value) } else { escape(&fact.value) };
            let _ = writeln!(out, "- {}: {value}", escape(&fact.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_report_becomes_markup_a_link_or_a_mention() {
        let text = escape("<img src=x> [a](http://b) @team | `c`\n# d");
        assert!(!text.contains("<img") || text.contains("\\<img"));
        assert!(!text.contains("http://") && !text.contains("@team") && !text.contains('\n'));
        assert_eq!(code("a`b|c\u{202e}"), "`aˋb¦c⟨U+202E⟩`");
    }
}

//! Two reports side by side, for people and as JSON.

use std::fmt::Write as _;

use firstfault_schema::Report;
use firstfault_schema::compare::{
    Change, Comparison, Judgement, Reason, Row, Standing, Value, Verdict, field_name,
};
use firstfault_schema::format;
use firstfault_schema::noise::{Floor, Range};
use firstfault_schema::visible::visible;
use fluent_bundle::FluentValue;
use serde_json::json;

use super::check::breakable;
use super::{FAILED, PASSED, Printer, QUIET, STRONG};
use crate::error::Error;

impl Printer {
    /// The comparison as one JSON document: differences only, with the count of the unchanged.
    pub(crate) fn comparison_json(&self, comparison: &Comparison) -> Result<(), Error> {
        let document = self.comparison_document(comparison);
        self.data(&format!("{document:#}\n"))
    }

    pub(super) fn comparison_document(&self, comparison: &Comparison) -> serde_json::Value {
        let row = |row: &Row| {
            json!({
                "field": row.path,
                "baseline": raw(&row.baseline),
                "candidate": raw(&row.candidate),
                "change": row.change.name(),
                "noise": row.floor.as_ref().map(floor),
            })
        };
        let reasons = |reasons: &[Reason]| -> Vec<_> {
            reasons
                .iter()
                .map(|reason| json!({"id": reason.id, "standing": standing(reason.standing), "text": reason.text(self.guidance())}))
                .collect()
        };
        let judgement = |judgement: &Judgement| json!({"answer": judgement.answer.name(), "reasons": reasons(&judgement.reasons)});
        json!({
            "verdict": comparison.verdict.name(),
            "exit_code": comparison.verdict.exit_code(),
            "obstacles": comparison.obstacles.iter().map(|reason| reason.text(self.guidance())).collect::<Vec<_>>(),
            "remarks": reasons(&comparison.remarks),
            "one_change": judgement(&comparison.one_change),
            "scale_up": judgement(&comparison.scale_up),
            "configuration": comparison.configuration().map(row).collect::<Vec<_>>(),
            "results": comparison.results().map(row).collect::<Vec<_>>(),
            "unchanged": comparison.unchanged().count(),
        })
    }

    /// The comparison for people: judgements, configuration, results, and last the verdict.
    pub(crate) fn comparison(
        &self,
        baseline: &Report,
        candidate: &Report,
        comparison: &Comparison,
    ) -> Result<(), Error> {
        let mut text = String::new();
        let head = |name: &str, report: &Report| {
            let label = report.attempt.label.as_deref().map_or_else(
                || report.attempt.id.chars().take(8).collect(),
                |label| visible(label).into_owned(),
            );
            [
                self.text(name),
                format!("{label} · {}", report.code),
                visible(&report.attempt.started_at).into_owned(),
            ]
        };
        self.table(
            &mut text,
            [
                head("terminal-baseline", baseline),
                head("terminal-candidate", candidate),
            ],
        );
        // What the rows below tell anyway is not told twice.
        let first: Vec<&Reason> = comparison
            .remarks
            .iter()
            .filter(|remark| !remark.is_about_a_field())
            .collect();
        if !first.is_empty() {
            text.push('\n');
        }
        for remark in first {
            self.paragraph(
                &mut text,
                "  ",
                &visible(&breakable(&remark.text(self.guidance()))),
            );
        }
        self.judgement(&mut text, "one-change", &comparison.one_change);
        self.judgement(&mut text, "scale-up", &comparison.scale_up);
        self.rows(
            &mut text,
            "terminal-configuration",
            comparison.configuration(),
        );
        self.rows(&mut text, "terminal-results", comparison.results());
        let one_only = comparison
            .rows
            .iter()
            .filter(|row| is_one_only(row))
            .count();
        if one_only > 0 {
            let _ = writeln!(
                text,
                "\n{QUIET}{}{QUIET:#}",
                self.guidance().text_with(
                    "terminal-one-only",
                    &[("count", FluentValue::from(one_only))]
                )
            );
        }
        let unchanged = [("count", FluentValue::from(comparison.unchanged().count()))];
        let _ = writeln!(
            text,
            "\n{QUIET}{}{QUIET:#}",
            self.guidance().text_with("terminal-unchanged", &unchanged)
        );
        if !comparison.obstacles.is_empty() {
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#}",
                self.text("terminal-not-comparable")
            );
        }
        for obstacle in &comparison.obstacles {
            self.paragraph(&mut text, "  ", &obstacle.text(self.guidance()));
        }
        let style = if comparison.verdict == Verdict::Worse
            || comparison.verdict == Verdict::NotComparable
        {
            FAILED
        } else {
            PASSED
        };
        let verdict = self.text(&format!(
            "compare-verdict-{}",
            comparison.verdict.name().replace('_', "-")
        ));
        let _ = writeln!(text, "\n{style}{verdict}{style:#}");
        self.out(&text)
    }

    fn row_value(&self, row: &Row, value: &Value) -> String {
        breakable(&format::value(value, row.kind.unit(), self.guidance()))
    }

    fn judgement(&self, text: &mut String, name: &str, judgement: &Judgement) {
        let answer = self.text(&format!(
            "answer-{}",
            judgement.answer.name().replace('_', "-")
        ));
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#} {answer}",
            self.text(&format!("judgement-{name}"))
        );
        for reason in &judgement.reasons {
            let mark = match (reason.standing, self.unicode) {
                (Standing::Holds, true) => "✓",
                (Standing::Holds, false) => "+",
                (Standing::Broken, true) => "✗",
                (Standing::Broken, false) => "x",
                (Standing::Missing, _) => "?",
                (Standing::Note, _) => " ",
            };
            let sentence = reason.text(self.guidance());
            self.paragraph(text, "  ", &visible(&format!("{mark} {sentence}")));
        }
    }

    fn rows<'a>(&self, text: &mut String, title: &str, rows: impl Iterator<Item = &'a Row>) {
        // What only one of the two tells is counted, not listed: after a failure that is nearly everything.
        let mut rows = rows.filter(|row| !is_one_only(row)).peekable();
        if rows.peek().is_none() {
            return;
        }
        let _ = writeln!(text, "\n{STRONG}{}{STRONG:#}", self.text(title));
        self.table(
            text,
            rows.map(|row| {
                let change = self.text(&format!("change-{}", row.change.name().replace('_', "-")));
                let values = format!(
                    "{} → {}",
                    self.row_value(row, &row.baseline),
                    self.row_value(row, &row.candidate)
                );
                let floor = row.floor.as_ref().and_then(Floor::share).map(|share| {
                    let share = format::share(share, self.guidance().language());
                    self.with("change-floor", &[("floor", &breakable(&share))])
                });
                let change = match (&row.change, floor) {
                    (Change::NotComparable(why), _) => self.text(why),
                    (_, Some(floor)) => format!("{change}\n{floor}"),
                    (_, None) => change,
                };
                let name =
                    field_name(&row.path, self.guidance()).unwrap_or_else(|| row.path.clone());
                [
                    visible(&name).into_owned(),
                    visible(&values).into_owned(),
                    change,
                ]
            }),
        );
    }
}

/// Whether only one of the two reports tells of it.
fn is_one_only(row: &Row) -> bool {
    row.change == Change::NotComparable("incomparable-one-only")
}

/// What a difference was held against; durations in ms, memory in bytes.
fn floor(floor: &Floor) -> serde_json::Value {
    let range = |range: &Range| json!({"runs": range.runs, "min": range.min, "median": range.median, "max": range.max});
    json!({
        "least": floor.least,
        "baseline": range(&floor.baseline),
        "candidate": range(&floor.candidate),
    })
}

/// A value as a report holds it, whatever the language.
fn raw(value: &Value) -> serde_json::Value {
    match value {
        Value::Missing => serde_json::Value::Null,
        Value::Truth(value) => json!(value),
        Value::Number(value) => json!(value),
        Value::Text(value) | Value::Word(_, value) => json!(value),
    }
}

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Broken => "broken",
        Standing::Missing => "missing",
        Standing::Note => "note",
    }
}

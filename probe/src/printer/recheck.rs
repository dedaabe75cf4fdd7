//! What a recheck says: one line for a mail, or one JSON document.

use firstfault_schema::Report;
use firstfault_schema::code::Status;
use firstfault_schema::compare::{Comparison, Verdict, word_id};
use firstfault_schema::visible::visible;
use serde_json::json;

use super::Printer;
use super::check::breakable;
use crate::check::Note;
use crate::error::Error;

/// How many reasons one line has room for.
const MOST_REASONS: usize = 2;

impl Printer {
    /// The line: verdict, code and the first reasons.
    pub(crate) fn recheck(&self, report: &Report, comparison: &Comparison) -> Result<(), Error> {
        let failed = report.status == Status::Failed;
        let verdict = match comparison.verdict {
            _ if failed => "failed",
            Verdict::Worse => "worse",
            Verdict::Better => "better",
            Verdict::Same => "same",
            Verdict::NotComparable => "not-comparable",
        };
        let mut reasons = Vec::new();
        if failed {
            let fault = report
                .diagnosis
                .as_ref()
                .and_then(|diagnosis| {
                    self.guidance()
                        .find(&word_id("fault", &diagnosis.signature), &[])
                })
                .unwrap_or_else(|| self.text(&word_id("code", report.code.name())));
            reasons.push(fault);
        }
        // A decision that fell is what the code tells already.
        let remarks = comparison
            .remarks
            .iter()
            .filter(|remark| !(failed && remark.is_about_a_decision()));
        reasons.extend(remarks.map(|remark| remark.text(self.guidance())));
        reasons.truncate(MOST_REASONS);
        let parts: Vec<String> = [
            self.text(&format!("terminal-recheck-{verdict}")),
            report.code.to_string(),
        ]
        .into_iter()
        .chain(
            reasons
                .iter()
                .map(|reason| reason.trim_end_matches('.').to_owned()),
        )
        .collect();
        let line = breakable(&parts.join(" · "));
        self.out(&format!("{}\n", visible(&line).replace(['\n', '\r'], " ")))
    }

    /// Comparison and report.
    pub(crate) fn recheck_json(
        &self,
        report: &Report,
        comparison: &Comparison,
    ) -> Result<(), Error> {
        let report: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap_or_default();
        let document = json!({
            "comparison": self.comparison_document(comparison),
            "report": report,
        });
        self.data(&format!("{document:#}\n"))
    }

    /// What whoever reads a mail has to know beside the line: nothing, unless something went wrong.
    pub(crate) fn recheck_notes(&self, notes: &[Note], failed: bool) {
        for note in notes {
            let usual = matches!(note, Note::Interpreter(_) | Note::Evidence(_));
            if failed || !usual {
                self.err(&format!("{}\n", self.note(note)));
            }
        }
    }
}

//! Words a proof of stop and resume: how it was stopped, what was there before and after, how the loss went on, and whether
//! the checkpoints would outlive process and host.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use firstfault_schema::compare::word_id;
use firstfault_schema::decision::Outcome;
use firstfault_schema::format;
use firstfault_schema::report::{Checkpoint, Resume, ResumeFinding, ResumedTraining};
use firstfault_schema::visible::visible;

use super::{FAILED, PASSED, Printer, STRONG};

impl Printer {
    /// The proof for people. What it came to is said here unless the `verdict` says it.
    pub(super) fn resume(&self, text: &mut String, resume: &Resume, verdict: bool) {
        let heading = self.text("heading-resume");
        let _ = writeln!(text, "\n{STRONG}{heading}{STRONG:#}");
        self.paragraph(text, "  ", &self.stop(resume));
        text.push('\n');
        self.progress_table(text, resume);
        if let Some(counts) = self.counts(resume) {
            self.paragraph(text, "  ", &counts);
        }
        if !resume.examples.is_empty() {
            let examples = format!(
                "{}: {}",
                self.text("resume-examples"),
                visible(&resume.examples.join(", "))
            );
            self.paragraph(text, "  ", &examples);
        }
        if let Some(training) = &resume.training {
            self.training(text, training);
        }
        if !resume.checkpoints.is_empty() {
            let heading = self.text("heading-checkpoints");
            let _ = writeln!(text, "\n{STRONG}{heading}{STRONG:#}");
            for checkpoint in &resume.checkpoints {
                self.checkpoint(text, checkpoint);
            }
        }
        if let Some(finding) = resume.finding.filter(|_| !verdict) {
            let (style, sign) = match (finding.outcome(), self.unicode) {
                (Outcome::Passed, true) => (PASSED, "✓"),
                (Outcome::Passed, false) => (PASSED, "+"),
                (Outcome::NotProven, _) => (FAILED, "?"),
                (_, true) => (FAILED, "✗"),
                (_, false) => (FAILED, "X"),
            };
            let sentence = self.text(&word_id("resume-finding", finding.name()));
            let mut wrapped = String::new();
            self.paragraph(&mut wrapped, "    ", &sentence);
            let _ = writeln!(
                text,
                "\n  {style}{sign}{style:#} {STRONG}{}{STRONG:#}",
                wrapped.trim()
            );
        }
    }

    /// `SIGTERM at pass 8: exit code 0 · 3.1 s, after 312 ms of 15 s`
    fn stop(&self, resume: &Resume) -> String {
        let point = resume.stopped_at.as_ref().map(|at| {
            let value = at
                .value
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            self.with(&word_id("trigger", &at.at), &[("value", &value)])
        });
        let mut line = match point {
            Some(point) => self.with(
                "terminal-resume-stop",
                &[
                    ("signal", resume.signal.as_str()),
                    ("point", &visible(&point)),
                ],
            ),
            None => resume.signal.clone(),
        };
        if let Some(ending) = &resume.ending {
            let _ = write!(line, ": {}", self.ending(ending));
        }
        let time = self.duration(resume.stop_ms);
        let took = match resume.grace_ms {
            Some(grace) => self.with(
                "terminal-resume-took-of",
                &[("time", &time), ("grace", &self.duration(grace))],
            ),
            None => self.with("terminal-resume-took", &[("time", &time)]),
        };
        let _ = write!(line, " · {took}");
        line
    }

    fn progress_table(&self, text: &mut String, resume: &Resume) {
        let mut rows = Vec::new();
        if resume.outputs_reference.is_some() {
            rows.push((
                "resume-outputs",
                [
                    resume.outputs_reference,
                    Some(resume.outputs_before),
                    has_gone_on(resume).then_some(resume.outputs_after),
                ],
            ));
        }
        if resume.passes_reference.is_some() {
            rows.push((
                "resume-passes",
                [
                    resume.passes_reference,
                    resume.passes_before,
                    resume.passes_after,
                ],
            ));
        }
        if rows.is_empty() {
            return;
        }
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.width.saturating_sub(2));
        let heads = ["resume-reference", "resume-before", "resume-after"].map(|id| self.text(id));
        table.add_row([vec![String::new()], heads.to_vec()].concat());
        for (id, counts) in rows {
            let counts =
                counts.map(|count| count.map_or_else(|| "-".to_owned(), |count| self.count(count)));
            table.add_row([vec![self.text(id)], counts.to_vec()].concat());
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for line in table.trim_fmt().lines() {
            let _ = writeln!(text, " {}", line.trim_end());
        }
    }

    fn count(&self, count: u64) -> String {
        #[allow(clippy::cast_precision_loss, reason = "no count is that large")]
        let count = count as f64;
        super::check::breakable(&format::number(count, 0, self.guidance().language()))
    }

    /// `lost 0 · repeated 0 · changed 0 · different 0 · unknown 0 · tolerance 0.00001`; none where nothing was compared.
    fn counts(&self, resume: &Resume) -> Option<String> {
        let different = resume.different?;
        let mut parts: Vec<String> = [
            ("resume-lost", resume.lost),
            ("resume-repeated", resume.repeated),
            ("resume-changed", resume.changed),
            ("resume-different", different),
            ("resume-unknown", resume.unknown.unwrap_or(0)),
        ]
        .into_iter()
        .map(|(id, count)| format!("{} {}", self.text(id), self.count(count)))
        .collect();
        if let Some(tolerance) = resume.tolerance {
            let value = format::number(tolerance, 9, self.guidance().language());
            parts.push(self.with("resume-tolerance", &[("value", &value)]));
        }
        Some(parts.join(" · "))
    }

    fn training(&self, text: &mut String, training: &ResumedTraining) {
        let heading = self.text("heading-loss");
        let _ = writeln!(text, "\n{STRONG}{heading}{STRONG:#}");
        let number = |value: f64| format::number(value, 6, self.guidance().language());
        let steps = format!(
            "{} · {}",
            self.count(training.steps_reference),
            self.count(training.steps_resumed)
        );
        let mut rows = vec![[self.text("loss-steps"), steps, String::new()]];
        if let Some(step) = training.resumed_at {
            rows.push([self.text("loss-resumed-at"), number(step), String::new()]);
        }
        rows.push([
            self.text("loss-differing"),
            self.count(training.differing),
            String::new(),
        ]);
        if training.differing > 0 {
            if let Some(largest) = training.largest_difference {
                rows.push([self.text("loss-largest"), number(largest), String::new()]);
            }
            if let Some(differs) = training.first_step_differs {
                rows.push([
                    self.text("loss-first-differs"),
                    self.truth(Some(differs)),
                    String::new(),
                ]);
            }
        }
        self.table(text, rows);
        let hint = training
            .shape
            .as_deref()
            .and_then(|shape| self.guidance().find(&word_id("loss-shape", shape), &[]));
        if let Some(hint) = hint {
            self.paragraph(text, "  ", &format!("{} {hint}", self.text("loss-hint")));
        }
    }

    fn truth(&self, value: Option<bool>) -> String {
        self.text(match value {
            Some(true) => "terminal-resume-yes",
            Some(false) => "terminal-resume-no",
            None => "terminal-resume-not-told",
        })
    }

    fn checkpoint(&self, text: &mut String, checkpoint: &Checkpoint) {
        let mut parts = vec![format!(
            "{} {}",
            self.text("checkpoint"),
            checkpoint.index + 1
        )];
        parts.extend(
            checkpoint
                .file_system
                .as_deref()
                .map(|kind| visible(kind).into_owned()),
        );
        if let Some(bytes) = checkpoint.bytes {
            parts.push(self.with(
                "checkpoint-size",
                &[
                    ("size", &self.bytes(bytes)),
                    ("copies", &self.count(checkpoint.kept_copies)),
                ],
            ));
        }
        if let Some(bytes) = checkpoint.free_bytes {
            parts.push(self.with("checkpoint-free", &[("size", &self.bytes(bytes))]));
        }
        self.paragraph(text, "  ", &parts.join(" · "));
        let answer = |id: &str, value| format!("{}: {}", self.text(id), self.truth(value));
        let mut answers = vec![
            answer("checkpoint-outlives", checkpoint.outlives_host),
            answer("checkpoint-at-once", checkpoint.replaced_at_once),
        ];
        if checkpoint.opened_after_kill.is_some() {
            answers.push(answer("checkpoint-opened", checkpoint.opened_after_kill));
        }
        if checkpoint.killed_while_writing == Some(true) {
            answers.push(self.text("checkpoint-while-writing"));
        }
        self.paragraph(text, "    ", &answers.join(" · "));
        for advice in advice(checkpoint) {
            self.paragraph(text, "    ", &self.text(advice));
        }
    }
}

/// Whether there was a second start.
const fn has_gone_on(resume: &Resume) -> bool {
    !matches!(
        resume.finding,
        Some(
            ResumeFinding::EndedBefore
                | ResumeFinding::DidNotStop
                | ResumeFinding::CheckpointDamaged
        )
    )
}

/// What is better done about a checkpoint before scaling up.
fn advice(checkpoint: &Checkpoint) -> Vec<&'static str> {
    let mut advice = Vec::new();
    if checkpoint.outlives_host == Some(false) {
        advice.push(if checkpoint.file_system.as_deref() == Some("overlay") {
            "terminal-resume-advice-layer"
        } else {
            "terminal-resume-advice-memory"
        });
    }
    if checkpoint.replaced_at_once == Some(false) {
        advice.push("terminal-resume-advice-in-place");
    }
    let needed = checkpoint
        .bytes
        .map(|bytes| bytes.saturating_mul(checkpoint.kept_copies));
    if needed
        .zip(checkpoint.free_bytes)
        .is_some_and(|(needed, free)| needed > free)
    {
        advice.push("terminal-resume-advice-space");
    }
    advice
}

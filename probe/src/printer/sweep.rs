//! Words a sweep: a line for each step while it lasts, then the table, and last the operating range.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{MemoryLimit, Sweep, SweepEnd, SweepStep, ThroughputOf};
use firstfault_schema::visible::visible;
use firstfault_schema::{Report, Status, format};
use fluent_bundle::FluentValue;

use super::{End, FAILED, PASSED, Printer, QUIET, STRONG, visible_path};
use crate::check::Note;
use crate::error::Error;

/// A limit that was found is no failure.
const BOUND: Style = AnsiColor::Yellow.on_default().bold();

impl Printer {
    /// That earlier steps count.
    pub(super) fn continuing(&self, steps: usize) -> String {
        let values = [("count", FluentValue::from(steps))];
        self.guidance
            .text_with("terminal-sweep-continuing", &values)
    }

    /// One step, once it has ended or was refused.
    pub(super) fn measured(
        &self,
        axis: &str,
        value: &str,
        step: &SweepStep,
        limit_bytes: Option<u64>,
    ) -> String {
        let style = if step.why.is_none() { PASSED } else { BOUND };
        let mut parts = vec![format!("{style}{}{style:#}", self.step_outcome(step))];
        match (step.peak_bytes, step.predicted_bytes) {
            (Some(peak), _) => parts.push(self.of_limit(peak, limit_bytes)),
            (None, Some(predicted)) => parts.push(self.with(
                "terminal-sweep-would-need",
                &[("size", &self.of_limit(predicted, limit_bytes))],
            )),
            (None, None) => {}
        }
        if let Some(rate) = step.throughput {
            parts.push(self.with("terminal-sweep-rate", &[("rate", &self.rate(rate))]));
        }
        parts.extend(step.wall_ms.map(|ms| self.duration(ms)));
        format!("{STRONG}{axis} = {value}{STRONG:#}: {}", parts.join(" · "))
    }

    /// The sweep for people. `saved` tells where its report was saved, `unsaved` that it could not be.
    pub(crate) fn sweep(
        &self,
        report: &Report,
        sweep: &Sweep,
        notes: &[Note],
        saved: Option<&Path>,
        end: End,
    ) -> Result<(), Error> {
        let mut text = String::new();
        self.head(&mut text, report);
        self.decisions(&mut text, report);
        if let (None, Some(application)) = (sweep.last_good, &report.application) {
            self.application(&mut text, application);
        }
        self.sweep_table(&mut text, sweep);
        if let Some(diagnosis) = &report.diagnosis {
            self.diagnosis(&mut text, diagnosis);
        }
        if !notes.is_empty() {
            text.push('\n');
        }
        for note in notes {
            let _ = writeln!(text, "{QUIET}{}{QUIET:#}", self.note(note));
        }
        if let Some(path) = saved {
            let saved = self.with("terminal-saved", &[("file", &visible_path(path))]);
            let _ = writeln!(text, "{QUIET}{saved}{QUIET:#}");
        }
        let range = self.range(sweep);
        let passed = report.status == Status::Passed;
        let cut_off = end.interrupted.filter(|_| passed);
        let (style, sign) = match (passed && cut_off.is_none(), self.unicode) {
            (true, true) => (PASSED, "✓"),
            (true, false) => (PASSED, "+"),
            (false, true) => (FAILED, "✗"),
            (false, false) => (FAILED, "X"),
        };
        let (word, number) = match cut_off {
            Some(number) => (self.text("terminal-verdict-interrupted"), number),
            None => (report.code.name().to_owned(), report.exit_code),
        };
        text.push('\n');
        if end.unsaved {
            self.paragraph(&mut text, "", &range);
            let _ = writeln!(text, "{}", self.verdict(report, end));
        } else {
            let line = format!("{sign} {word} ({number}): {range}");
            let mut wrapped = String::new();
            self.paragraph(&mut wrapped, "", &line);
            let name = format!("{sign} {word}");
            let _ = write!(
                text,
                "{}",
                wrapped.replacen(&name, &format!("{style}{name}{style:#}"), 1)
            );
        }
        self.out(&text)
    }

    fn sweep_table(&self, text: &mut String, sweep: &Sweep) {
        let mut parts = vec![self.with("terminal-sweep", &[("axis", &visible(&sweep.axis))])];
        if let (Some(bytes), Some(limit)) = (sweep.limit_bytes, sweep.limit) {
            let limit = self.text(match limit {
                MemoryLimit::Device => "terminal-sweep-limit-device",
                MemoryLimit::ControlGroup => "terminal-sweep-limit-control-group",
                MemoryLimit::Machine => "terminal-sweep-limit-machine",
            });
            parts.push(format!("{limit} {}", self.bytes(bytes)));
            parts.push(match sweep.margin {
                Some(margin) => self.with(
                    "terminal-sweep-margin",
                    &[("percent", &self.percent(margin))],
                ),
                None => self.text("terminal-sweep-no-margin"),
            });
        }
        let (title, rest) = (parts.remove(0), parts.join(" · "));
        let _ = write!(text, "\n{STRONG}{title}{STRONG:#}");
        let length = title.chars().count() + rest.chars().count() + 3;
        if rest.is_empty() {
            text.push('\n');
        } else if length <= usize::from(self.width) {
            let _ = writeln!(text, " {QUIET}· {rest}{QUIET:#}");
        } else {
            text.push('\n');
            self.paragraph(text, "  ", &rest);
        }
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.width.saturating_sub(2));
        let mut header = vec![visible(&sweep.axis).into_owned(), String::new()];
        header.extend(
            [
                "peak",
                "share",
                "foretold",
                "throughput",
                "first",
                "following",
            ]
            .map(|column| self.text(&format!("terminal-sweep-column-{column}"))),
        );
        table.add_row(header);
        // Steps were tried in another order where the gap was halved.
        let mut steps: Vec<&SweepStep> = sweep.steps.iter().collect();
        steps.sort_by(|one, other| one.value.total_cmp(&other.value));
        for step in &steps {
            let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
            let ms = |value: Option<f64>| or_dash(value.map(|ms| self.duration(ms)));
            let share =
                |bytes: Option<u64>| or_dash(bytes.and_then(|bytes| self.share(bytes, sweep)));
            // The prediction is told as the share, which the margin is of.
            let foretold = match sweep.limit_bytes {
                Some(_) => share(step.predicted_bytes),
                None => or_dash(step.predicted_bytes.map(|bytes| self.bytes(bytes))),
            };
            let whole = step.throughput_of == Some(ThroughputOf::Command);
            table.add_row([
                self.axis_value(step.value),
                self.step_outcome(step),
                or_dash(step.peak_bytes.map(|bytes| self.bytes(bytes))),
                share(step.peak_bytes),
                foretold,
                or_dash(step.throughput.map(|rate| {
                    let mark = if whole { "*" } else { "" };
                    format!("{}{mark}", self.rate(rate))
                })),
                ms(step.first_pass_ms),
                ms(step.following_pass_ms),
            ]);
        }
        for at in [0, 2, 3, 4, 5, 6, 7] {
            if let Some(column) = table.column_mut(at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.trim_fmt().lines() {
            let _ = writeln!(text, " {}", line.trim_end());
        }
        if steps
            .iter()
            .any(|step| step.throughput_of == Some(ThroughputOf::Command))
        {
            self.paragraph(text, "  ", &self.text("terminal-sweep-whole-command"));
        }
        if !sweep.not_tried.is_empty() {
            let values: Vec<String> = sweep
                .not_tried
                .iter()
                .map(|value| self.axis_value(*value))
                .collect();
            let line = self.with(
                "terminal-sweep-not-tried",
                &[("values", &values.join(", "))],
            );
            self.paragraph(text, "  ", &line);
        }
        if let Some(budget) = sweep.budget_ms {
            let values = [
                ("budget", self.duration(budget)),
                ("spent", self.duration(sweep.spent_ms.unwrap_or(0.0))),
            ];
            let values: Vec<(&str, &str)> = values
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            self.paragraph(text, "  ", &self.with("terminal-sweep-budget", &values));
        }
    }

    /// The operating range in one sentence.
    fn range(&self, sweep: &Sweep) -> String {
        let good = sweep.last_good.map(|value| self.axis_value(value));
        let mut parts = vec![match &good {
            Some(good) => self.with("terminal-sweep-good-to", &[("value", good)]),
            None => self.text("terminal-sweep-none-good"),
        }];
        if let Some(bad) = sweep.first_bad {
            #[allow(clippy::float_cmp, reason = "the same number, written twice")]
            let step = sweep.steps.iter().rev().find(|step| step.value == bad);
            let refused = step.is_some_and(|step| step.outcome == Outcome::NotReached);
            let why = step
                .and_then(|step| step.why.as_deref())
                .unwrap_or_default();
            let percent = self.percent(sweep.margin.unwrap_or(0.0));
            let limit = sweep.limit_bytes.map(|bytes| self.bytes(bytes));
            let value = self.axis_value(bad);
            let values = [
                ("value", value.as_str()),
                ("percent", &percent),
                ("limit", limit.as_deref().unwrap_or("?")),
            ];
            let id = if refused { "refused" } else { why };
            parts.push(self.with(
                &format!("terminal-sweep-from-{}", id.replace('_', "-")),
                &values,
            ));
        }
        let ended = sweep.ended_by.as_deref().unwrap_or_default();
        let is = |end: SweepEnd| ended == end.name();
        if is(SweepEnd::AllGood) {
            parts.push(self.text("terminal-sweep-limit-beyond"));
        } else if is(SweepEnd::Budget) || is(SweepEnd::Attempts) || is(SweepEnd::Interrupted) {
            parts.push(self.text(&format!("terminal-sweep-ended-{ended}")));
        }
        if let Some(value) = sweep.throughput_stops_at {
            let value = self.axis_value(value);
            parts.push(self.with("terminal-sweep-stops-rising", &[("value", &value)]));
        }
        format!("{}: {}", visible(&sweep.axis), parts.join("; "))
    }

    fn step_outcome(&self, step: &SweepStep) -> String {
        let sign = match (step.outcome, self.unicode) {
            (Outcome::Passed | Outcome::PassedCpuOnly, true) => "✓",
            (Outcome::Passed | Outcome::PassedCpuOnly, false) => "+",
            (Outcome::Failed, true) => "✗",
            (Outcome::Failed, false) => "X",
            (Outcome::NotReached | Outcome::NotRequested, _) => "-",
            (Outcome::NotProven, _) => "?",
        };
        let word = match &step.why {
            None => "good".to_owned(),
            Some(_) if step.outcome == Outcome::NotReached => "why-refused".to_owned(),
            Some(why) => format!("why-{}", why.replace('_', "-")),
        };
        format!("{sign} {}", self.text(&format!("terminal-sweep-{word}")))
    }

    fn share(&self, bytes: u64, sweep: &Sweep) -> Option<String> {
        let limit = sweep.limit_bytes.filter(|limit| *limit > 0)?;
        #[allow(clippy::cast_precision_loss, reason = "a share of a memory")]
        let percent = self.percent(bytes as f64 / limit as f64);
        Some(self.with("terminal-sweep-percent", &[("percent", &percent)]))
    }

    fn of_limit(&self, bytes: u64, limit_bytes: Option<u64>) -> String {
        let size = self.bytes(bytes);
        #[allow(clippy::cast_precision_loss, reason = "a share of a memory")]
        match limit_bytes.filter(|limit| *limit > 0) {
            Some(limit) => {
                let percent = self.percent(bytes as f64 / limit as f64);
                self.with(
                    "terminal-sweep-of-limit",
                    &[("size", &size), ("percent", &percent)],
                )
            }
            None => size,
        }
    }

    fn percent(&self, share: f64) -> String {
        format::number(share * 100.0, 0, self.guidance.language())
    }

    fn rate(&self, rate: f64) -> String {
        let decimals = match rate {
            rate if rate >= 100.0 => 0,
            rate if rate >= 1.0 => 1,
            _ => 3,
        };
        format::number(rate, decimals, self.guidance.language())
    }

    fn axis_value(&self, value: f64) -> String {
        format::number(value, 9, self.guidance.language())
    }
}

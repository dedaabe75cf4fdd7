//! Words a run: its output and progress while it lasts, and its dossier afterwards.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use firstfault_schema::report::{
    Application, ApplicationStage, ContractPoint, EndingKind, Scalar, SweepStep,
};
use firstfault_schema::visible::visible;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::{Printer, STRONG, Shown};
use crate::application::contract::{ContractError, ContractProblem};
use crate::application::launch::{Now, Screen};
use crate::application::{Stage4, Turn};
use crate::check::Progress;
use crate::error::Error;
use crate::supervisor::command::Sink;

/// The most stages that are shown; the report has the others.
const MOST_STAGES: usize = 16;

/// What the command prints, and the line that says what it is doing.
struct Window {
    bar: ProgressBar,
    watched: bool,
    /// The command's last line on standard output, and on standard error, is not ended.
    torn: [bool; 2],
}

impl Window {
    /// Prints a piece of the command's output without tearing it by the line of progress.
    fn print(&mut self, bytes: &[u8], to_stdout: bool) {
        self.torn[usize::from(!to_stdout)] = !bytes.ends_with(b"\n");
        let write = || {
            // Whoever closed the pipe does not stop the command.
            let _ = if to_stdout {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            } else {
                io::stderr().lock().write_all(bytes)
            };
        };
        if !self.watched {
            return write();
        }
        self.bar.suspend(write);
        // In the middle of a line there is no place for progress.
        if bytes.ends_with(b"\n") {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        } else {
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}

/// Shows a run.
pub(crate) struct RunShown<'a> {
    printer: &'a Printer,
    shown: Shown<'a>,
    /// Standard output carries the report, so the command's goes to standard error.
    json: bool,
}

impl Printer {
    /// Shows what a run is doing, where somebody is looking.
    pub(crate) fn run_progress(&self, json: bool) -> RunShown<'_> {
        RunShown {
            printer: self,
            shown: self.progress(),
            json,
        }
    }

    /// Shows a run that is made again: as any other where somebody is looking, else nothing, so that a mail holds one line.
    /// What the command prints is kept in its attempt's folder in any case.
    pub(crate) fn recheck_progress(&self) -> Box<dyn Stage4 + '_> {
        if io::stderr().is_terminal() {
            Box::new(self.run_progress(true))
        } else {
            Box::new(Unseen)
        }
    }

    /// The file that `firstfault init` wrote.
    pub(crate) fn contract_written(&self, path: &std::path::Path) -> Result<(), Error> {
        let path = super::visible_path(path);
        self.out(&format!(
            "{}\n",
            self.with("terminal-contract-written", &[("file", &path)])
        ))
    }

    /// What is wrong with a contract, and the key.
    pub(super) fn contract_problem(&self, error: &ContractError) -> String {
        let (number, wanted_word);
        let (id, values): (&str, Vec<(&str, &str)>) = match &error.problem {
            ContractProblem::Syntax { line, message } => {
                number = line.to_string();
                ("syntax", vec![("line", &number), ("message", message)])
            }
            ContractProblem::TooLarge { most } => {
                number = most.to_string();
                ("too-large", vec![("most", &number)])
            }
            ContractProblem::UnknownKey { known } => ("unknown-key", vec![("known", known)]),
            ContractProblem::Missing => ("missing", Vec::new()),
            ContractProblem::WrongType { wanted } => {
                wanted_word = self.text(&format!("terminal-wanted-{wanted}"));
                ("wrong-type", vec![("wanted", &wanted_word)])
            }
            ContractProblem::BadPattern => ("bad-pattern", Vec::new()),
            ContractProblem::NoFormat { known } => ("no-format", vec![("known", known)]),
            ContractProblem::NotOneOf { known } => ("not-one-of", vec![("known", *known)]),
            ContractProblem::OutOfRange => ("out-of-range", Vec::new()),
            ContractProblem::Needs { other } => ("needs", vec![("other", *other)]),
            ContractProblem::DoesNotFit { other } => ("does-not-fit", vec![("other", *other)]),
            ContractProblem::BadName => ("bad-name", Vec::new()),
            ContractProblem::NothingDemanded => ("nothing-demanded", Vec::new()),
        };
        let sentence = self.with(&format!("terminal-contract-{id}"), &values);
        let text = if error.key.is_empty() {
            sentence
        } else {
            format!("{}: {sentence}", error.key)
        };
        visible(&text).into_owned()
    }

    /// The dossier of an application, for people.
    pub(super) fn application(&self, text: &mut String, application: &Application) {
        let command = visible(&application.command.join(" ")).into_owned();
        let mut rows = vec![[
            self.text("terminal-run-command"),
            command,
            application
                .ending
                .as_ref()
                .map(|ending| self.ending(ending))
                .unwrap_or_default(),
        ]];
        rows.extend(self.measures(application));
        let stages = &application.stages;
        // Of repeated stages the first one, and whatever never ended.
        let shown: Vec<&ApplicationStage> = stages
            .iter()
            .filter(|stage| stage.pass == 1 || stage.ended_ms.is_none())
            .take(MOST_STAGES)
            .collect();
        let left_out =
            (stages.len() - shown.len()) as u64 + application.stages_left_out.unwrap_or(0);
        rows.extend(shown.into_iter().map(|stage| self.stage(stage)));
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#}",
            self.text("terminal-run-application")
        );
        self.table(text, rows);
        if left_out > 0 {
            let count = left_out.to_string();
            self.paragraph(
                text,
                "  ",
                &self.with("terminal-run-stages-left-out", &[("count", &count)]),
            );
        }
        if application.outputs.is_empty() {
            return;
        }
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#}",
            self.text("terminal-run-contract")
        );
        self.table(
            text,
            application.outputs.iter().map(|point| self.point(point)),
        );
    }

    pub(super) fn ending(&self, ending: &firstfault_schema::report::CommandEnding) -> String {
        let how = self.text(&format!(
            "terminal-run-{}",
            ending.how.name().replace('_', "-")
        ));
        let detail = match (ending.how, &ending.signal, ending.exit_code) {
            (EndingKind::Exited, _, Some(code)) => format!(" {code}"),
            (_, Some(signal), _) => format!(" {signal}"),
            _ => String::new(),
        };
        format!("{how}{detail} · {}", self.duration(ending.wall_ms))
    }

    fn measures(&self, application: &Application) -> Vec<[String; 3]> {
        let mut rows = Vec::new();
        if let Some(passes) = &application.passes {
            let name = passes.stage.as_deref().map(visible).unwrap_or_default();
            let mut parts = vec![self.with(
                "terminal-first-pass",
                &[("time", &self.duration(passes.first_ms))],
            )];
            if let Some(following) = &passes.following {
                let values = [
                    ("count", following.count.to_string()),
                    ("min", self.duration(following.min)),
                    ("median", self.duration(following.median)),
                    ("p95", self.duration(following.p95)),
                    ("max", self.duration(following.max)),
                ];
                let values: Vec<(&str, &str)> = values
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                parts.push(self.with("terminal-run-following", &values));
            }
            if passes.synchronized == Some(false) {
                parts.push(self.text("terminal-run-unsynchronised"));
            }
            rows.push([
                self.text("terminal-run-passes"),
                name.into_owned(),
                parts.join(" · "),
            ]);
        }
        if let Some(memory) = &application.memory {
            let mut parts = Vec::new();
            if let Some(bytes) = memory.peak.resident_bytes {
                parts.push(self.with("terminal-run-resident", &[("size", &self.bytes(bytes))]));
            }
            if let Some(bytes) = memory.peak.peak_allocated_bytes {
                parts.push(self.with("terminal-run-allocated", &[("size", &self.bytes(bytes))]));
            }
            if let Some(bytes) = memory.growth_per_pass_bytes {
                parts.push(self.with("terminal-run-growth", &[("size", &self.bytes(bytes))]));
            }
            if let Some(kills) = memory.kills.filter(|kills| *kills > 0) {
                parts.push(self.with("terminal-run-kills", &[("count", &kills.to_string())]));
            }
            let phase = memory
                .phase
                .as_deref()
                .map(|phase| self.text(&format!("terminal-run-phase-{}", phase.replace('_', "-"))))
                .unwrap_or_default();
            rows.push([self.text("terminal-run-memory"), phase, parts.join(" · ")]);
        }
        rows
    }

    fn stage(&self, stage: &ApplicationStage) -> [String; 3] {
        let name = if stage.pass > 1 {
            format!("{} #{}", visible(&stage.name), stage.pass)
        } else {
            visible(&stage.name).into_owned()
        };
        let time = stage.ended_ms.map_or_else(
            || self.text("terminal-run-unfinished"),
            |ended| self.duration(ended - stage.began_ms),
        );
        let memory = stage.memory_after.as_ref().or(stage.memory_before.as_ref());
        let memory = memory
            .and_then(|memory| memory.allocated_bytes.or(memory.resident_bytes))
            .map(|bytes| self.bytes(bytes))
            .unwrap_or_default();
        [name, time, memory]
    }

    fn point(&self, point: &ContractPoint) -> [String; 3] {
        let name = self
            .guidance()
            .contract_point(&point.point)
            .unwrap_or_else(|| point.point.clone());
        let value = |value: &Scalar| match value {
            Scalar::Text(text) => self.guidance().contract_value(text),
            other => other.to_string(),
        };
        let mut parts = Vec::new();
        if let Some(expected) = &point.expected {
            parts.push(self.with("terminal-run-demanded", &[("value", &value(expected))]));
        }
        if let Some(found) = &point.found {
            parts.push(self.with("terminal-run-found", &[("value", &value(found))]));
        }
        if let Some(broken) = point.broken.filter(|broken| *broken > 0) {
            parts.push(self.with("terminal-run-broken", &[("count", &broken.to_string())]));
        }
        if !point.examples.is_empty() {
            parts.push(point.examples.join(", "));
        }
        [
            visible(&name).into_owned(),
            self.outcome(point.outcome),
            visible(&parts.join(" · ")).into_owned(),
        ]
    }
}

impl Stage4 for RunShown<'_> {
    fn turn(&mut self, turn: Turn<'_>) {
        let printer = self.printer;
        let line = match turn {
            Turn::Repeat { number, of } => printer.with(
                "terminal-turn-repeat",
                &[("number", &number.to_string()), ("of", &of.to_string())],
            ),
            Turn::Step { axis, value } => {
                printer.with("terminal-turn-step", &[("axis", axis), ("value", value)])
            }
            Turn::Reference => printer.text("terminal-turn-reference"),
            Turn::Kept => printer.text("terminal-turn-kept"),
            Turn::Stopped => printer.text("terminal-turn-stopped"),
            Turn::Continued => printer.text("terminal-turn-continued"),
        };
        self.line(&format!("{STRONG}{line}{STRONG:#}"));
    }

    fn check(&mut self, step: Progress) {
        self.shown.show(step);
    }

    fn screen(&mut self) -> Box<dyn Screen + '_> {
        let window = Window {
            bar: self.shown.bar.clone(),
            watched: io::stderr().is_terminal(),
            torn: [false; 2],
        };
        self.shown.bar.set_message(String::new());
        self.shown.bar.reset_elapsed();
        Box::new(LiveScreen {
            printer: self.printer,
            window: Arc::new(Mutex::new(window)),
            json: self.json,
            last: None,
        })
    }

    fn contract(&mut self) {
        let text = self.printer.text("terminal-run-checking-outputs");
        self.shown.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.shown.bar.set_message(self.printer.shown(&text));
    }

    fn continuing(&mut self, steps: usize) {
        self.line(&self.printer.continuing(steps));
    }

    fn measured(&mut self, axis: &str, value: &str, step: &SweepStep, limit_bytes: Option<u64>) {
        self.shown.bar.set_message(String::new());
        self.line(&self.printer.measured(axis, value, step, limit_bytes));
    }
}

impl RunShown<'_> {
    /// A line that stays.
    fn line(&self, line: &str) {
        self.shown
            .bar
            .suspend(|| self.printer.err(&format!("{line}\n")));
    }
}

/// Nobody is looking.
struct Unseen;

impl Stage4 for Unseen {
    fn turn(&mut self, _: Turn<'_>) {}

    fn check(&mut self, _: Progress) {}

    fn screen(&mut self) -> Box<dyn Screen + '_> {
        Box::new(Self)
    }

    fn contract(&mut self) {}

    fn continuing(&mut self, _: usize) {}

    fn measured(&mut self, _: &str, _: &str, _: &SweepStep, _: Option<u64>) {}
}

impl Screen for Unseen {
    fn stdout(&self) -> Sink {
        Box::new(|_| {})
    }

    fn stderr(&self) -> Sink {
        Box::new(|_| {})
    }

    fn show(&mut self, _: &Now) {}
}

struct LiveScreen<'a> {
    printer: &'a Printer,
    window: Arc<Mutex<Window>>,
    json: bool,
    last: Option<Now>,
}

impl LiveScreen<'_> {
    fn sink(&self, to_stdout: bool) -> Sink {
        let window = Arc::clone(&self.window);
        Box::new(move |bytes| {
            window
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .print(bytes, to_stdout);
        })
    }
}

impl Drop for LiveScreen<'_> {
    /// What comes next begins a line of its own.
    fn drop(&mut self) {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        for to_stdout in [true, false] {
            if window.torn[usize::from(!to_stdout)] {
                window.print(b"\n", to_stdout);
            }
        }
    }
}

impl Screen for LiveScreen<'_> {
    fn stdout(&self) -> Sink {
        self.sink(!self.json)
    }

    fn stderr(&self) -> Sink {
        self.sink(false)
    }

    fn show(&mut self, now: &Now) {
        let window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if !window.watched || self.last.as_ref() == Some(now) {
            return;
        }
        let mut parts = Vec::new();
        if let Some(stage) = &now.stage {
            parts.push(visible(stage).into_owned());
            if now.pass > 1 {
                let pass = now.pass.to_string();
                parts.push(self.printer.with("terminal-run-pass", &[("number", &pass)]));
            }
        }
        if let Some(bytes) = now.resident_bytes {
            parts.push(self.printer.bytes(bytes));
        }
        window
            .bar
            .set_message(self.printer.shown(&parts.join(" · ")));
        self.last = Some(now.clone());
    }
}

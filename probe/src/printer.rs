//! The only one that prints. Standard output is data, standard error is progress and errors; text for people comes
//! from the Fluent files, and everything that comes from elsewhere is shown with its hidden characters made visible.
#![allow(clippy::print_stderr, reason = "this is the one file that prints")]

mod check;
mod compare;
mod explain;
mod interpreters;
mod noise;
mod recheck;
mod resume;
mod run;
mod sweep;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::visible::visible;
use firstfault_schema::{Report, ReportError, ticket};
use fluent_bundle::FluentValue;
use indicatif::{ProgressBar, ProgressStyle};

use crate::check::{Note, Progress};
use crate::error::{Error, RecheckProblem, UsageProblem};
use crate::interpreter::SettleError;

const PASSED: Style = AnsiColor::Green.on_default().bold();
const FAILED: Style = AnsiColor::Red.on_default().bold();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// How a command of `firstfault` ends, beside what its report says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    /// The report could not be saved.
    pub(crate) unsaved: bool,
    /// The exit code where a signal cut the work off.
    pub(crate) interrupted: Option<u8>,
}

/// Words what happens, for one language and one kind of terminal.
pub(crate) struct Printer {
    guidance: Guidance,
    unicode: bool,
    width: u16,
}

impl Printer {
    /// A printer in the language that was typed, else in the locale's.
    pub(crate) fn new(typed: Option<Language>) -> Self {
        let of_locale = || {
            sys_locale::get_locale()
                .as_deref()
                .and_then(Language::from_locale)
        };
        let width =
            terminal_size::terminal_size().map_or(80, |(terminal_size::Width(width), _)| width);
        Self {
            guidance: Guidance::new(typed.or_else(of_locale).unwrap_or_default()),
            unicode: locale_is_unicode(),
            width: width.clamp(40, 110),
        }
    }

    const fn guidance(&self) -> &Guidance {
        &self.guidance
    }

    fn text(&self, id: &str) -> String {
        self.guidance.text(id)
    }

    fn with(&self, id: &str, values: &[(&str, &str)]) -> String {
        let values: Vec<(&str, FluentValue<'_>)> = values
            .iter()
            .map(|(name, value)| (*name, FluentValue::from(*value)))
            .collect();
        self.guidance.text_with(id, &values)
    }

    /// Text for this terminal: plain ASCII where it can show nothing else.
    fn shown(&self, text: &str) -> String {
        if self.unicode || text.is_ascii() {
            return text.to_owned();
        }
        let mut plain = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                ascii if ascii.is_ascii() => plain.push(ascii),
                '·' => plain.push('-'),
                other => plain.push_str(deunicode::deunicode_char(other).unwrap_or("?")),
            }
        }
        plain
    }

    fn out(&self, text: &str) -> Result<(), Error> {
        printed(anstream::stdout().write_all(self.shown(text).as_bytes()))
    }

    fn err(&self, text: &str) {
        // With standard error gone there is nobody left to tell.
        let _ = anstream::stderr().write_all(self.shown(text).as_bytes());
    }

    /// Data, as it is.
    pub(crate) fn data(&self, text: &str) -> Result<(), Error> {
        let mut stdout = io::stdout().lock();
        printed(
            stdout
                .write_all(text.as_bytes())
                .and_then(|()| stdout.flush()),
        )
    }

    /// A ticket for whoever runs the host.
    pub(crate) fn ticket(&self, report: &Report) -> Result<(), Error> {
        self.data(&ticket::host_ticket(report, &self.guidance))
    }

    /// A file that is a report.
    pub(crate) fn valid(&self, path: &Path, report: &Report) -> Result<(), Error> {
        let path = visible_path(path);
        self.out(&format!(
            "{}\n",
            self.with(
                "terminal-valid",
                &[("file", &path), ("code", report.code.name())]
            )
        ))
    }

    /// A file that is none.
    pub(crate) fn invalid(&self, path: &Path, problem: &ReportError) -> Result<(), Error> {
        let path = visible_path(path);
        self.out(&format!(
            "{}\n",
            self.with(
                "terminal-invalid",
                &[("file", &path), ("problem", &self.report_problem(problem))]
            )
        ))
    }

    /// A page that was written.
    pub(crate) fn page_written(&self, path: &Path, reports: usize) -> Result<(), Error> {
        let path = visible_path(path);
        let values = [
            ("file", FluentValue::from(path)),
            ("count", FluentValue::from(reports)),
        ];
        self.out(&format!(
            "{}\n",
            self.guidance.text_with("terminal-page-written", &values)
        ))
    }

    /// Says beforehand that a file will not be overwritten.
    pub(crate) fn warn_existing(&self, path: &Path) {
        self.err(&format!(
            "{}\n",
            self.with(
                "terminal-will-not-overwrite",
                &[("file", &visible_path(path))]
            )
        ));
    }

    /// What a check has to say beside its report.
    pub(crate) fn notes(&self, notes: &[Note]) {
        for note in notes {
            self.err(&format!("{}\n", self.note(note)));
        }
    }

    fn note(&self, note: &Note) -> String {
        match note {
            Note::Interpreter(path) => self.with(
                "terminal-note-interpreter",
                &[("path", &visible_path(path))],
            ),
            Note::PassedOver { variable, reason } => {
                let reason = self.text(&format!("interpreter-{reason}"));
                self.with(
                    "terminal-note-passed-over",
                    &[("variable", variable), ("reason", &reason)],
                )
            }
            Note::Unsettled(problem) => self.settle_problem(problem),
            Note::Evidence(path) => {
                self.with("terminal-note-evidence", &[("path", &visible_path(path))])
            }
            Note::NoEvidence(problem) => {
                let problem = visible(&problem.to_string()).into_owned();
                self.with("terminal-note-no-evidence", &[("problem", &problem)])
            }
            Note::Unfinished(unfinished) => match unfinished.stage {
                Some(stage) => self.with(
                    "terminal-note-unfinished",
                    &[("stage", &self.text(&format!("stage-{}", stage.name())))],
                ),
                None => self.text("terminal-note-unfinished-unknown"),
            },
            Note::NotStarted(program, why) => {
                let why = self.text(&format!("terminal-start-{}", why.replace('_', "-")));
                let program = format!("\"{}\"", visible_path(std::path::Path::new(program)));
                self.with(
                    "terminal-note-not-started",
                    &[("command", &program), ("why", &why)],
                )
            }
            Note::LeftRunning(count) => self.guidance.text_with(
                "terminal-note-left-running",
                &[("count", FluentValue::from(*count))],
            ),
            Note::PutBack(count) => self.guidance.text_with(
                "terminal-note-put-back",
                &[("count", FluentValue::from(*count as u64))],
            ),
            Note::LeftOver(path) => {
                self.with("terminal-note-left-over", &[("path", &visible_path(path))])
            }
            Note::OwnOutputs(path) => self.with(
                "terminal-note-own-outputs",
                &[("path", &visible_path(path))],
            ),
            Note::ReferenceKept => self.text("terminal-note-reference-kept"),
            Note::ProofContinues => self.text("terminal-note-proof-continues"),
            Note::KeptAside(path) => {
                self.with("terminal-note-kept-aside", &[("path", &visible_path(path))])
            }
        }
    }

    /// An error, and the remedy.
    pub(crate) fn error(&self, error: &Error) {
        let (message, hint) = self.error_text(error);
        let label = self.text("terminal-error");
        self.err(&format!("{FAILED}{label}{FAILED:#} {message}\n"));
        if let Some(hint) = hint {
            let label = self.text("terminal-hint");
            self.err(&format!("{STRONG}{label}{STRONG:#} {hint}\n"));
        }
    }

    fn error_text(&self, error: &Error) -> (String, Option<String>) {
        match error {
            Error::Usage(problem) => {
                let id = match problem {
                    UsageProblem::Parameter => "parameter",
                    UsageProblem::Parameters => "parameters",
                    UsageProblem::TooLong => "too-long",
                    UsageProblem::NotPlain => "not-plain",
                    UsageProblem::LooksLikePath => "looks-like-path",
                    UsageProblem::LooksSecret => "looks-secret",
                    UsageProblem::IndexWithoutGpu => "index-without-gpu",
                    UsageProblem::Axis => "axis",
                    UsageProblem::AxisOrder => "axis-order",
                    UsageProblem::AxisNotInCommand => "axis-not-in-command",
                };
                (
                    self.text(&format!("terminal-usage-{id}")),
                    Some(self.text(&format!("terminal-usage-{id}-hint"))),
                )
            }
            Error::ReadInput { path, source } => (
                self.with(
                    "terminal-read-failed",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.io_problem(source)),
                    ],
                ),
                None,
            ),
            Error::NoReport { path, source } => (
                self.with(
                    "terminal-invalid",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.report_problem(source)),
                    ],
                ),
                None,
            ),
            Error::Save { path, source } => (
                self.with(
                    "terminal-save-failed",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.io_problem(source)),
                    ],
                ),
                Some(self.text("terminal-save-failed-hint")),
            ),
            Error::LogTooLarge { path, limit } => {
                let limit = (limit / (1024 * 1024 * 1024)).to_string();
                let values = [("file", visible_path(path)), ("limit", limit)];
                let values: Vec<(&str, &str)> = values
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                (
                    self.with("terminal-log-too-large", &values),
                    Some(self.text("terminal-log-too-large-hint")),
                )
            }
            Error::PageNotBuilt => (
                self.text("terminal-page-not-built"),
                Some(self.text("terminal-page-not-built-hint")),
            ),
            Error::PageFailed { problem } => (
                self.with("terminal-page-failed", &[("problem", problem)]),
                None,
            ),
            Error::Interpreter { problem } => (self.settle_problem(problem), None),
            Error::Contract { path, problem } => (
                self.with(
                    "terminal-contract-unusable",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.contract_problem(problem)),
                    ],
                ),
                Some(self.text("terminal-contract-hint")),
            ),
            Error::ProjectUnwritable { path, source } => (
                self.with(
                    "terminal-project-unwritable",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.io_problem(source)),
                    ],
                ),
                Some(self.text("terminal-project-unwritable-hint")),
            ),
            Error::ProjectBusy => (
                self.text("terminal-project-busy"),
                Some(self.text("terminal-project-busy-hint")),
            ),
            Error::SetAside { path, source } => (
                self.with(
                    "terminal-set-aside-failed",
                    &[
                        ("file", &visible_path(path)),
                        ("problem", &self.io_problem(source)),
                    ],
                ),
                Some(self.text("terminal-set-aside-hint")),
            ),
            Error::OwnFolder { path } => (
                self.with("terminal-own-folder", &[("file", &visible_path(path))]),
                Some(self.text("terminal-own-folder-hint")),
            ),
            Error::NothingToCompare => (
                self.text("terminal-nothing-to-compare"),
                Some(self.text("terminal-nothing-to-compare-hint")),
            ),
            Error::LinkedOutput { path } => (
                self.with("terminal-linked-output", &[("file", &visible_path(path))]),
                Some(self.text("terminal-linked-output-hint")),
            ),
            Error::Recheck(problem) => {
                let id = match problem {
                    RecheckProblem::BadIdentifier => "bad-identifier",
                    RecheckProblem::OtherKind => "other-kind",
                    RecheckProblem::NoCommand => "no-command",
                    RecheckProblem::CommandForCheck => "command-for-check",
                    RecheckProblem::ContractForCheck => "contract-for-check",
                };
                (
                    self.text(&format!("terminal-recheck-{id}")),
                    Some(self.text(&format!("terminal-recheck-{id}-hint"))),
                )
            }
            Error::NoContract => (
                self.text("terminal-no-contract"),
                Some(self.text("terminal-no-contract-hint")),
            ),
            Error::BudgetTooShort => (
                self.text("terminal-budget-too-short"),
                Some(self.text("terminal-budget-too-short-hint")),
            ),
            Error::NoLibtorch { built: false } => (
                self.text("terminal-libtorch-not-built"),
                Some(self.text("terminal-libtorch-not-built-hint")),
            ),
            Error::NoLibtorch { built: true } => (
                self.text("terminal-no-libtorch"),
                Some(self.text("terminal-no-libtorch-hint")),
            ),
            Error::Print { source } => (
                self.with(
                    "terminal-print-failed",
                    &[("problem", &self.io_problem(source))],
                ),
                None,
            ),
            Error::Interrupted => (self.text("terminal-interrupted"), None),
        }
    }

    fn settle_problem(&self, problem: &SettleError) -> String {
        let text = self.text(&format!("interpreter-{}", problem.id()));
        match subject(problem) {
            Some(subject) => format!("{text} ({})", visible(&subject)),
            None => text,
        }
    }

    fn report_problem(&self, problem: &ReportError) -> String {
        let (id, values) = problem.message();
        let values: Vec<(&str, &str)> = values
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        visible(&self.with(id, &values)).into_owned()
    }

    fn io_problem(&self, problem: &io::Error) -> String {
        let id = match problem.kind() {
            io::ErrorKind::NotFound => "not-found",
            io::ErrorKind::PermissionDenied => "permission-denied",
            io::ErrorKind::AlreadyExists => "already-exists",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "storage-full",
            io::ErrorKind::FileTooLarge => "file-too-large",
            io::ErrorKind::ReadOnlyFilesystem => "read-only",
            io::ErrorKind::IsADirectory => "is-a-directory",
            io::ErrorKind::NotADirectory => "not-a-directory",
            // What reading a text says where its bytes are none.
            io::ErrorKind::InvalidData => "invalid-data",
            _ => return visible(&problem.to_string()).into_owned(),
        };
        self.text(&format!("io-{id}"))
    }

    /// Shows what a check is doing, where somebody is looking.
    pub(crate) fn progress(&self) -> Shown<'_> {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let template = if self.unicode {
            "{spinner} {msg} {elapsed}"
        } else {
            "{msg} {elapsed}"
        };
        bar.set_style(
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Shown {
            bar,
            printer: self,
            turn: String::new(),
        }
    }
}

/// Progress on the terminal, gone when dropped.
pub(crate) struct Shown<'a> {
    bar: ProgressBar,
    printer: &'a Printer,
    /// Which of several attempts it is; empty for the only one.
    turn: String,
}

impl crate::repeat::Shows for Shown<'_> {
    fn run(&mut self, number: u32, of: u32) {
        let values = [("number", number.to_string()), ("of", of.to_string())];
        let values = values
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        self.turn = format!("{} · ", self.printer.with("terminal-turn-repeat", &values));
    }

    fn step(&mut self, step: Progress) {
        self.show(step);
    }
}

impl Shown<'_> {
    /// Shows a step.
    pub(crate) fn show(&mut self, step: Progress) {
        let printer = self.printer;
        let message = match step {
            Progress::Stage(engine, stage) => {
                let engine = match engine {
                    firstfault_schema::report::Engine::Python => "python",
                    firstfault_schema::report::Engine::Libtorch => "libtorch",
                };
                format!(
                    "{engine}: {}",
                    printer.text(&format!("stage-{}", stage.name()))
                )
            }
            Progress::Evidence => printer.text("terminal-collecting"),
            Progress::HostCheck => printer.text("terminal-asking-host"),
        };
        let message = format!("{}{message}", self.turn);
        self.bar.set_message(printer.shown(&message));
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Says of a panic that it is a bug, and what to report.
pub(crate) fn announce_bugs() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        eprintln!(
            "error: this is a bug in FirstFault {}, not in your program ({place})",
            env!("CARGO_PKG_VERSION")
        );
        eprintln!("hint: please report this line and the command that you typed");
    }));
}

/// What clap has to say: help and versions are no errors.
pub(crate) fn usage(problem: &clap::Error) -> ExitCode {
    let _ = problem.print();
    if is_command_without_hyphens(problem) {
        let printer = Printer::new(None);
        let hint = printer.text("terminal-usage-command-hint");
        let label = printer.text("terminal-hint");
        printer.err(&format!("{STRONG}{label}{STRONG:#} {hint}\n"));
    }
    ExitCode::from(if problem.use_stderr() { 2 } else { 0 })
}

/// Whether the user's own command stands there without the two hyphens before it.
fn is_command_without_hyphens(problem: &clap::Error) -> bool {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let takes_command = || {
        let usage = problem.get(ContextKind::Usage).map(ToString::to_string);
        usage.is_some_and(|usage| usage.contains("-- <COMMAND>"))
    };
    problem.kind() == ErrorKind::UnknownArgument
        && matches!(
            problem.get(ContextKind::InvalidArg),
            Some(ContextValue::String(word)) if !word.starts_with('-')
        )
        && takes_command()
}

fn printed(result: io::Result<()>) -> Result<(), Error> {
    match result {
        // Whoever closed the pipe has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Print { source }),
        Ok(()) => Ok(()),
    }
}

/// What a settling error is about: a path, a name or a number.
fn subject(problem: &SettleError) -> Option<String> {
    match problem {
        SettleError::NotFound { path }
        | SettleError::BrokenLink { path, .. }
        | SettleError::IsFolder { path, .. }
        | SettleError::NotExecutable { path }
        | SettleError::Unreadable { path, .. }
        | SettleError::ShimWithoutVersion { path, .. }
        | SettleError::BadKernel { path, .. } => Some(path.to_string_lossy().into_owned()),
        SettleError::NotOnSearchPath { name } => Some(name.clone()),
        SettleError::NoKernel { name, known } => Some(format!("{name}; {}", known.join(", "))),
        SettleError::Process { pid, .. } => Some(pid.to_string()),
        SettleError::NoneFound => None,
    }
}

fn visible_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

fn locale_is_unicode() -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        locale
            .to_ascii_lowercase()
            .replace('-', "")
            .contains("utf8")
    })
}

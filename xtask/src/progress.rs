//! The only module that prints and the one that runs long steps: what runs, for how long, and how it ended.
//!
//! Progress goes to standard error: a spinner on a terminal, elsewhere a line at begin and end. Results and the
//! output of test runners go to standard output.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Error;
use crate::project::Project;

/// How many lines of a failed step are shown.
const TAIL_LINES: usize = 25;
/// How long output is still awaited after a step's own process has ended; a process that it left behind may keep
/// the pipe open for ever.
const DRAIN: Duration = Duration::from_secs(1);

/// Says what happens.
pub(crate) struct Progress {
    terminal: bool,
}

/// A long step: a command, and what to call it.
pub(crate) struct Step {
    title: String,
    command: Command,
    shown: bool,
    limit: Option<Duration>,
    remedy: Option<String>,
}

impl Step {
    /// A step whose output is kept in a log and shown only if it fails.
    pub(crate) fn new(title: impl Into<String>, command: Command) -> Self {
        Self {
            title: title.into(),
            command,
            shown: false,
            limit: None,
            remedy: None,
        }
    }

    /// Passes the step's output on to standard output as it comes.
    pub(crate) fn shown(mut self) -> Self {
        self.shown = true;
        self
    }

    /// Ends the step after this time.
    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// What to do if the step fails.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// A step that has ended, well or not.
pub(crate) struct Ended {
    /// Whether it ended well.
    pub(crate) success: bool,
    /// Everything that it printed, both streams together.
    pub(crate) lines: Vec<String>,
    /// How it ended, in words.
    status: String,
}

impl Progress {
    /// Looks whether somebody is watching.
    pub(crate) fn new() -> Self {
        Self {
            terminal: io::stderr().is_terminal(),
        }
    }

    /// Something worth knowing, apart from the steps.
    pub(crate) fn note(&self, text: &str) {
        err(&format!("   {text}"));
    }

    /// The beginning of something that has an output of its own.
    pub(crate) fn heading(&self, text: &str) {
        err(&format!("-> {text}"));
    }

    /// The result of a task, for standard output.
    pub(crate) fn result(&self, text: &str) {
        // A closed pipe means that nobody reads any more: nothing is left to be said.
        let _ = writeln!(io::stdout(), "{text}");
    }

    /// Why a task failed, and what to do.
    pub(crate) fn failure(&self, error: &Error) {
        if let Error::Step { tail, log, .. } = error {
            for line in tail {
                err(&format!("   | {line}"));
            }
            err(&format!("   all of its output: {}", log.display()));
        }
        err(&format!("error: {error}"));
        if let Some(hint) = error.hint() {
            err(&format!("hint: {hint}"));
        }
    }

    /// Runs a step that must end well.
    pub(crate) fn run(&self, project: &Project, step: Step) -> Result<Vec<String>, Error> {
        let (title, remedy) = (step.title.clone(), step.remedy.clone());
        let ended = self.watch(project, step)?;
        if ended.success {
            return Ok(ended.lines);
        }
        let tail = ended.lines.len().saturating_sub(TAIL_LINES);
        Err(Error::Step {
            log: log_path(project, &title),
            title,
            status: ended.status,
            tail: ended.lines[tail..].to_vec(),
            remedy,
        })
    }

    /// Runs a step, however it ends.
    pub(crate) fn watch(&self, project: &Project, mut step: Step) -> Result<Ended, Error> {
        let program = step.command.get_program().to_string_lossy().into_owned();
        let start = |source| Error::Start {
            program: program.clone(),
            source,
        };
        let log = log_path(project, &step.title);
        let mut log_file = create(&log)?;
        let (reader, writer) = io::pipe().map_err(start)?;
        let bar = self.begin(&step.title, step.shown);
        let began = Instant::now();
        let mut child = {
            let mut command = step.command;
            command.stdin(Stdio::null());
            command
                .stdout(writer.try_clone().map_err(start)?)
                .stderr(writer);
            command.spawn().map_err(start)?
            // The command holds our ends of the pipe; they close here, so that the reader can see its end.
        };
        let received = read_lines(reader);
        let mut lines = Vec::new();
        let mut ended = None;
        let mut stopped = false;
        loop {
            match received.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => {
                    // The log is a convenience: a full disk shows in the step itself.
                    let _ = writeln!(log_file, "{line}");
                    if step.shown {
                        self.result(&line);
                    } else if let Some(bar) = &bar
                        && !line.trim().is_empty()
                    {
                        bar.set_message(line.trim().to_owned());
                    }
                    lines.push(line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if ended.is_none() && child.try_wait().map_err(start)?.is_some() {
                ended = Some(Instant::now());
            }
            if ended.is_some_and(|at| at.elapsed() > DRAIN) {
                break;
            }
            if ended.is_none()
                && step.limit.is_some_and(|limit| began.elapsed() > limit)
                && !stopped
            {
                stopped = true;
                child.kill().map_err(start)?;
            }
        }
        let status = child.wait().map_err(start)?;
        let success = status.success() && !stopped;
        let status = if stopped {
            format!(
                "ended at its limit of {} s",
                step.limit.take().unwrap_or_default().as_secs()
            )
        } else {
            status.to_string()
        };
        self.end(bar.as_ref(), &step.title, success, began.elapsed());
        Ok(Ended {
            success,
            lines,
            status,
        })
    }

    fn begin(&self, title: &str, shown: bool) -> Option<ProgressBar> {
        if !self.terminal || shown {
            err(&format!("-> {title}"));
            return None;
        }
        let bar = ProgressBar::new_spinner().with_prefix(title.to_owned());
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {prefix} [{elapsed}] {wide_msg:.dim}")
        {
            bar.set_style(style.tick_chars("|/-\\ "));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Some(bar)
    }

    fn end(&self, bar: Option<&ProgressBar>, title: &str, success: bool, elapsed: Duration) {
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let word = if success { "ok" } else { "failed" };
        err(&format!(
            "   {word}: {title} ({:.1} s)",
            elapsed.as_secs_f64()
        ));
    }
}

fn err(text: &str) {
    // Progress that can't be shown must not stop the work.
    let _ = writeln!(io::stderr(), "{text}");
}

fn log_path(project: &Project, title: &str) -> std::path::PathBuf {
    let name: String = title
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    project
        .target()
        .join("xtask/logs")
        .join(format!("{name}.log"))
}

fn create(path: &Path) -> Result<File, Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    File::create(path).map_err(Error::file("write", path))
}

/// Reads lines in a thread of its own, since a read can't be given a time limit.
fn read_lines(reader: io::PipeReader) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|bytes| bytes > 0)
        {
            let text = String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

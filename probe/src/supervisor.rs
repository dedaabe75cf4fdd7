//! Parent side of a worker: starts it, holds it to its deadline, ends its whole tree, and turns its end into an
//! [`Outcome`]. Knows nothing of what is measured, so one bad engine can't harm another.

pub(crate) mod capture;
pub(crate) mod command;
#[cfg_attr(unix, path = "supervisor/unix.rs")]
#[cfg_attr(windows, path = "supervisor/windows.rs")]
mod tree;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ChildStdin;
use std::sync::PoisonError;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use self::capture::{capture, read_lines};
use self::tree::Tree;
use crate::interpreter::Variables;

/// What is kept of standard output where it is wanted as text.
const KEPT_OUTPUT_BYTES: usize = 64 * 1024;
/// How long a worker may take to leave after its last event.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);
/// How long after a deadline lines are still taken that had been written before it.
const LATE_LIMIT: Duration = Duration::from_millis(500);
/// How often an interruption is looked for, and on Windows the worker's end.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A worker to run.
#[derive(Debug)]
pub(crate) struct Job {
    /// What to execute.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// Its variables.
    pub(crate) variables: Variables,
    /// Further ones, set on top.
    pub(crate) added: Vec<(OsString, OsString)>,
    /// Its working folder; none: the one of `firstfault`.
    pub(crate) folder: Option<PathBuf>,
    /// What it is sent on standard input, which then stays open.
    pub(crate) input: Vec<u8>,
    /// Only lines that begin with this reach the caller: a flood of noise costs nothing. Empty: every line.
    pub(crate) line_prefix: Vec<u8>,
    /// From the start to the deadline.
    pub(crate) limit: Duration,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It exited with this number.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// It was stopped at its deadline.
    TimedOut,
    /// It could not be started; the operating system's error number.
    NotStarted(i32),
    /// Ctrl-C ended it.
    Interrupted,
    /// Nobody knows: whoever kept it is gone.
    Lost,
}

/// A worker's end, and what it left.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    /// Beginning and end of its standard error.
    pub(crate) stderr: String,
    /// Processes that would not die and were left.
    pub(crate) left_running: u32,
}

/// What the caller wants after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Go on.
    Continue,
    /// Write the line `go` to the worker, which waits for it.
    Answer,
    /// That was the last event: the worker has a moment to leave.
    Finished,
}

/// Runs a worker to its end. `on_line` is given each of its lines without the line break.
pub(crate) fn supervise(job: &Job, mut on_line: impl FnMut(&[u8]) -> Next) -> Ending {
    let mut deadline = Instant::now() + job.limit;
    let mut tree = match Tree::start(job) {
        Ok(tree) => tree,
        // Not even a keeper could be made.
        Err(error) => return lost(&error, 0),
    };
    let mut stdin = tree.stdin();
    feed(&mut stdin, &job.input);
    let (sender, lines) = mpsc::sync_channel(256);
    let prefixes = [job.line_prefix.clone(), tree.last_line_prefix()];
    let stdout = tree.stdout();
    let readers = thread::Builder::new()
        .spawn(move || {
            if let Some(stdout) = stdout {
                read_lines(stdout, &prefixes, &sender);
            }
        })
        .and_then(|_| capture(tree.stderr()));
    let (stderr, stderr_reader) = match readers {
        Ok(captured) => captured,
        Err(error) => {
            drop(stdin);
            return lost(&error, tree.abandon().1);
        }
    };

    let mut verdict = None;
    let outcome = loop {
        match next(&lines, deadline, verdict.is_some()) {
            Got::Line(line) => {
                if let Some(last) = tree.last_line(&line) {
                    break last;
                }
                match on_line(&line) {
                    Next::Continue => {}
                    Next::Answer => feed(&mut stdin, b"go\n"),
                    Next::Finished => deadline = deadline.min(Instant::now() + LEAVE_LIMIT),
                }
            }
            Got::Nothing => {
                if let Some(last) = tree.ended() {
                    break last;
                }
            }
            Got::Closed => break tree.closed(),
            Got::Deadline | Got::Interrupt if verdict.is_some() => break tree.abandon(),
            Got::Deadline => {
                verdict = Some(Outcome::TimedOut);
                deadline = tree.end(&mut stdin);
            }
            Got::Interrupt => {
                verdict = Some(Outcome::Interrupted);
                deadline = tree.end(&mut stdin);
            }
        }
    };
    drop(stdin);
    tree.leave();
    let until = Instant::now() + Duration::from_millis(200);
    while !stderr_reader.is_finished() && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
    let stderr = stderr.lock().unwrap_or_else(PoisonError::into_inner).text();
    Ending {
        outcome: verdict.unwrap_or(outcome.0),
        stderr,
        left_running: outcome.1,
    }
}

/// The end of a worker that could not be kept.
fn lost(error: &io::Error, left_running: u32) -> Ending {
    Ending {
        outcome: Outcome::Lost,
        stderr: if is_exhaustion(error) {
            no_more(error)
        } else {
            error.to_string()
        },
        left_running,
    }
}

/// Whether the system has no processes, threads, open files or memory to give.
pub(crate) fn is_exhaustion(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let number = error.raw_os_error();
        [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM]
            .iter()
            .any(|errno| number == Some(errno.raw_os_error()))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

/// What is said of it; the catalogue knows these words.
pub(crate) fn no_more(error: &io::Error) -> String {
    format!("no further process can be started: {error}")
}

/// Runs a short command and keeps its standard output, at most 64 KiB.
pub(crate) fn output_of(job: &Job) -> (Ending, String) {
    let mut text = Vec::new();
    let ending = supervise(job, |line| {
        if text.len() + line.len() < KEPT_OUTPUT_BYTES {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        Next::Continue
    });
    (ending, String::from_utf8_lossy(&text).into_owned())
}

enum Got {
    Line(Vec<u8>),
    Nothing,
    Closed,
    Deadline,
    Interrupt,
}

fn next(lines: &Receiver<Vec<u8>>, deadline: Instant, is_ending: bool) -> Got {
    // Before the lines: a worker that never stops talking can be interrupted, and is held to its time.
    if !is_ending && crate::interrupt::happened() {
        return Got::Interrupt;
    }
    let now = Instant::now();
    if now >= deadline + LATE_LIMIT {
        return Got::Deadline;
    }
    let left = deadline.saturating_duration_since(now);
    match lines.recv_timeout(left.min(LOOK_INTERVAL)) {
        Ok(line) => Got::Line(line),
        Err(RecvTimeoutError::Disconnected) => Got::Closed,
        Err(RecvTimeoutError::Timeout) if crate::interrupt::happened() => Got::Interrupt,
        Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => Got::Deadline,
        Err(RecvTimeoutError::Timeout) => Got::Nothing,
    }
}

/// A worker that has gone away can't be written to: its end is noticed elsewhere.
fn feed(stdin: &mut Option<ChildStdin>, bytes: &[u8]) {
    if let Some(pipe) = stdin {
        let _ = pipe.write_all(bytes).and_then(|()| pipe.flush());
    }
}

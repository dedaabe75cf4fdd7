//! Parent side of a worker: starts it, holds it to its deadline, ends its whole tree, and turns its end into an
//! [`Outcome`]. Knows nothing of what is measured, so one bad engine can't harm another.

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::interpreter::Variables;
#[cfg(unix)]
use crate::keeper::{END_LIMIT, Ended, LastLine};

/// The longest line that a worker may write; a longer one is dropped whole.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// What is kept of standard error: its beginning and its end.
const KEPT_HEAD_BYTES: usize = 16 * 1024;
const KEPT_TAIL_BYTES: usize = 48 * 1024;
/// What is kept of standard output where it is wanted as text.
const KEPT_OUTPUT_BYTES: usize = 64 * 1024;
/// How long a worker may take to leave after its last event.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);
/// How often an interruption is looked for.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

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
    /// From the start to the end.
    pub(crate) elapsed: Duration,
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
    let began = Instant::now();
    let mut deadline = began + job.limit;
    let keeper = keeper_nonce();
    let mut tree = match Tree::start(job, &keeper) {
        Ok(tree) => tree,
        // Not even a keeper could be made: the machine is out of processes or memory.
        Err(error) => {
            return Ending {
                outcome: Outcome::Lost,
                stderr: error.to_string(),
                elapsed: began.elapsed(),
                left_running: 0,
            };
        }
    };
    let mut stdin = tree.child.stdin.take();
    feed(&mut stdin, &job.input);
    let (sender, lines) = mpsc::sync_channel(256);
    let mut prefixes = vec![job.line_prefix.clone()];
    prefixes.push(keeper_prefix(&keeper));
    if let Some(stdout) = tree.child.stdout.take() {
        thread::spawn(move || read_lines(stdout, &prefixes, &sender));
    }
    let (stderr, stderr_reader) = capture(tree.child.stderr.take());

    let mut verdict = None;
    let outcome = loop {
        match next(&lines, deadline) {
            Got::Line(line) => {
                if let Some(last) = tree.last_line(&line, &keeper) {
                    break last;
                }
                match on_line(&line) {
                    Next::Continue => {}
                    Next::Answer => feed(&mut stdin, b"go\n"),
                    Next::Finished => deadline = deadline.min(Instant::now() + LEAVE_LIMIT),
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
        elapsed: began.elapsed(),
        left_running: outcome.1,
    }
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
    Closed,
    Deadline,
    Interrupt,
}

fn next(lines: &Receiver<Vec<u8>>, deadline: Instant) -> Got {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left.min(INTERRUPT_INTERVAL)) {
            Ok(line) => return Got::Line(line),
            Err(RecvTimeoutError::Disconnected) => return Got::Closed,
            Err(RecvTimeoutError::Timeout) if crate::interrupt::happened() => {
                return Got::Interrupt;
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => return Got::Deadline,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A worker that has gone away can't be written to: its end is noticed elsewhere.
fn feed(stdin: &mut Option<ChildStdin>, bytes: &[u8]) {
    if let Some(pipe) = stdin {
        let _ = pipe.write_all(bytes).and_then(|()| pipe.flush());
    }
}

fn read_lines(mut from: impl Read, prefixes: &[Vec<u8>], lines: &SyncSender<Vec<u8>>) {
    let mut block = vec![0; 64 * 1024];
    let mut line = Vec::new();
    let mut dropped = false;
    loop {
        let read = match from.read(&mut block) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut rest = &block[..read];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let wanted = !dropped && prefixes.iter().any(|prefix| line.starts_with(prefix));
            if wanted && lines.send(std::mem::take(&mut line)).is_err() {
                return;
            }
            line.clear();
            dropped = false;
        }
        line.extend_from_slice(rest);
        if line.len() > MAX_LINE_BYTES {
            line.clear();
            dropped = true;
        }
    }
}

/// Beginning and end of a stream, whatever its length.
#[derive(Default)]
struct Capture {
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    skipped: u64,
}

impl Capture {
    fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT_HEAD_BYTES - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(KEPT_TAIL_BYTES);
        self.tail.drain(..surplus);
        self.skipped += surplus as u64;
    }

    fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.skipped > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.skipped).as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn capture(stream: Option<impl Read + Send + 'static>) -> (Arc<Mutex<Capture>>, JoinHandle<()>) {
    let kept = Arc::new(Mutex::new(Capture::default()));
    let shared = Arc::clone(&kept);
    let reader = thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut block = vec![0; 64 * 1024];
        loop {
            match stream.read(&mut block) {
                Ok(0) => return,
                Ok(read) => shared
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(&block[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    (kept, reader)
}

fn keeper_nonce() -> String {
    crate::protocol::nonce()
}

fn keeper_prefix(nonce: &str) -> Vec<u8> {
    format!("{{\"keeper\":\"{nonce}\"").into_bytes()
}

/// A worker's process tree.
#[cfg(unix)]
struct Tree {
    child: Child,
}

#[cfg(unix)]
impl Tree {
    fn start(job: &Job, keeper: &str) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        // A tree whose keeper dies comes back to this process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(crate::cli::KEEPER)
            .arg(keeper)
            .arg(&job.program)
            .args(&job.arguments);
        job.variables.apply(&mut command);
        command.envs(job.added.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &job.folder {
            command.current_dir(folder);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(Self {
            child: command.spawn()?,
        })
    }

    /// The outcome and what was left running, when `line` is the keeper's last one.
    fn last_line(&self, line: &[u8], keeper: &str) -> Option<(Outcome, u32)> {
        let last: LastLine = serde_json::from_slice(line).ok()?;
        if last.keeper != keeper {
            return None;
        }
        let outcome = match last.ended {
            Ended::NotStarted(number) => Outcome::NotStarted(number),
            Ended::Exited(code) => Outcome::Exited(code),
            Ended::Signalled(signal) => Outcome::Signalled(signal),
            Ended::Stuck => Outcome::Lost,
        };
        Some((outcome, last.left_running))
    }

    /// Asks the keeper to end the tree, and says until when it must have answered.
    fn end(&self, stdin: &mut Option<ChildStdin>) -> Instant {
        *stdin = None;
        Instant::now() + END_LIMIT + Duration::from_millis(300)
    }

    /// Output ended without the keeper's last line.
    fn closed(&mut self) -> (Outcome, u32) {
        (Outcome::Lost, self.sweep())
    }

    /// The keeper does not answer: it and all that came back to this process are killed, and never waited for.
    fn abandon(&mut self) -> (Outcome, u32) {
        (Outcome::Lost, self.sweep())
    }

    fn sweep(&mut self) -> u32 {
        let _ = self.child.kill();
        let _ = self.child.try_wait();
        crate::keeper::end_descendants(Instant::now() + Duration::from_millis(300))
    }

    fn leave(&mut self) {
        let until = Instant::now() + Duration::from_millis(300);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

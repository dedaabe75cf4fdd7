//! Process trees on Windows: a job object for each worker, inside one for `firstfault` itself that ends everything
//! when its last handle is closed, however `firstfault` ends.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};
use win32job::{ExtendedLimitInfo, Job as OwnJob};

use super::command::{Ask, Command as UsersCommand};
use super::{Job, Outcome};

/// How long a job may take to end.
const END_LIMIT: Duration = Duration::from_secs(1);

/// Holds `firstfault` and all that it starts; closed by the system when `firstfault` is gone.
static OWN_JOB: OnceLock<Option<OwnJob>> = OnceLock::new();

fn own_job() -> Option<OwnJob> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = OwnJob::create_with_limit_info(&limits).ok()?;
    job.assign_current_process().ok()?;
    Some(job)
}

/// A worker and everything below it.
pub(super) struct Tree {
    child: Box<dyn ChildWrapper>,
}

impl Tree {
    pub(super) fn start(job: &Job) -> io::Result<Self> {
        OWN_JOB.get_or_init(own_job);
        let mut command = Command::new(&job.program);
        command.args(&job.arguments);
        job.variables.apply(&mut command);
        command.envs(job.added.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &job.folder {
            command.current_dir(folder);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(Self {
            child: CommandWrap::from(command).wrap(JobObject).spawn()?,
        })
    }

    /// Starts the user's own command, with nothing on its standard input.
    pub(super) fn start_command(users: &UsersCommand) -> io::Result<Self> {
        OWN_JOB.get_or_init(own_job);
        let (program, arguments) = users.words.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(users.added.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(Self {
            child: CommandWrap::from(command).wrap(JobObject).spawn()?,
        })
    }

    /// The process below which the whole tree lies.
    pub(super) fn root(&self) -> u32 {
        self.child.id()
    }

    /// Ctrl-C reaches a command by the console itself; anything else can only end it.
    #[allow(clippy::unused_self, reason = "the other systems pass a signal on")]
    pub(super) fn ask(&self, _stdin: &mut Option<ChildStdin>, ask: Ask) -> bool {
        ask == Ask::Interrupt
    }

    /// Not told here.
    #[allow(clippy::unused_self, reason = "the other systems have a keeper")]
    pub(super) fn peak_bytes(&self, _line: &[u8]) -> Option<u64> {
        None
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout().take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr().take()
    }

    /// There is no keeper here: no line begins so.
    pub(super) fn last_line_prefix(&self) -> Vec<u8> {
        vec![0]
    }

    pub(super) fn last_line(&self, _line: &[u8]) -> Option<(Outcome, u32)> {
        None
    }

    /// Whether the worker itself has ended; its tree is ended with it.
    pub(super) fn ended(&mut self) -> Option<(Outcome, u32)> {
        let status = self.child.inner_mut().try_wait().ok()??;
        Some((outcome(status), self.finish()))
    }

    /// Ends the tree, and says until when that must have happened.
    pub(super) fn end(&mut self, stdin: &mut Option<ChildStdin>) -> Instant {
        *stdin = None;
        let _ = self.child.start_kill();
        Instant::now() + END_LIMIT
    }

    /// Nobody holds standard output any more.
    pub(super) fn closed(&mut self) -> (Outcome, u32) {
        let until = Instant::now() + END_LIMIT;
        while Instant::now() < until {
            if let Some(last) = self.ended() {
                return last;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.abandon()
    }

    /// The job does not end: it is never waited for.
    pub(super) fn abandon(&mut self) -> (Outcome, u32) {
        let _ = self.child.start_kill();
        (Outcome::Lost, 1)
    }

    pub(super) fn leave(&mut self) {}

    fn finish(&mut self) -> u32 {
        u32::from(self.child.start_kill().is_err())
    }
}

/// Exceptions are large exit numbers here; they are shown as they are.
fn outcome(status: ExitStatus) -> Outcome {
    status.code().map_or(Outcome::Lost, Outcome::Exited)
}

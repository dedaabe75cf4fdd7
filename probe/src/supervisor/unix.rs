//! Process trees on Unix: a keeper stands between, see [`crate::keeper`].

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::command::{Ask, Command as UsersCommand};
use super::{Job, Outcome};
use crate::interpreter::Variables;
use crate::keeper::{BUSY_LIMIT, END_LIMIT, Ended, LastLine, PASS_INTERRUPT, PASS_TERMINATE};

/// How long the last line of a keeper that is gone may be on its way. Where nobody else holds its output, the end of that
/// comes first.
const LAST_LINE_LIMIT: Duration = Duration::from_millis(500);

/// A worker and everything below it.
pub(super) struct Tree {
    child: Child,
    nonce: String,
    /// Since when the keeper is known to be gone.
    gone: Option<Instant>,
}

impl Tree {
    pub(super) fn start(job: &Job) -> io::Result<Self> {
        let mut words = vec![job.program.as_os_str()];
        words.extend(job.arguments.iter().map(OsString::as_os_str));
        let folder = job.folder.as_deref();
        Self::spawn(
            crate::cli::KEEPER,
            &words,
            &job.variables,
            &job.added,
            folder,
        )
    }

    /// Starts the user's own command, with nothing on its standard input.
    pub(super) fn start_command(command: &UsersCommand) -> io::Result<Self> {
        let words: Vec<&OsStr> = command.words.iter().map(OsString::as_os_str).collect();
        Self::spawn(
            crate::cli::COMMAND_KEEPER,
            &words,
            &Variables::Own,
            &command.added,
            None,
        )
    }

    fn spawn(
        keeper: &str,
        words: &[&OsStr],
        variables: &Variables,
        added: &[(OsString, OsString)],
        folder: Option<&Path>,
    ) -> io::Result<Self> {
        // A tree whose keeper dies comes back to this process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let nonce = crate::protocol::nonce();
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(keeper).arg(&nonce).args(words);
        variables.apply(&mut command);
        command.envs(added.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(Self {
            child: command.spawn()?,
            nonce,
            gone: None,
        })
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// The process below which the whole tree lies.
    pub(super) fn root(&self) -> u32 {
        self.child.id()
    }

    /// Passes a signal on to a command. False where it can only be ended.
    pub(super) fn ask(&self, stdin: &mut Option<ChildStdin>, ask: Ask) -> bool {
        let byte = match ask {
            Ask::Interrupt => PASS_INTERRUPT,
            Ask::Terminate => PASS_TERMINATE,
            Ask::Kill => return false,
        };
        stdin
            .as_mut()
            .is_some_and(|pipe| pipe.write_all(&[byte]).and_then(|()| pipe.flush()).is_ok())
    }

    /// The most resident memory of one process of the tree, when `line` is the keeper's last one.
    pub(super) fn peak_bytes(&self, line: &[u8]) -> Option<u64> {
        let last: LastLine = serde_json::from_slice(line).ok()?;
        (last.keeper == self.nonce)
            .then_some(last.peak_bytes)
            .flatten()
    }

    /// How the keeper's last line begins.
    pub(super) fn last_line_prefix(&self) -> Vec<u8> {
        format!("{{\"keeper\":\"{}\"", self.nonce).into_bytes()
    }

    /// The keeper says itself when the worker has ended; one that is gone without a word was killed. Its last line
    /// can still be on the way for as long as a busy machine lets its reader wait.
    pub(super) fn ended(&mut self) -> Option<(Outcome, u32)> {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            return None;
        }
        let since = *self.gone.get_or_insert_with(Instant::now);
        (since.elapsed() >= LAST_LINE_LIMIT).then(|| self.closed())
    }

    /// The outcome and what was left running, when `line` is the keeper's last one.
    pub(super) fn last_line(&self, line: &[u8]) -> Option<(Outcome, u32)> {
        let last: LastLine = serde_json::from_slice(line).ok()?;
        if last.keeper != self.nonce {
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
    pub(super) fn end(&self, stdin: &mut Option<ChildStdin>) -> Instant {
        *stdin = None;
        Instant::now() + END_LIMIT + BUSY_LIMIT + Duration::from_millis(300)
    }

    /// Output ended without the keeper's last line.
    pub(super) fn closed(&mut self) -> (Outcome, u32) {
        (Outcome::Lost, self.sweep())
    }

    /// The keeper does not answer: it and all that came back to this process are killed, and never waited for.
    pub(super) fn abandon(&mut self) -> (Outcome, u32) {
        (Outcome::Lost, self.sweep())
    }

    fn sweep(&mut self) -> u32 {
        let _ = self.child.kill();
        let _ = self.child.try_wait();
        crate::keeper::end_descendants(Instant::now() + Duration::from_millis(300))
    }

    pub(super) fn leave(&mut self) {
        let until = Instant::now() + Duration::from_millis(300);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

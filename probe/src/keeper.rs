//! The keeper: a small process between `firstfault` and a worker, which ends the worker's whole tree.
//!
//! It is the subreaper of everything that the worker starts, so a grandchild that calls `setsid` and forks away comes
//! back to it, and it outlives `firstfault`: when `firstfault` is killed, the pipe on standard input hangs up and the
//! keeper ends the tree. It never reads that pipe, which is the worker's own standard input, and never writes
//! anything but its one last line.
//!
//! The user's own command has no standard input, so the keeper of a command reads the pipe: each byte asks it to pass a
//! signal on.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions};
use serde::{Deserialize, Serialize};
use wait4::Wait4 as _;

/// How long the ending of a tree may take before what is left is left.
pub(crate) const END_LIMIT: Duration = Duration::from_secs(1);
/// How much longer killed processes get that the kernel does not hold: a busy machine only takes its time with them.
pub(crate) const BUSY_LIMIT: Duration = Duration::from_secs(3);

/// The keeper's one line on standard output, after everything that the worker wrote.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LastLine {
    /// The keeper's own nonce, which the worker is not told.
    pub(crate) keeper: String,
    /// How the worker ended.
    pub(crate) ended: Ended,
    /// Processes of the tree that would not die, as uninterruptible ones do not.
    pub(crate) left_running: u32,
    /// The most resident memory that the worker, or one of the processes that it waited for, has had.
    pub(crate) peak_bytes: Option<u64>,
}

/// Asks the keeper of a command to pass Ctrl-C on.
pub(crate) const PASS_INTERRUPT: u8 = b'i';
/// Asks the keeper of a command to pass a request to end on.
pub(crate) const PASS_TERMINATE: u8 = b't';

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// A worker of FirstFault.
    Worker,
    /// The user's own command.
    Command,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    /// It could not be started; the operating system's error number.
    NotStarted(i32),
    /// It exited with this number.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// It did not end although it was killed.
    Stuck,
}

enum Message {
    Worker(ExitStatus, u64),
    Pass(Signal),
    HungUp,
}

/// Runs as the keeper: `arguments` are its nonce, then the worker's program and arguments.
pub(crate) fn run(kept: Kept, mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(nonce), Some(program)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(2);
    };
    let nonce = nonce.to_string_lossy().into_owned();
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    match kept {
        Kept::Worker => {
            let _ = rustix::process::setrlimit(
                rustix::process::Resource::Core,
                rustix::process::Rlimit {
                    current: Some(0),
                    maximum: Some(0),
                },
            );
        }
        Kept::Command => {
            command.stdin(Stdio::null());
        }
    }
    let mut worker = match command.spawn() {
        Ok(worker) => worker,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(0);
            say(kept, nonce, Ended::NotStarted(number), 0, None);
            return ExitCode::SUCCESS;
        }
    };
    let group = Pid::from_child(&worker);
    let (sender, messages) = mpsc::channel();
    let parent = sender.clone();
    let watching = thread::Builder::new()
        .spawn(move || {
            match kept {
                Kept::Worker => wait_for_hang_up(),
                Kept::Command => take_requests(&parent),
            }
            let _ = parent.send(Message::HungUp);
        })
        .and_then(|_| {
            thread::Builder::new().spawn(move || {
                if let Ok(used) = worker.wait4() {
                    let _ = sender.send(Message::Worker(used.status, used.rusage.maxrss));
                }
            })
        });
    if let Err(error) = watching {
        // Without its threads nobody could keep it.
        let left = end_descendants(Instant::now() + END_LIMIT);
        let number = error.raw_os_error().unwrap_or(0);
        say(kept, nonce, Ended::NotStarted(number), left, None);
        return ExitCode::SUCCESS;
    }
    let mut ended = None;
    let mut peak_bytes = None;
    loop {
        match messages.recv() {
            Ok(Message::Worker(status, peak)) => {
                ended = Some(status);
                peak_bytes = Some(peak);
                break;
            }
            Ok(Message::Pass(signal)) => {
                let _ = rustix::process::kill_process_group(group, signal);
            }
            Ok(Message::HungUp) | Err(_) => break,
        }
    }
    let deadline = Instant::now() + END_LIMIT;
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    while ended.is_none() {
        kill_descendants();
        match messages.recv_timeout(Duration::from_millis(20)) {
            Ok(Message::Worker(status, peak)) => {
                ended = Some(status);
                peak_bytes = Some(peak);
            }
            Ok(Message::Pass(_) | Message::HungUp) => {}
            Err(_) if !is_over(deadline) => {}
            Err(_) => break,
        }
    }
    let left = if ended.is_some() {
        end_descendants(deadline)
    } else {
        kill_descendants().max(1)
    };
    let how = match ended {
        None => Ended::Stuck,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exited(code),
            (None, signal) => Ended::Signalled(signal.unwrap_or(0)),
        },
    };
    say(kept, nonce, how, left, peak_bytes);
    ExitCode::SUCCESS
}

fn say(kept: Kept, keeper: String, ended: Ended, left_running: u32, peak_bytes: Option<u64>) {
    if let Ok(line) = serde_json::to_string(&LastLine {
        keeper,
        ended,
        left_running,
        peak_bytes,
    }) {
        // A torn event of a worker may stand before it; of a command's output every byte is passed on.
        let first = match kept {
            Kept::Worker => "\n",
            Kept::Command => "",
        };
        let _ = std::io::stdout().write_all(format!("{first}{line}\n").as_bytes());
    }
}

/// Reads what the keeper of a command is asked until the other end is closed.
fn take_requests(keeper: &mpsc::Sender<Message>) {
    let mut asked = [0];
    let mut stdin = std::io::stdin();
    while let Ok(1) = stdin.read(&mut asked) {
        let signal = match asked[0] {
            PASS_INTERRUPT => Signal::INT,
            PASS_TERMINATE => Signal::TERM,
            _ => continue,
        };
        let _ = keeper.send(Message::Pass(signal));
    }
}

/// Returns when the other end of standard input has been closed; what lies in the pipe stays there.
fn wait_for_hang_up() {
    let stdin = std::io::stdin();
    loop {
        let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) if !watched[0].revents().is_empty() => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Kills and reaps everything below this process until nothing is left or `deadline` has passed; returns how many are left.
/// Only for a moment when no child is waited for elsewhere.
pub(crate) fn end_descendants(deadline: Instant) -> u32 {
    loop {
        let alive = kill_descendants();
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
        if alive == 0 {
            // Whatever was reparented in between shows in a second look.
            while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
            if kill_descendants() == 0 {
                return 0;
            }
        }
        if is_over(deadline) {
            return alive;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Whether nothing more is to be hoped for: at `deadline` where the kernel holds a process, later where it holds none.
fn is_over(deadline: Instant) -> bool {
    let now = Instant::now();
    now >= deadline
        && (now >= deadline + BUSY_LIMIT || own_descendants().iter().any(|process| process.is_held))
}

/// Sends SIGKILL to every living descendant of this process and returns how many there were.
fn kill_descendants() -> u32 {
    let mut killed = 0;
    for process in own_descendants() {
        if let Some(pid) = Pid::from_raw(process.pid)
            && rustix::process::kill_process(pid, Signal::KILL).is_ok()
        {
            killed += 1;
        }
    }
    killed
}

fn own_descendants() -> Vec<ProcessStat> {
    descendants(rustix::process::getpid().as_raw_nonzero().get())
}

/// The living descendants of `root`, zombies left out. Empty where there is no /proc.
fn descendants(root: i32) -> Vec<ProcessStat> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes: Vec<ProcessStat> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?))
        .collect();
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(
            processes
                .iter()
                .filter(|process| process.parent == parent)
                .map(|process| process.pid),
        );
        at += 1;
    }
    processes
        .into_iter()
        .filter(|process| process.pid != root && !process.is_dead && found.contains(&process.pid))
        .collect()
}

/// The numbers of the living descendants of `root`.
pub(crate) fn descendant_ids(root: i32) -> Vec<i32> {
    descendants(root)
        .into_iter()
        .map(|process| process.pid)
        .collect()
}

struct ProcessStat {
    pid: i32,
    parent: i32,
    is_dead: bool,
    /// It sleeps where no signal reaches it, as in a driver.
    is_held: bool,
}

/// `4242 (a name) with) S 17 …`: the name may hold anything, so the last parenthesis counts.
fn parse_stat(text: &str) -> Option<ProcessStat> {
    let (pid, rest) = text.split_once(' ')?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    Some(ProcessStat {
        pid: pid.parse().ok()?,
        parent: fields.next()?.parse().ok()?,
        is_dead: matches!(state, "Z" | "X"),
        is_held: state == "D",
    })
}

#[cfg(test)]
mod tests {
    use super::parse_stat;

    #[test]
    fn a_process_name_with_parentheses_does_not_shift_the_fields() {
        let stat = parse_stat("4242 (a) S (b) R 17 4242 4242 0 -1").unwrap();
        assert_eq!((stat.pid, stat.parent, stat.is_dead), (4242, 17, false));
        assert!(parse_stat("7 (z) Z 1 7").unwrap().is_dead);
        assert!(parse_stat("7 (d) D 1 7").unwrap().is_held);
        assert!(parse_stat("7").is_none());
    }
}

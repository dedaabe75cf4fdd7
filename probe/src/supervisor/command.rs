//! Parent side of the user's own command: passes its output through while it runs, passes Ctrl-C on, stops it gently and
//! then for good. What is seen and measured is the caller's.

use std::ffi::OsString;
use std::io::{self, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use memchr::memmem;

use super::Outcome;
use super::tree::Tree;

/// How soon after Ctrl-C the command must have ended by itself: it may have a checkpoint to write.
const INTERRUPT_GRACE: Duration = Duration::from_secs(15);
/// How soon after its time limit.
pub(crate) const LIMIT_GRACE: Duration = Duration::from_secs(10);

/// The user's own command.
#[derive(Debug)]
pub(crate) struct Command {
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// Variables on top of those of `firstfault`.
    pub(crate) added: Vec<(OsString, OsString)>,
    /// From the start; none: as long as it takes.
    pub(crate) limit: Option<Duration>,
    /// How often the caller looks at it.
    pub(crate) tick: Duration,
}

/// What a command can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// To stop, as Ctrl-C asks.
    Interrupt,
    /// To end.
    Terminate,
    /// Nothing: it is killed with all its processes.
    Kill,
}

/// That a running command shall stop, because its caller has a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// How it is asked.
    pub(crate) how: Ask,
    /// How long it may take before it is ended.
    pub(crate) grace: Duration,
}

/// Takes one of the command's streams, piece by piece.
pub(crate) type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// Why a command was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Its time was over.
    Limit,
    /// Ctrl-C.
    Interrupt,
    /// Its caller had a reason.
    Order,
}

/// A command's end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandEnd {
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Why it was asked to.
    pub(crate) stopped: Option<Stop>,
    /// Processes that would not die and were left.
    pub(crate) left_running: u32,
    /// The most resident memory of one of its processes.
    pub(crate) peak_bytes: Option<u64>,
    /// From start to end.
    pub(crate) wall: Duration,
    /// From being asked to stop to its end; none where it was not asked.
    pub(crate) stop: Option<Duration>,
    /// It did not stop in the time it was given, and was ended.
    pub(crate) forced: bool,
}

enum State {
    Running,
    /// Asked to stop: when it is asked again, and then when it is ended.
    Asked(Instant, Duration),
    /// Asked to end: until when it may take its time.
    AskedAgain(Instant),
    /// Being ended: until when that must have happened.
    Ending(Instant),
}

/// Runs a command to its end. `look` is called at every tick with the process below which the command's tree lies, and may
/// order the command to stop.
pub(crate) fn attend(
    command: &Command,
    stdout: Sink,
    stderr: Sink,
    mut look: impl FnMut(u32) -> Option<Order>,
) -> CommandEnd {
    let began = Instant::now();
    let mut asked: Option<Instant> = None;
    let mut forced = false;
    let mut tree = match Tree::start_command(command) {
        Ok(tree) => tree,
        Err(error) => return not_started(&error),
    };
    let mut stdin = tree.stdin();
    let (sender, last_lines) = mpsc::channel();
    let filter = Filter::new(tree.last_line_prefix(), stdout);
    let (stdout_stream, stderr_stream) = (tree.stdout(), tree.stderr());
    let readers = thread::Builder::new()
        .spawn(move || {
            if let Some(line) = stdout_stream.and_then(|stream| filter.pass(stream)) {
                let _ = sender.send(line);
            }
        })
        .and_then(|_| {
            thread::Builder::new().spawn(move || {
                if let Some(stream) = stderr_stream {
                    pass(stream, stderr);
                }
            })
        });
    let stderr_reader = match readers {
        Ok(reader) => reader,
        // The system gives no more threads: without a reader the command would only wait.
        Err(error) => {
            drop(stdin);
            let left_running = tree.abandon().1;
            return CommandEnd {
                left_running,
                ..not_started(&error)
            };
        }
    };
    let presses = crate::interrupt::times();
    let mut stopped = None;
    let mut state = State::Running;
    let (outcome, peak_bytes) = loop {
        match last_lines.recv_timeout(command.tick) {
            Ok(line) => {
                if let Some(last) = tree.last_line(&line) {
                    break (last, tree.peak_bytes(&line));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break (tree.closed(), None),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(last) = tree.ended() {
                    break (last, None);
                }
            }
        }
        let order = look(tree.root());
        let pressed = crate::interrupt::times() - presses;
        let now = Instant::now();
        match state {
            State::Running => {
                let over = command.limit.is_some_and(|limit| began.elapsed() >= limit);
                let why = if pressed > 0 {
                    Some(Stop::Interrupt)
                } else {
                    over.then_some(Stop::Limit)
                };
                if let Some(why) = why {
                    stopped = Some(why);
                    asked = Some(now);
                    let grace = match why {
                        Stop::Interrupt => INTERRUPT_GRACE,
                        Stop::Limit | Stop::Order => LIMIT_GRACE,
                    };
                    // Ctrl-C first even at a time limit: a Python program then says where it was.
                    tree.ask(&mut stdin, Ask::Interrupt);
                    state = State::Asked(now + grace / 2, grace / 2);
                } else if let Some(order) = order {
                    stopped = Some(Stop::Order);
                    asked = Some(now);
                    state = if order.how != Ask::Kill && tree.ask(&mut stdin, order.how) {
                        State::AskedAgain(now + order.grace)
                    } else {
                        State::Ending(tree.end(&mut stdin))
                    };
                }
            }
            // Whoever presses twice does not want to wait.
            State::Asked(..) | State::AskedAgain(_) if pressed > 1 => {
                forced = true;
                state = State::Ending(tree.end(&mut stdin));
            }
            State::Asked(until, rest) if now >= until => {
                state = if tree.ask(&mut stdin, Ask::Terminate) {
                    State::AskedAgain(now + rest)
                } else {
                    State::Ending(tree.end(&mut stdin))
                };
            }
            State::AskedAgain(until) if now >= until => {
                forced = true;
                state = State::Ending(tree.end(&mut stdin));
            }
            State::Ending(until) if now >= until => break (tree.abandon(), None),
            State::Asked(..) | State::AskedAgain(_) | State::Ending(_) => {}
        }
    };
    let ended = Instant::now();
    let wall = began.elapsed();
    drop(stdin);
    tree.leave();
    let until = Instant::now() + Duration::from_millis(500);
    while !stderr_reader.is_finished() && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
    CommandEnd {
        outcome: outcome.0,
        stopped,
        left_running: outcome.1,
        peak_bytes,
        wall,
        stop: asked.map(|asked| ended.saturating_duration_since(asked)),
        forced,
    }
}

fn not_started(error: &io::Error) -> CommandEnd {
    CommandEnd {
        outcome: Outcome::NotStarted(error.raw_os_error().unwrap_or(0)),
        stopped: None,
        left_running: 0,
        peak_bytes: None,
        wall: Duration::ZERO,
        stop: None,
        forced: false,
    }
}

fn pass(mut from: impl Read, mut sink: Sink) {
    let mut block = vec![0; 64 * 1024];
    loop {
        match from.read(&mut block) {
            Ok(0) => return,
            Ok(read) => sink(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Passes a command's standard output on, up to the keeper's last line.
struct Filter {
    /// How the last line begins; the command is not told.
    prefix: Vec<u8>,
    /// What may be the beginning of the last line.
    held: Vec<u8>,
    sink: Sink,
}

impl Filter {
    fn new(prefix: Vec<u8>, sink: Sink) -> Self {
        Self {
            prefix,
            held: Vec::new(),
            sink,
        }
    }

    /// Reads to the last line and gives it; none where the stream ends without one.
    fn pass(mut self, mut from: impl Read) -> Option<Vec<u8>> {
        let mut block = vec![0; 64 * 1024];
        loop {
            match from.read(&mut block) {
                Ok(0) => break,
                Ok(read) => {
                    if let Some(line) = self.take(&block[..read]) {
                        return Some(line);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        if !self.held.is_empty() {
            (self.sink)(&self.held);
        }
        None
    }

    fn take(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.held.extend_from_slice(bytes);
        if let Some(at) = memmem::find(&self.held, &self.prefix) {
            let line = self.held.split_off(at);
            if !self.held.is_empty() {
                (self.sink)(&self.held);
            }
            self.held = line;
            let end = memchr::memchr(b'\n', &self.held)?;
            return Some(self.held[..end].to_vec());
        }
        let mut keep = self.prefix.len().saturating_sub(1).min(self.held.len());
        while !self
            .prefix
            .starts_with(&self.held[self.held.len() - keep..])
        {
            keep -= 1;
        }
        let rest = self.held.split_off(self.held.len() - keep);
        if !self.held.is_empty() {
            (self.sink)(&self.held);
        }
        self.held = rest;
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Gives its pieces one by one.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            into[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn passed(pieces: Vec<Vec<u8>>) -> (Vec<u8>, Option<Vec<u8>>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let sink: Sink = Box::new(move |bytes| kept.lock().unwrap().extend_from_slice(bytes));
        let line = Filter::new(b"{\"keeper\":\"n\"".to_vec(), sink).pass(Pieces(pieces));
        (seen.lock().unwrap().clone(), line)
    }

    #[test]
    fn every_byte_of_a_command_comes_through_however_it_is_cut() {
        let whole = b"a\n{\"keeper\":\"x\"}\n{\"keep{\"keeper\":\"n\",\"left\":0}\n".to_vec();
        for size in 1..whole.len() {
            let pieces = whole.chunks(size).map(<[u8]>::to_vec).collect();
            let (seen, line) = passed(pieces);
            assert_eq!(seen, b"a\n{\"keeper\":\"x\"}\n{\"keep", "{size}");
            assert_eq!(line.unwrap(), b"{\"keeper\":\"n\",\"left\":0}");
        }
    }

    #[test]
    fn output_without_a_last_line_comes_through_whole() {
        let (seen, line) = passed(vec![b"x{\"keep".to_vec()]);
        assert_eq!(seen, b"x{\"keep");
        assert_eq!(line, None);
    }
}

//! Runs the command under watch: its output passed through and kept, its marks read, its memory looked at.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use firstfault_schema::explain::{Explainer, Fault};

use super::devices::Watcher;
use super::marks::{Marks, Reader};
use super::memory::Watch;
use crate::supervisor::Outcome;
use crate::supervisor::capture::Capture;
use crate::supervisor::command::{self, Command, CommandEnd, Order, Sink};

/// The most of one stream that is kept on disk.
const MAX_LOG_BYTES: u64 = 1024 * 1024 * 1024;
/// The command's own outputs matter more than its log: with less space than this left, no more is kept.
const ROOM_BYTES: u64 = 32 * 1024 * 1024;
/// The variable that names the file of marks.
pub(crate) const MARKERS: &str = "FIRSTFAULT_MARKERS";

/// The file of an attempt whose time says when its command was last seen running.
pub(crate) const ALIVE: &str = "alive";
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// How often memory is looked at, and progress shown.
const LOOK: Duration = Duration::from_millis(100);
/// How often a command is looked at that may have to be stopped at a point of its work.
const STEERED_TICK: Duration = Duration::from_millis(10);

/// What a running command has shown so far, for whoever may stop it.
pub(crate) struct Sight<'a> {
    /// Since its start.
    pub(crate) elapsed: Duration,
    /// Its marks.
    pub(crate) marks: &'a Marks,
    /// Resident memory of all its processes.
    pub(crate) resident_bytes: Option<u64>,
    /// Memory of the wanted device in use by whomever; none where that is not watched.
    pub(crate) device_bytes: Option<u64>,
}

/// Asked at every tick whether a command shall stop.
pub(crate) type Steer<'a> = &'a mut dyn FnMut(&Sight<'_>) -> Option<Order>;

/// What a running command is doing, for whoever shows progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Now {
    /// The stage that is open.
    pub(crate) stage: Option<String>,
    /// Which pass of it.
    pub(crate) pass: u32,
    /// Resident memory of all its processes.
    pub(crate) resident_bytes: Option<u64>,
}

/// Where the command's output goes.
pub(crate) trait Screen {
    /// Takes standard output.
    fn stdout(&self) -> Sink;
    /// Takes standard error.
    fn stderr(&self) -> Sink;
    /// Shows what happens.
    fn show(&mut self, now: &Now);
}

/// A command that was run.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) end: CommandEnd,
    pub(crate) marks: Marks,
    pub(crate) memory: Watch,
    /// Beginning and end of its standard error.
    pub(crate) stderr: String,
    /// Faults that the whole of its standard error tells.
    pub(crate) faults: Vec<Fault>,
    /// Why it could not be started; none where it was.
    pub(crate) not_started: Option<&'static str>,
}

/// Runs `words`, keeping everything in `folder`. With `steer` it is looked at closely, and `devices` is what tells of the
/// device meanwhile.
///
/// # Errors
/// When the file of marks can't be made.
pub(crate) fn launch(
    words: &[std::ffi::OsString],
    limit: Option<Duration>,
    folder: &Path,
    screen: &mut dyn Screen,
    devices: Option<&Watcher>,
    mut steer: Option<Steer<'_>>,
) -> io::Result<Launched> {
    let path = markers_file(folder)?;
    let command = Command {
        words: words.to_vec(),
        added: vec![(MARKERS.into(), path.clone().into_os_string())],
        limit,
        tick: if steer.is_some() { STEERED_TICK } else { LOOK },
    };
    let stdout = kept(folder.join("stdout.log"), screen.stdout(), |_| {});
    let seen = Arc::new(Mutex::new((Capture::default(), Explainer::new())));
    let shared = Arc::clone(&seen);
    let stderr = kept(folder.join("stderr.log"), screen.stderr(), move |bytes| {
        let mut seen = shared.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0.push(bytes);
        seen.1.feed(bytes);
    });
    let mut reader = Reader::new(&path);
    let mut memory = Watch::default();
    let began = Instant::now();
    let alive = folder.join(ALIVE);
    let mut shown_alive: Option<Instant> = None;
    let mut looked: Option<Instant> = None;
    let end = command::attend(&command, stdout, stderr, |root| {
        reader.read();
        if looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
            looked = Some(Instant::now());
            if shown_alive.is_none_or(|shown| shown.elapsed() >= SIGN_OF_LIFE) {
                shown_alive = looked;
                let _ = std::fs::write(&alive, "");
            }
            memory.look(root);
            let open = reader.marks.current();
            screen.show(&Now {
                stage: open.map(|stage| stage.name.clone()),
                pass: open.map_or(0, |stage| stage.pass),
                resident_bytes: memory.resident,
            });
        }
        steer.as_mut().and_then(|steer| {
            steer(&Sight {
                elapsed: began.elapsed(),
                marks: &reader.marks,
                resident_bytes: memory.resident,
                device_bytes: devices.and_then(Watcher::used_now),
            })
        })
    });
    reader.read_to_end();
    let (capture, explainer) =
        std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Launched {
        not_started: why_not_started(end.outcome, words),
        end,
        marks: reader.marks,
        memory,
        // Some programs colour what they write even into a pipe.
        stderr: anstream::adapter::strip_str(&capture.text()).to_string(),
        faults: explainer.finish(),
    })
}

/// Why the system did not start a command, by its error number and by what lies there.
fn why_not_started(outcome: Outcome, words: &[std::ffi::OsString]) -> Option<&'static str> {
    let Outcome::NotStarted(number) = outcome else {
        return None;
    };
    let program = Path::new(words.first()?);
    // A name alone is looked for in the folders of PATH.
    let is_path = program.components().count() > 1 || program.is_absolute();
    Some(match number {
        _ if is_path && program.is_dir() => "is_a_folder",
        // ENOENT where the file is there: the program of its first line, or the loader, is not.
        2 if is_path && program.exists() => "loader_missing",
        // ENOENT, ERROR_PATH_NOT_FOUND and ENOTDIR
        2 | 3 | 20 => "not_found",
        // EPERM and EACCES; ERROR_ACCESS_DENIED
        1 | 13 => "not_permitted",
        5 if cfg!(windows) => "not_permitted",
        // ENOEXEC; ERROR_BAD_EXE_FORMAT
        8 => "other_format",
        193 if cfg!(windows) => "other_format",
        _ => "other",
    })
}

/// The path that the command is given is absolute: it may change its folder.
fn markers_file(folder: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(folder.join("markers.jsonl"))?;
    OpenOptions::new().create(true).append(true).open(&path)?;
    Ok(path)
}

/// Whether there is more free space than the command may need for its own outputs.
#[cfg(unix)]
fn has_room(path: &Path) -> bool {
    rustix::fs::statvfs(path)
        .is_ok_and(|system| system.f_bavail.saturating_mul(system.f_frsize) > ROOM_BYTES)
}

#[cfg(not(unix))]
const fn has_room(_path: &Path) -> bool {
    true
}

/// A sink that keeps a stream on disk, looks at it, and passes it on. A full disk does not disturb the command.
fn kept(path: PathBuf, mut to: Sink, mut look: impl FnMut(&[u8]) + Send + 'static) -> Sink {
    let mut file = File::create(&path).ok().filter(|_| has_room(&path));
    let mut written = 0_u64;
    let mut looked_at = 0;
    Box::new(move |bytes| {
        if written < MAX_LOG_BYTES
            && let Some(log) = &mut file
        {
            written += bytes.len() as u64;
            let due = written - looked_at >= ROOM_BYTES / 32;
            if due {
                looked_at = written;
            }
            if log.write_all(bytes).is_err() || (due && !has_room(&path)) {
                file = None;
            }
        }
        look(bytes);
        to(bytes);
    })
}

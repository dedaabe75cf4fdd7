//! The attempt's folder at home: raw events and messages, written as they come, so that a fault that locks the host
//! leaves its last stage on disk. Nothing of it enters a report.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::report::{Engine, Stage};

/// How many attempts are kept.
const KEPT_ATTEMPTS: usize = 20;
const EVENTS: &str = "events.jsonl";
const FINISHED: &str = "finished";
const WRITER: &str = "writer.json";
/// More than any check takes, with its witnesses.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(600);
/// More than the user's own command is thought to take.
const LONGEST_RUN: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// The record of one attempt; a journal without a folder keeps nothing and harms nothing.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: Option<PathBuf>,
    events: Option<File>,
}

/// An earlier attempt that ended without a word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// The stage that had begun last.
    pub(crate) stage: Option<Stage>,
}

impl Journal {
    /// A journal that keeps nothing.
    pub(crate) const fn none() -> Self {
        Self {
            folder: None,
            events: None,
        }
    }

    /// Opens the folder of attempt `id` in the user's state folder, and tells the earlier attempts that never finished.
    ///
    /// # Errors
    /// When the folder can't be made, or is not this user's own.
    pub(crate) fn open(id: &str) -> io::Result<(Self, Vec<Unfinished>)> {
        Self::open_in(&state_folder()?, id)
    }

    /// Opens the folder of attempt `id` in `.firstfault` of a project.
    ///
    /// # Errors
    /// When the folder can't be made, or is not this user's own.
    pub(crate) fn open_in_project(project: &Path, id: &str) -> io::Result<(Self, Vec<Unfinished>)> {
        Self::open_for(&project.join(".firstfault"), id, LONGEST_RUN)
    }

    fn open_in(state: &Path, id: &str) -> io::Result<(Self, Vec<Unfinished>)> {
        Self::open_for(state, id, LONGEST_ATTEMPT)
    }

    fn open_for(state: &Path, id: &str, longest: Duration) -> io::Result<(Self, Vec<Unfinished>)> {
        make_private_with_ignore(state)?;
        let attempts = state.join("attempts");
        make_private(&attempts)?;
        let unfinished = tidy(&attempts, longest)?;
        let folder = attempts.join(id);
        make_private(&folder)?;
        write_new(
            &folder.join(WRITER),
            serde_json::to_string(&Writer::own()).map_err(io::Error::other)?,
        )?;
        let events = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(folder.join(EVENTS))?;
        Ok((
            Self {
                folder: Some(folder),
                events: Some(events),
            },
            unfinished,
        ))
    }

    /// Where the raw evidence of this attempt lies.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Takes down a worker's line.
    pub(crate) fn event(&mut self, engine: Engine, line: &[u8]) {
        if let Some(events) = &mut self.events {
            let name: &[u8] = match engine {
                Engine::Python => b"python ",
                Engine::Libtorch => b"libtorch ",
            };
            // A full disk must not end a check that is under way.
            let _ = events.write_all(&[name, line, b"\n"].concat());
        }
    }

    /// Returns when everything so far is on disk.
    pub(crate) fn sync(&self) {
        if let Some(events) = &self.events {
            let _ = events.sync_all();
        }
    }

    /// Keeps what a worker printed on standard error.
    pub(crate) fn stderr(&self, engine: Engine, text: &str) {
        if let Some(folder) = &self.folder
            && !text.is_empty()
        {
            let name = match engine {
                Engine::Python => "python.stderr.log",
                Engine::Libtorch => "libtorch.stderr.log",
            };
            let _ = write_new(&folder.join(name), text);
        }
    }

    /// Notes that the attempt came to an end.
    pub(crate) fn finish(&self) {
        if let Some(folder) = &self.folder {
            let _ = write_new(&folder.join(FINISHED), "");
        }
    }
}

/// Removes the evidence of a check that has finished and that nobody will look for.
pub(crate) fn forget(id: &str) {
    if let Ok(state) = state_folder() {
        forget_in(&state, id);
    }
}

/// The same in a project's folder.
pub(crate) fn forget_in(state: &Path, id: &str) {
    let folder = state.join("attempts").join(id);
    let is_own = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
    if is_own && folder.join(FINISHED).exists() {
        let _ = fs::remove_dir_all(folder);
    }
}

fn state_folder() -> io::Result<PathBuf> {
    use etcetera::BaseStrategy as _;
    let strategy = etcetera::choose_base_strategy().map_err(io::Error::other)?;
    Ok(strategy
        .state_dir()
        .unwrap_or_else(|| strategy.data_dir())
        .join("firstfault"))
}

/// Writes a file that is not there yet: a link that somebody else left, dangling or not, is never followed.
fn write_new(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_ref())
}

/// Makes a folder for this user alone that no repository takes in.
///
/// # Errors
/// When it can't be made, or is not this user's own.
pub(crate) fn make_private_with_ignore(folder: &Path) -> io::Result<()> {
    make_private(folder)?;
    let ignore = folder.join(".gitignore");
    if fs::symlink_metadata(&ignore).is_err() {
        write_new(&ignore, "*\n")?;
    }
    Ok(())
}

/// Makes a folder for this user alone, or accepts one that already is; a link is refused.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if fs::symlink_metadata(folder).is_err() {
        builder.create(folder)?;
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "the state folder is a link or a file",
        ));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the state folder belongs to another user",
            ));
        }
        if found.mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Finds attempts that never finished, marks them as told, and removes the oldest ones.
fn tidy(attempts: &Path, longest: Duration) -> io::Result<Vec<Unfinished>> {
    let mut known: Vec<(std::time::SystemTime, PathBuf)> = fs::read_dir(attempts)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let data = entry.metadata().ok().filter(fs::Metadata::is_dir)?;
            Some((data.modified().ok()?, entry.path()))
        })
        .collect();
    known.sort();
    let own = Writer::own();
    let mut unfinished = Vec::new();
    let mut working = Vec::new();
    for (_, folder) in &known {
        if folder.join(FINISHED).exists() {
            continue;
        }
        if own.may_be_working(folder, longest) {
            working.push(folder);
        } else if own.is_on_this_host(folder) {
            unfinished.push(Unfinished {
                stage: last_stage(folder),
            });
            let _ = write_new(&folder.join(FINISHED), "told by a later attempt\n");
        }
    }
    let surplus = known.len().saturating_sub(KEPT_ATTEMPTS - 1);
    for (_, folder) in known
        .iter()
        .filter(|(_, folder)| !working.contains(&folder))
        .take(surplus)
    {
        let _ = fs::remove_dir_all(folder);
    }
    Ok(unfinished)
}

/// Who writes an attempt: a home folder can be shared by many hosts and containers.
#[derive(Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Writer {
    process: i32,
    host: String,
    /// Changes when the host is started anew.
    boot: String,
    /// Changes from container to container.
    namespace: String,
}

impl Writer {
    fn own() -> Self {
        #[cfg(unix)]
        let host = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        #[cfg(not(unix))]
        let host = std::env::var("COMPUTERNAME").unwrap_or_default();
        Self {
            process: i32::try_from(std::process::id()).unwrap_or(i32::MAX),
            host,
            boot: fs::read_to_string("/proc/sys/kernel/random/boot_id")
                .unwrap_or_default()
                .trim()
                .to_owned(),
            namespace: fs::read_link("/proc/self/ns/pid")
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        }
    }

    /// Whether the writer of `folder` can still be at work, as far as can be seen from here.
    fn may_be_working(&self, folder: &Path, longest: Duration) -> bool {
        let text = fs::read_to_string(folder.join(WRITER)).unwrap_or_default();
        let Ok(writer) = serde_json::from_str::<Self>(&text) else {
            return false;
        };
        if writer.host == self.host && writer.boot != self.boot {
            return false;
        }
        if writer.host == self.host && writer.namespace == self.namespace {
            return is_running(writer.process);
        }
        // Its process can't be seen from here; no attempt takes as long as this.
        let age = fs::metadata(folder)
            .and_then(|data| data.modified())
            .ok()
            .and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age < longest)
    }

    fn is_on_this_host(&self, folder: &Path) -> bool {
        let text = fs::read_to_string(folder.join(WRITER)).unwrap_or_default();
        serde_json::from_str::<Self>(&text).is_ok_and(|writer| writer.host == self.host)
    }
}

/// A number that was given to another process by now only delays the notice.
#[cfg(unix)]
fn is_running(process: i32) -> bool {
    rustix::process::Pid::from_raw(process).is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    })
}

#[cfg(not(unix))]
fn is_running(_process: i32) -> bool {
    false
}

fn last_stage(folder: &Path) -> Option<Stage> {
    let text = fs::read_to_string(folder.join(EVENTS)).ok()?;
    text.lines().rev().find_map(|line| {
        let event: crate::protocol::Event = serde_json::from_str(line.split_once(' ')?.1).ok()?;
        match event.what {
            crate::protocol::What::Begin { stage, .. } => Some(stage),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_never_finished_is_told_once_with_its_stage() {
        let state = tempfile::tempdir().unwrap();
        let state = state.path().join("firstfault");
        let (mut first, told) = Journal::open_in(&state, "a1").unwrap();
        assert_eq!(told, []);
        first.event(
            Engine::Python,
            br#"{"nonce":"n","seq":0,"event":"begin","stage":"device","wait":true}"#,
        );
        first.sync();
        // Until its process is gone, it may still be at work.
        assert_eq!(Journal::open_in(&state, "b1").unwrap().1, []);
        let gone = Writer {
            process: i32::MAX,
            ..Writer::own()
        };
        fs::write(
            state.join("attempts/a1").join(WRITER),
            serde_json::to_string(&gone).unwrap(),
        )
        .unwrap();
        let (second, told) = Journal::open_in(&state, "a2").unwrap();
        assert_eq!(
            told,
            [Unfinished {
                stage: Some(Stage::Device)
            }]
        );
        second.finish();
        let (_, told) = Journal::open_in(&state, "a3").unwrap();
        assert_eq!(told, []);
    }

    #[test]
    fn an_attempt_of_another_host_with_the_same_home_is_left_alone() {
        let state = tempfile::tempdir().unwrap();
        let (first, _) = Journal::open_in(state.path(), "a1").unwrap();
        let other = Writer {
            host: "another".to_owned(),
            process: i32::MAX,
            ..Writer::own()
        };
        fs::write(
            first.folder().unwrap().join(WRITER),
            serde_json::to_string(&other).unwrap(),
        )
        .unwrap();
        assert_eq!(Journal::open_in(state.path(), "a2").unwrap().1, []);
        assert!(!first.folder().unwrap().join(FINISHED).exists());
    }

    #[test]
    fn an_attempt_before_the_host_was_started_anew_is_told() {
        let state = tempfile::tempdir().unwrap();
        let (first, _) = Journal::open_in(state.path(), "a1").unwrap();
        let before = Writer {
            boot: "earlier".to_owned(),
            ..Writer::own()
        };
        fs::write(
            first.folder().unwrap().join(WRITER),
            serde_json::to_string(&before).unwrap(),
        )
        .unwrap();
        assert_eq!(
            Journal::open_in(state.path(), "a2").unwrap().1,
            [Unfinished { stage: None }]
        );
    }

    #[test]
    fn old_attempts_are_removed_and_the_newest_stay() {
        let state = tempfile::tempdir().unwrap();
        for number in 0..30 {
            Journal::open_in(state.path(), &format!("a{number:02}"))
                .unwrap()
                .0
                .finish();
        }
        let left = fs::read_dir(state.path().join("attempts")).unwrap().count();
        assert_eq!(left, KEPT_ATTEMPTS);
    }

    #[cfg(unix)]
    #[test]
    fn a_state_folder_that_is_a_link_is_refused() {
        let state = tempfile::tempdir().unwrap();
        let link = state.path().join("link");
        std::os::unix::fs::symlink(state.path(), &link).unwrap();
        assert!(Journal::open_in(&link, "a1").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_inside_the_state_folder_is_never_written_through() {
        let state = tempfile::tempdir().unwrap();
        let outside = state.path().join("outside");
        let inside = state.path().join("firstfault");
        fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join(".gitignore")).unwrap();
        Journal::open_in(&inside, "a1").unwrap().0.finish();
        assert!(!outside.exists());
    }
}

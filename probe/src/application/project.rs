//! The project's folder while several runs of one command are made in it: one process at a time works there, what the command
//! wrote before is set aside and put back afterwards, and each run's own files are taken away for the next one.
//!
//! Nothing is ever deleted. What was to be moved is written down first, so that the next start puts back what a killed one
//! had set aside.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::attempt::Agreed;
use super::contract::files;
use super::launch;
use super::relocate::{Links, copy_tree, relocate, remove_parts};
use crate::check::Note;
use crate::error::Error;
use crate::journal;

/// The folder of this program in a project.
pub(crate) const FOLDER: &str = ".firstfault";
const ASIDE: &str = "aside";
const LIST: &str = "list.json";
/// The list of what was told, and is not told again.
const TOLD: &str = "told.json";
/// What was set aside. Its own folder, since it may have any name.
const FILES: &str = "files";
/// What lay in the way when files were put back.
const LEFT: &str = "left";
/// A keeper ends what a killed `firstfault` left within this time.
const KEEPER_TIME: Duration = Duration::from_millis(1500);
/// A command that was ended wrote nothing later than this after the last sign of life.
const LAST_WRITES: Duration = Duration::from_secs(4);

/// A project that this process alone works in.
#[derive(Debug)]
pub(crate) struct Project {
    folder: PathBuf,
    /// Held until the end of the process.
    _lock: File,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Move {
    from: PathBuf,
    to: PathBuf,
}

/// What was to be set aside, and what the command may write meanwhile.
#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    moves: Vec<Move>,
    folder: PathBuf,
    patterns: Vec<String>,
}

impl Project {
    /// Takes the project in the current folder, and puts back what a killed process had set aside there.
    ///
    /// # Errors
    /// When another process works there, or nothing can be written.
    pub(crate) fn take(notes: &mut Vec<Note>) -> Result<Self, Error> {
        let folder = std::path::absolute(FOLDER).map_err(unwritable(Path::new(FOLDER)))?;
        journal::make_private_with_ignore(&folder).map_err(unwritable(&folder))?;
        let path = folder.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(unwritable(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::ProjectBusy),
            Err(TryLockError::Error(source)) => return Err(Error::Save { path, source }),
        }
        let project = Self {
            folder,
            _lock: lock,
        };
        project.recover(notes)?;
        Ok(project)
    }

    /// Whether a start that was killed has left files set aside in the current folder's project.
    pub(crate) fn is_unsettled() -> bool {
        fs::read_dir(Path::new(FOLDER).join(ASIDE)).is_ok_and(|entries| {
            entries
                .filter_map(Result::ok)
                .any(|entry| entry.path().join(LIST).exists())
        })
    }

    /// The folder of this program in the project.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets aside everything that is there and that the contract names as the command's own.
    ///
    /// # Errors
    /// When something can't be moved; then everything is back where it was.
    pub(crate) fn set_aside(&self, agreed: &Agreed, id: &str) -> Result<Aside, Error> {
        // A start from another folder with the same contract would write the same files. Not every file system can tell.
        let lock = File::open(&agreed.folder).ok();
        if let Some(lock) = &lock
            && matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
        {
            return Err(Error::ProjectBusy);
        }
        let folder = self.folder.join(ASIDE).join(id);
        fs::create_dir_all(&folder).map_err(save(&folder))?;
        let mut aside = Aside {
            moves: plan(agreed, &folder.join(FILES)).map_err(save(&folder))?,
            patterns: patterns(agreed),
            folder,
            done: true,
            _lock: lock,
        };
        let own = aside.moves.iter().find(|one| self.is_own(&one.from));
        if let Some(path) = own.map(|one| one.from.clone()) {
            remove_if_empty(&aside.folder);
            return Err(Error::OwnFolder { path });
        }
        aside.done = false;
        let listed = Listed {
            moves: aside.moves.clone(),
            folder: aside.patterns.0.clone(),
            patterns: aside.patterns.1.clone(),
        };
        write_synced(&aside.folder.join(LIST), &listed).map_err(save(&aside.folder))?;
        for one in &aside.moves {
            if let Err(error) = relocate(&one.from, &one.to) {
                let path = one.from.clone();
                aside.restore()?;
                return Err(Error::SetAside {
                    path,
                    source: error,
                });
            }
        }
        Ok(aside)
    }

    /// Whether this folder lies in what is named, or what is named lies in this folder.
    fn is_own(&self, path: &Path) -> bool {
        let own = self.folder.canonicalize();
        let named = match (path.parent(), path.file_name()) {
            // What a link points at stays where it is.
            (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)),
            _ => path.canonicalize(),
        };
        let (Ok(own), Ok(named)) = (own, named) else {
            return false;
        };
        own.starts_with(&named) || named.starts_with(&own)
    }

    fn recover(&self, notes: &mut Vec<Note>) -> Result<(), Error> {
        let Ok(entries) = fs::read_dir(self.folder.join(ASIDE)) else {
            return Ok(());
        };
        let mut waited = false;
        for entry in entries.filter_map(Result::ok) {
            let folder = entry.path();
            let Ok(text) = fs::read_to_string(folder.join(LIST)) else {
                continue;
            };
            let Ok(listed) = serde_json::from_str::<Listed>(&text) else {
                continue;
            };
            if !waited {
                // The tree of the killed process may still be ending.
                std::thread::sleep(KEEPER_TIME);
                waited = true;
            }
            self.recover_one(&folder, &listed, notes)?;
        }
        Ok(())
    }

    fn recover_one(
        &self,
        folder: &Path,
        listed: &Listed,
        notes: &mut Vec<Note>,
    ) -> Result<(), Error> {
        let last = self.last_sign_of_life();
        for one in &listed.moves {
            remove_parts(&one.from, &one.to);
        }
        self.leave_new(folder, listed, last, notes)?;
        let mut kept = false;
        let mut back = 0;
        for (at, one) in listed.moves.iter().enumerate() {
            if fs::symlink_metadata(&one.to).is_err() {
                continue;
            }
            if fs::symlink_metadata(&one.from).is_ok() {
                let newer = newest(&one.from)
                    .zip(last)
                    .is_none_or(|(written, last)| written > last + LAST_WRITES);
                if newer {
                    kept = true;
                    continue;
                }
                // The killed run wrote it.
                let left = folder.join(LEFT).join(at.to_string());
                relocate(&one.from, &left).map_err(save(&one.from))?;
                notes.push(Note::LeftOver(left));
            }
            relocate(&one.to, &one.from).map_err(save(&one.from))?;
            back += 1;
        }
        if back > 0 {
            notes.push(Note::PutBack(back));
        }
        if kept {
            notes.push(Note::KeptAside(folder.join(FILES)));
        }
        // Told once; the files stay where the note says.
        let _ = fs::rename(folder.join(LIST), folder.join(TOLD));
        remove_if_empty(folder);
        Ok(())
    }

    /// Takes away what a killed run wrote where nothing had been: half of an output is nobody's.
    fn leave_new(
        &self,
        folder: &Path,
        listed: &Listed,
        last: Option<SystemTime>,
        notes: &mut Vec<Note>,
    ) -> Result<(), Error> {
        let began = fs::metadata(folder.join(LIST))
            .and_then(|data| data.modified())
            .ok();
        let (Some(began), Some(last)) = (began, last) else {
            return Ok(());
        };
        let left = folder.join(LEFT).join("new");
        let mut any = false;
        for path in present(&listed.folder, &listed.patterns) {
            let was_there = listed.moves.iter().any(|one| one.from == path);
            let of_the_run = newest(&path)
                .is_some_and(|written| written >= began && written <= last + LAST_WRITES);
            if !was_there && of_the_run {
                let to = left.join(below(&listed.folder, &path));
                relocate(&path, &to).map_err(save(&path))?;
                any = true;
            }
        }
        if any {
            notes.push(Note::LeftOver(left));
        }
        Ok(())
    }

    /// When a command was last seen running in this project.
    fn last_sign_of_life(&self) -> Option<SystemTime> {
        fs::read_dir(self.folder.join("attempts"))
            .ok()?
            .filter_map(|entry| {
                let alive = entry.ok()?.path().join(launch::ALIVE);
                fs::metadata(alive).ok()?.modified().ok()
            })
            .max()
    }
}

/// What lay in the project before, set aside. Put back at the end, whatever happens.
#[derive(Debug)]
pub(crate) struct Aside {
    folder: PathBuf,
    moves: Vec<Move>,
    /// What the command may write: folder and patterns.
    patterns: (PathBuf, Vec<String>),
    done: bool,
    /// Held as long as files are aside: the folder of the contract.
    _lock: Option<File>,
}

impl Aside {
    /// Puts everything back. What the command left there meanwhile is kept, and its place is returned.
    ///
    /// # Errors
    /// When something can't be moved back; it stays where it was set aside.
    pub(crate) fn put_back(mut self) -> Result<Option<PathBuf>, Error> {
        self.restore()
    }

    fn restore(&mut self) -> Result<Option<PathBuf>, Error> {
        self.done = true;
        let left = self.folder.join(LEFT);
        let (folder, patterns) = &self.patterns;
        // A plan that stopped in the middle has files that never moved.
        let untouched: Vec<&Path> = self
            .moves
            .iter()
            .filter(|one| fs::symlink_metadata(&one.to).is_err())
            .map(|one| one.from.as_path())
            .collect();
        let mut any = false;
        for path in present(folder, patterns) {
            if !untouched.contains(&path.as_path()) {
                let to = left.join(below(folder, &path));
                relocate(&path, &to).map_err(save(&path))?;
                any = true;
            }
        }
        for one in &self.moves {
            if fs::symlink_metadata(&one.to).is_ok() {
                relocate(&one.to, &one.from).map_err(save(&one.from))?;
            }
        }
        let _ = fs::remove_file(self.folder.join(LIST));
        if any {
            return Ok(Some(left));
        }
        remove_if_empty(&self.folder);
        Ok(None)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.done {
            // What can't be put back now is put back by the next start.
            let _ = self.restore();
        }
    }
}

/// Takes away what the command wrote, to `to`, where the contract finds it with [`below`]'s names.
///
/// # Errors
/// When something can't be moved.
pub(crate) fn take_away(agreed: &Agreed, to: &Path) -> Result<(), Error> {
    for one in plan(agreed, to).map_err(save(to))? {
        relocate(&one.from, &one.to).map_err(save(&one.from))?;
    }
    Ok(())
}

/// Copies what the command wrote, to `to`, and leaves it in its place.
///
/// # Errors
/// When something can't be copied.
pub(crate) fn copy(agreed: &Agreed, to: &Path) -> Result<(), Error> {
    for one in plan(agreed, to).map_err(save(to))? {
        copy_tree(&one.from, &one.to, Links::Follow).map_err(save(&one.from))?;
    }
    Ok(())
}

/// The name that a file of the contract has below another folder: its own, and nothing that leads outside.
pub(crate) fn below(folder: &Path, path: &Path) -> PathBuf {
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("_up".into()),
            Component::RootDir => Some("_root".into()),
            Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

fn patterns(agreed: &Agreed) -> (PathBuf, Vec<String>) {
    let folder = std::path::absolute(&agreed.folder).unwrap_or_else(|_| agreed.folder.clone());
    let patterns = agreed
        .contract
        .written()
        .into_iter()
        .map(str::to_owned)
        .collect();
    (folder, patterns)
}

fn plan(agreed: &Agreed, to: &Path) -> io::Result<Vec<Move>> {
    let to = std::path::absolute(to)?;
    let (folder, patterns) = patterns(agreed);
    Ok(present(&folder, &patterns)
        .into_iter()
        .map(|from| Move {
            to: to.join(below(&folder, &from)),
            from,
        })
        .collect())
}

/// What is there, without what lies inside of something else that is there.
fn present(folder: &Path, patterns: &[String]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = patterns
        .iter()
        .flat_map(|pattern| files::matching(folder, pattern))
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .collect();
    found.sort();
    found.dedup();
    let outer = found.clone();
    found.retain(|path| {
        !outer
            .iter()
            .any(|other| other != path && path.starts_with(other))
    });
    found
}

/// The last time that a file, or any below a folder, was written.
fn newest(path: &Path) -> Option<SystemTime> {
    let data = fs::symlink_metadata(path).ok()?;
    let own = data.modified().ok();
    if !data.is_dir() {
        return own;
    }
    fs::read_dir(path)
        .ok()?
        .filter_map(|entry| newest(&entry.ok()?.path()))
        .chain(own)
        .max()
}

fn write_synced<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(&serde_json::to_vec(value).map_err(io::Error::other)?)?;
    file.sync_all()
}

/// Removes a folder that holds nothing but empty folders and the list.
fn remove_if_empty(folder: &Path) {
    fn holds_a_file(folder: &Path) -> bool {
        fs::read_dir(folder).is_ok_and(|entries| {
            entries.filter_map(Result::ok).any(|entry| {
                let path = entry.path();
                !path.is_dir() || path.is_symlink() || holds_a_file(&path)
            })
        })
    }
    let holds = fs::read_dir(folder).is_ok_and(|entries| {
        entries.filter_map(Result::ok).any(|entry| {
            let path = entry.path();
            let is_list = entry.file_name() == LIST || entry.file_name() == TOLD;
            if path.is_dir() && !path.is_symlink() {
                holds_a_file(&path)
            } else {
                !is_list
            }
        })
    });
    if !holds {
        let _ = fs::remove_dir_all(folder);
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::ProjectUnwritable { path, source }
}

fn save(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Save { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::contract::Contract;

    const CONTRACT: &str = r#"
        [[output]]
        path = "out/*.jsonl"
        [resume]
        state = ["out", "progress.json"]
    "#;

    fn agreed(folder: &Path) -> Agreed {
        Agreed {
            contract: Contract::from_toml(CONTRACT).unwrap(),
            folder: folder.to_path_buf(),
            text: CONTRACT.to_owned(),
        }
    }

    fn project(folder: &Path) -> Project {
        let own = folder.join(FOLDER);
        fs::create_dir_all(&own).unwrap();
        Project {
            _lock: File::create(own.join("lock")).unwrap(),
            folder: own,
        }
    }

    #[test]
    fn what_lay_there_comes_back_and_what_was_left_is_kept() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        fs::create_dir(folder.join("out")).unwrap();
        fs::write(folder.join("out/a.jsonl"), "mine").unwrap();
        fs::write(folder.join("out/other"), "mine too").unwrap();
        fs::write(folder.join("progress.json"), "7").unwrap();
        let agreed = agreed(folder);
        let aside = project(folder).set_aside(&agreed, "one").unwrap();
        assert!(!folder.join("out").exists() && !folder.join("progress.json").exists());
        fs::create_dir(folder.join("out")).unwrap();
        fs::write(folder.join("out/a.jsonl"), "the run's").unwrap();
        let left = aside.put_back().unwrap().unwrap();
        assert_eq!(
            fs::read_to_string(left.join("out/a.jsonl")).unwrap(),
            "the run's"
        );
        assert_eq!(
            fs::read_to_string(folder.join("out/a.jsonl")).unwrap(),
            "mine"
        );
        assert_eq!(
            fs::read_to_string(folder.join("out/other")).unwrap(),
            "mine too"
        );
        assert_eq!(
            fs::read_to_string(folder.join("progress.json")).unwrap(),
            "7"
        );
    }

    #[test]
    fn files_named_like_our_own_come_back_as_they_were() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        let text = "[[output]]\npath = \"o.jsonl\"\n[resume]\nstate = [\"list.json\", \"left\", \"files\"]";
        let agreed = Agreed {
            contract: Contract::from_toml(text).unwrap(),
            folder: folder.to_path_buf(),
            text: text.to_owned(),
        };
        fs::write(folder.join("list.json"), "mine").unwrap();
        fs::create_dir(folder.join("left")).unwrap();
        fs::write(folder.join("left/told.json"), "mine").unwrap();
        fs::write(folder.join("files"), "mine").unwrap();
        let aside = project(folder).set_aside(&agreed, "one").unwrap();
        assert!(!folder.join("list.json").exists());
        fs::create_dir(folder.join("left")).unwrap();
        fs::write(folder.join("left/list.json"), "the run's").unwrap();
        let left = aside.put_back().unwrap().unwrap();
        assert!(left.join("left/list.json").is_file());
        for name in ["list.json", "left/told.json", "files"] {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine");
        }
        assert_eq!(fs::read_dir(folder.join("left")).unwrap().count(), 1);
    }

    #[test]
    fn the_project_itself_is_never_set_aside() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        fs::write(folder.join("mine"), "mine").unwrap();
        for state in [".", "..", "/", "./", FOLDER, ".firstfault/aside"] {
            let text = format!("[[output]]\npath = \"o.jsonl\"\n[resume]\nstate = [\"{state}\"]");
            let agreed = Agreed {
                contract: Contract::from_toml(&text).unwrap(),
                folder: folder.to_path_buf(),
                text,
            };
            let project = project(folder);
            let refused = project.set_aside(&agreed, "one");
            assert!(matches!(refused, Err(Error::OwnFolder { .. })), "{state}");
            assert!(!project.folder.join(ASIDE).join("one").exists());
        }
        assert_eq!(fs::read_to_string(folder.join("mine")).unwrap(), "mine");
    }

    #[test]
    fn the_next_start_puts_back_what_a_killed_one_had_set_aside() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        fs::write(folder.join("progress.json"), "7").unwrap();
        let project = project(folder);
        std::mem::forget(project.set_aside(&agreed(folder), "one").unwrap());
        // The killed run was seen alive after it had written this.
        fs::write(folder.join("progress.json"), "1").unwrap();
        fs::create_dir_all(project.folder.join("attempts/x")).unwrap();
        fs::write(project.folder.join("attempts/x").join(launch::ALIVE), "").unwrap();
        let mut notes = Vec::new();
        project.recover(&mut notes).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join("progress.json")).unwrap(),
            "7"
        );
        let [Note::LeftOver(left), Note::PutBack(1)] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert_eq!(fs::read_to_string(left).unwrap(), "1");
        notes.clear();
        project.recover(&mut notes).unwrap();
        assert!(notes.is_empty());
    }

    #[test]
    fn what_a_killed_run_wrote_where_nothing_had_been_is_taken_away() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        let project = project(folder);
        std::mem::forget(project.set_aside(&agreed(folder), "one").unwrap());
        fs::write(folder.join("progress.json"), "1").unwrap();
        fs::create_dir_all(project.folder.join("attempts/x")).unwrap();
        fs::write(project.folder.join("attempts/x").join(launch::ALIVE), "").unwrap();
        let mut notes = Vec::new();
        project.recover(&mut notes).unwrap();
        assert!(!folder.join("progress.json").exists());
        let [Note::LeftOver(left)] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert_eq!(fs::read_to_string(left.join("progress.json")).unwrap(), "1");
    }

    #[test]
    fn a_file_that_was_written_after_the_kill_keeps_its_place() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        fs::write(folder.join("progress.json"), "7").unwrap();
        let project = project(folder);
        std::mem::forget(project.set_aside(&agreed(folder), "one").unwrap());
        fs::write(folder.join("progress.json"), "9").unwrap();
        let mut notes = Vec::new();
        project.recover(&mut notes).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join("progress.json")).unwrap(),
            "9"
        );
        let [Note::KeptAside(aside)] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert_eq!(
            fs::read_to_string(aside.join("progress.json")).unwrap(),
            "7"
        );
    }

    #[test]
    fn names_that_lead_outside_stay_inside() {
        assert_eq!(
            below(Path::new("/a"), Path::new("/a/b/c")),
            Path::new("b/c")
        );
        assert_eq!(
            below(Path::new("/a"), Path::new("/x/y")),
            Path::new("_root/x/y")
        );
        assert_eq!(
            below(Path::new("/a"), Path::new("/a/../y")),
            Path::new("_up/y")
        );
    }
}

//! Files and folders moved as a whole: whatever ends the process meanwhile, what stands under a name is whole, and nothing is
//! removed before its copy is.

use std::ffi::OsString;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};

/// Ends the name of what may be removed at any time: a copy that is not whole, or what was copied as a whole and is being removed.
const PART: &str = ".firstfault-part";

/// Moves a file or folder, also to another file system. Links stay links, and times of writing stay as they were.
///
/// # Errors
/// What the system says. Then all of it is still where it was.
pub(super) fn relocate(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => across(from, to),
        other => other,
    }
}

fn across(from: &Path, to: &Path) -> io::Result<()> {
    let (copy, old) = (part(to)?, part(from)?);
    remove(&copy)?;
    remove(&old)?;
    let copied = copy_tree(from, &copy, Links::Stay).and_then(|()| fs::rename(&copy, to));
    if let Err(error) = copied {
        let _ = remove(&copy);
        return Err(error);
    }
    if let Err(error) = fs::rename(from, &old) {
        let _ = remove(to);
        return Err(error);
    }
    // The copy is whole and in its place: what can't be removed of the old one is no loss.
    let _ = remove(&old);
    Ok(())
}

/// Removes what a killed process left of a move between these two.
pub(super) fn remove_parts(one: &Path, other: &Path) {
    for path in [one, other] {
        let _ = part(path).and_then(|part| remove(&part));
    }
}

/// The name beside, in the same folder and so on the same file system.
fn part(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(PART);
    Ok(path.with_file_name(hidden))
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// What becomes of links in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Links, as they are.
    Stay,
    /// What they point at.
    Follow,
}

/// Copies a file or folder with its times.
///
/// # Errors
/// What the system says, and whatever is neither file nor folder nor link: reading a pipe could wait for ever.
pub(super) fn copy_tree(from: &Path, to: &Path, links: Links) -> io::Result<()> {
    let data = match links {
        Links::Stay => fs::symlink_metadata(from)?,
        Links::Follow => fs::metadata(from)?,
    };
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if data.is_symlink() {
        return copy_link(from, to);
    }
    if data.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), links)?;
        }
    } else if data.is_file() {
        fs::copy(from, to)?;
    } else {
        return Err(io::ErrorKind::Unsupported.into());
    }
    keep_times(&data, to)?;
    keep_owner(&data, to);
    fs::set_permissions(to, data.permissions())
}

/// A copy that looks newer than it is would be taken for another file.
fn keep_times(data: &fs::Metadata, to: &Path) -> io::Result<()> {
    let mut times = FileTimes::new();
    if let Ok(modified) = data.modified() {
        times = times.set_modified(modified);
    }
    if let Ok(accessed) = data.accessed() {
        times = times.set_accessed(accessed);
    }
    let copy = File::open(to)?;
    copy.sync_all()?;
    copy.set_times(times)
}

/// Only root may give files away; everybody else's copies are their own already.
#[cfg(unix)]
fn keep_owner(data: &fs::Metadata, to: &Path) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::lchown(to, Some(data.uid()), Some(data.gid()));
}

#[cfg(not(unix))]
const fn keep_owner(_: &fs::Metadata, _: &Path) {}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn copy_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_folder_arrives_whole_with_its_times_and_links() {
        let scene = tempfile::tempdir().unwrap();
        let (from, to) = (scene.path().join("from"), scene.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::write(from.join("a"), "mine").unwrap();
        let earlier = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
        let file = File::options().write(true).open(from.join("a")).unwrap();
        file.set_modified(earlier).unwrap();
        std::os::unix::fs::symlink("a", from.join("link")).unwrap();
        // What a killed process had left of its copy.
        let torn = scene.path().join(".to.firstfault-part");
        fs::write(&torn, "mi").unwrap();
        across(&from, &to).unwrap();
        assert!(!from.exists() && !torn.exists());
        assert_eq!(fs::read_to_string(to.join("link")).unwrap(), "mine");
        assert!(to.join("link").is_symlink());
        let data = fs::metadata(to.join("a")).unwrap();
        assert_eq!(data.modified().unwrap(), earlier);
        assert_eq!(fs::read_dir(scene.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_copied_as_a_whole_stays_where_it_was() {
        let scene = tempfile::tempdir().unwrap();
        let (from, to) = (scene.path().join("from"), scene.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::write(from.join("a"), "mine").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            from.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(across(&from, &to).is_err());
        assert_eq!(fs::read_to_string(from.join("a")).unwrap(), "mine");
        assert_eq!(fs::read_dir(scene.path()).unwrap().count(), 1);
    }
}

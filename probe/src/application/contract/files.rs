//! Which files a contract means, and whether this run wrote them.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::points::Word;

/// The most files that one pattern may name.
const MAX_FILES: usize = 1_000_000;
/// Clocks of file systems are a timer's tick behind.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// The files of some patterns.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Written by this run, sorted by name.
    pub(super) fresh: Vec<PathBuf>,
    /// What can't count, and why.
    pub(super) unfit: Vec<(PathBuf, Word)>,
}

impl Found {
    /// Why not all is there.
    pub(super) fn problem(&self) -> Option<Word> {
        self.unfit.first().map(|(_, word)| *word)
    }
}

/// Looks for the files of `patterns` in `folder`. Those that were last written before `since` don't count.
pub(super) fn find(folder: &Path, patterns: &[String], since: Option<SystemTime>) -> Found {
    let mut found = Found::default();
    for pattern in patterns {
        let (paths, unread) = expand(folder, pattern);
        if paths.is_empty() && unread.is_empty() {
            found.unfit.push((folder.join(pattern), Word::Missing));
        }
        found.unfit.extend(unread);
        for path in paths {
            match judge(&path, since) {
                Ok(()) => found.fresh.push(path),
                Err(word) => found.unfit.push((path, word)),
            }
        }
    }
    found.fresh.sort();
    // Two patterns may name the same file, which must not count twice.
    found.fresh.dedup();
    found
}

pub(crate) fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    expand(folder, pattern).0
}

/// What a pattern names, and what can't be looked at: nothing may be left out in silence.
fn expand(folder: &Path, pattern: &str) -> (Vec<PathBuf>, Vec<(PathBuf, Word)>) {
    let plain = folder.join(pattern);
    // A name that is there counts as it stands, brackets and all.
    if !pattern.contains(['*', '?', '[']) || plain.symlink_metadata().is_ok() {
        return (vec![plain], Vec::new());
    }
    let folder = glob::Pattern::escape(&folder.to_string_lossy());
    let whole = if Path::new(pattern).is_absolute() {
        pattern.to_owned()
    } else {
        format!("{folder}/{pattern}")
    };
    let options = glob::MatchOptions {
        require_literal_leading_dot: true,
        require_literal_separator: true,
        ..glob::MatchOptions::new()
    };
    let mut paths = Vec::new();
    let mut unread = Vec::new();
    for entry in glob::glob_with(&whole, options).into_iter().flatten() {
        match entry {
            Ok(_) if paths.len() >= MAX_FILES => {
                unread.push((plain, Word::TooLong));
                break;
            }
            Ok(path) => paths.push(path),
            Err(error) => unread.push((error.path().to_path_buf(), Word::Unreadable)),
        }
    }
    (paths, unread)
}

fn judge(path: &Path, since: Option<SystemTime>) -> Result<(), Word> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Word::Missing,
        _ => Word::Unreadable,
    })?;
    if !metadata.is_file() {
        return Err(Word::NotAFile);
    }
    if since.is_some_and(|since| !written_since(&metadata, since)) {
        return Err(Word::OlderThanRun);
    }
    if metadata.len() == 0 {
        return Err(Word::Empty);
    }
    Ok(())
}

/// Some file systems keep whole seconds only, and even ones at that.
fn written_since(metadata: &Metadata, since: SystemTime) -> bool {
    let is_since = |time: SystemTime| {
        let whole = time
            .duration_since(SystemTime::UNIX_EPOCH)
            .is_ok_and(|age| age.subsec_nanos() == 0);
        let tolerance = if whole { Duration::from_secs(2) } else { TICK };
        time + tolerance >= since
    };
    metadata.modified().is_ok_and(is_since) && changed(metadata).is_none_or(is_since)
}

/// When the system last saw a change. The time of writing can be set ahead, by `touch` or from an archive; this one can't.
/// None where it isn't kept.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).ok().filter(|at| *at > 0)?;
    let parts = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, parts))
}

#[cfg(not(unix))]
const fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}

/// Opens a file that was judged; a pipe that took its place meanwhile is not waited for.
///
/// # Errors
/// What the system says.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let no_waiting = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(no_waiting.cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &Found) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        found.fresh.iter().map(name).collect()
    }

    #[test]
    fn patterns_gather_the_files_of_all_ranks_each_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rank1.jsonl", "rank0.jsonl", "log.txt", "[0].jsonl"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("rank2.jsonl")).unwrap();
        let patterns = ["rank*.jsonl", "rank0.jsonl", "[0].jsonl", "none*"].map(str::to_owned);
        let found = find(folder.path(), &patterns, None);
        assert_eq!(names(&found), ["[0].jsonl", "rank0.jsonl", "rank1.jsonl"]);
        let problems: Vec<Word> = found.unfit.iter().map(|(_, word)| *word).collect();
        assert_eq!(problems, [Word::NotAFile, Word::Missing]);
    }

    #[test]
    fn what_this_run_did_not_write_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        fs::write(&path, "x").unwrap();
        let patterns = ["out.jsonl".to_owned()];
        let now = SystemTime::now();
        assert_eq!(find(folder.path(), &patterns, Some(now)).problem(), None);
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_millis(100)).unwrap();
        let found = find(folder.path(), &patterns, Some(now));
        assert_eq!(found.problem(), Some(Word::OlderThanRun));
        assert_eq!(find(folder.path(), &patterns, None).problem(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_time_that_was_set_ahead_makes_no_old_file_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        fs::write(&path, "x").unwrap();
        let later = SystemTime::now() + Duration::from_secs(3600);
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(later).unwrap();
        std::thread::sleep(4 * TICK);
        let patterns = ["out.jsonl".to_owned()];
        let found = find(folder.path(), &patterns, Some(SystemTime::now()));
        assert_eq!(found.problem(), Some(Word::OlderThanRun));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_file_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let found = find(folder.path(), &["pipe".to_owned()], None);
        assert_eq!(found.problem(), Some(Word::NotAFile));
        assert!(open(&path).is_err());
    }
}

//! Which files a contract means, and whether this run wrote them.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::points::Word;

/// The most files that one pattern may name.
const MAX_FILES: usize = 100_000;
/// Clocks of file systems are a timer's tick behind.
const TICK: Duration = Duration::from_millis(20);

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
        let paths = matching(folder, pattern);
        if paths.is_empty() {
            found.unfit.push((folder.join(pattern), Word::Missing));
        }
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
    let plain = folder.join(pattern);
    // A name that is there counts as it stands, brackets and all.
    if !pattern.contains(['*', '?', '[']) || plain.symlink_metadata().is_ok() {
        return vec![plain];
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
    glob::glob_with(&whole, options)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .take(MAX_FILES)
        .collect()
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
    let Ok(modified) = metadata.modified() else {
        return false;
    };
    let whole = modified
        .duration_since(SystemTime::UNIX_EPOCH)
        .is_ok_and(|age| age.subsec_nanos() == 0);
    let tolerance = if whole { Duration::from_secs(2) } else { TICK };
    modified + tolerance >= since
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

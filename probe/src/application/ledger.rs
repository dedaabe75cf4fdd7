//! What a sweep or a proof of stop and resume has finished so far: one JSON line for each, on disk before the next one begins,
//! so that it can go on where it was stopped, by whatever signal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

/// No record of ours is longer, and reading one that is no file could wait for ever.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A record that grows.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens the record of `kind` for exactly this work, and gives what it already holds; with `fresh` that is put away. What
    /// `work` says of it (command, contract, versions) tells one work from another.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn open<W: Serialize, T: DeserializeOwned>(
        project: &Path,
        kind: &str,
        work: &W,
        fresh: bool,
    ) -> io::Result<(Self, Vec<T>)> {
        let folder = project.join(kind);
        fs::create_dir_all(&folder)?;
        let digest = Sha256::digest(serde_json::to_vec(work).map_err(io::Error::other)?);
        let name: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let path = folder.join(format!("{name}.jsonl"));
        let is_ours = |data: &fs::Metadata| data.is_file() && data.len() <= MAX_BYTES;
        let strange = fs::symlink_metadata(&path).is_ok_and(|data| !is_ours(&data));
        if fresh || strange {
            put_away(&path)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // A line that was torn by the end of the process never counted.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        let finished: Result<Vec<T>, _> = bytes[..whole]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(serde_json::from_slice)
            .collect();
        match finished {
            Ok(finished) => Ok((Self { file, path }, finished)),
            // Another version wrote it: its steps are no steps of this one.
            Err(_) if !fresh => Self::open(project, kind, work, true),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Adds what was finished; when this returns, it is on disk.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn add<T: Serialize>(&mut self, item: &T) -> io::Result<()> {
        let mut line = serde_json::to_vec(item).map_err(io::Error::other)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()
    }

    /// The whole was finished: the next start begins anew.
    ///
    /// # Errors
    /// When the record can't be put away.
    pub(crate) fn finish(self) -> io::Result<()> {
        put_away(&self.path)
    }
}

/// Keeps the last record beside, for whoever looks.
fn put_away(path: &Path) -> io::Result<()> {
    match fs::rename(path, path.with_extension("last.jsonl")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_again_and_a_torn_line_is_not() {
        let project = tempfile::tempdir().unwrap();
        let open = |fresh| Ledger::open::<_, u32>(project.path(), "sweeps", &"w", fresh).unwrap();
        let (mut ledger, so_far) = open(false);
        assert!(so_far.is_empty());
        ledger.add(&1_u32).unwrap();
        ledger.add(&2_u32).unwrap();
        ledger.file.write_all(b"3").unwrap();
        drop(ledger);
        let (mut ledger, so_far) = open(false);
        assert_eq!(so_far, [1, 2]);
        ledger.add(&4_u32).unwrap();
        drop(ledger);
        let (ledger, so_far) = open(false);
        assert_eq!(so_far, [1, 2, 4]);
        ledger.finish().unwrap();
        assert!(open(false).1.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_put_away_and_not_waited_for() {
        let project = tempfile::tempdir().unwrap();
        let open = || Ledger::open::<_, u32>(project.path(), "sweeps", &"w", false).unwrap();
        let path = open().0.path;
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let (mut ledger, so_far) = open();
        assert!(so_far.is_empty());
        ledger.add(&1_u32).unwrap();
        assert_eq!(open().1, [1]);
    }

    #[test]
    fn other_work_has_another_record_and_fresh_begins_anew() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path();
        Ledger::open::<_, u32>(folder, "sweeps", &"a", false)
            .unwrap()
            .0
            .add(&1_u32)
            .unwrap();
        let other: Vec<u32> = Ledger::open(folder, "sweeps", &"b", false).unwrap().1;
        let fresh: Vec<u32> = Ledger::open(folder, "sweeps", &"a", true).unwrap().1;
        assert!(other.is_empty() && fresh.is_empty());
    }
}

//! Files: their digests, stamps that say what something was made from, and writing without halves.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::Error;

/// A digest over names and contents, in the order in which they are added.
#[derive(Default)]
pub(crate) struct Contents(Sha256);

impl Contents {
    /// Adds text.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.add(text.as_bytes());
        self
    }

    /// Adds a file, or every file of a folder, apart from folders named in `without`.
    pub(crate) fn path(mut self, path: &Path, without: &[&str]) -> Result<Self, Error> {
        let mut files = Vec::new();
        collect(path, without, &mut files)?;
        files.sort();
        for file in files {
            self.add(
                file.strip_prefix(path)
                    .unwrap_or(&file)
                    .to_string_lossy()
                    .as_bytes(),
            );
            self.add(&fs::read(&file).map_err(Error::file("read", &file))?);
        }
        Ok(self)
    }

    /// The digest as text.
    pub(crate) fn digest(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    fn add(&mut self, bytes: &[u8]) {
        // The length keeps "ab" + "c" and "a" + "bc" apart.
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

fn collect(path: &Path, without: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Error> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(Error::file("read", path))? {
        let entry = entry.map_err(Error::file("read", path))?.path();
        let name = entry
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !without.contains(&name.as_str()) {
            collect(&entry, without, files)?;
        }
    }
    Ok(())
}

/// Says what something was made from. It is written last, so that something half-made has none.
pub(crate) struct Stamp(PathBuf);

impl Stamp {
    /// The stamp in this file.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Whether the thing was made from exactly this.
    pub(crate) fn says(&self, content: &str) -> bool {
        fs::read_to_string(&self.0).is_ok_and(|found| found == content)
    }

    /// Says that the thing is complete.
    pub(crate) fn write(&self, content: &str) -> Result<(), Error> {
        write_whole(&self.0, content.as_bytes())
    }
}

/// Writes a file so that it is there completely or not at all, and its folder where that is missing.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(Error::file("write", path))?;
    file.write_all(content)
        .map_err(Error::file("write", path))?;
    set_readable(file.path())?;
    file.persist(path).map_err(|error| Error::File {
        action: "write",
        path: path.to_owned(),
        source: error.error,
    })?;
    Ok(())
}

/// Temporary files are private to their owner; what is built here is not.
#[cfg(unix)]
fn set_readable(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).map_err(Error::file("write", path))
}

#[cfg(not(unix))]
fn set_readable(_path: &Path) -> Result<(), Error> {
    Ok(())
}

/// Removes a file or a folder; that there is none is fine.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let result = if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_names_contents_and_borders_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let digest = || {
            Contents::default()
                .path(folder.path(), &["dist"])
                .expect("readable")
                .digest()
        };
        fs::write(folder.path().join("a"), "1").expect("written");
        let first = digest();
        fs::write(folder.path().join("a"), "2").expect("written");
        let second = digest();
        fs::rename(folder.path().join("a"), folder.path().join("b")).expect("renamed");
        let third = digest();
        fs::create_dir(folder.path().join("dist")).expect("created");
        fs::write(folder.path().join("dist/c"), "3").expect("written");
        assert_ne!(first, second);
        assert_ne!(second, third);
        assert_eq!(third, digest(), "an excluded folder does not count");
        assert_ne!(
            Contents::default().text("ab").text("c").digest(),
            Contents::default().text("a").text("bc").digest()
        );
    }

    #[test]
    fn a_stamp_knows_only_what_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let stamp = Stamp::at(folder.path().join("deep/stamp"));
        assert!(!stamp.says("1"));
        stamp.write("1").expect("written");
        assert!(stamp.says("1"));
        assert!(!stamp.says("2"));
    }
}

//! Files that are written for people: exclusively, and completely or not at all.

use std::fs::Permissions;
use std::io::{self, Write as _};
use std::path::Path;

/// Creates `path` with `bytes` in it. Readers see the whole file or none; an existing file stays as it is.
///
/// # Errors
/// `AlreadyExists` when there is something, also when another process was faster; otherwise what the
/// operating system says. Nothing is left behind.
pub(crate) fn save_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".firstfault-").suffix(".part");
    #[cfg(unix)]
    {
        // The user's umask decides who may read a report.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut part = builder.tempfile_in(folder)?;
    part.write_all(bytes)?;
    part.as_file().sync_all()?;
    part.persist_noclobber(path).map_err(|error| error.error)?;
    #[cfg(unix)]
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_or_link_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        save_new(&path, b"first").unwrap();
        assert_eq!(
            save_new(&path, b"second").unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        #[cfg(unix)]
        {
            let link = folder.path().join("dangling");
            std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
            assert!(save_new(&link, b"x").is_err());
        }
        let names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(
            names
                .iter()
                .all(|name| !name.to_string_lossy().ends_with(".part")),
            "{names:?}"
        );
    }

    #[test]
    fn a_missing_folder_is_an_error_and_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/a.json");
        assert_eq!(
            save_new(&path, b"x").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(!folder.path().join("no").exists());
    }
}

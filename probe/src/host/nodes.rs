//! Device nodes, opened and closed again: asking for permission with `access` would miss what a control group denies.

use std::path::{Path, PathBuf};

/// The state of a node, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Openable,
    Denied,
    Failing,
}

/// The word for a state; a node that isn't there is `missing`.
pub(super) const fn word(state: Option<State>) -> &'static str {
    match state {
        None => "missing",
        Some(State::Openable) => "openable",
        Some(State::Denied) => "denied",
        Some(State::Failing) => "failing",
    }
}

/// Opens a node for reading and writing, as the driver's library does; none where it isn't there.
#[cfg(unix)]
pub(super) fn state(node: &Path) -> Option<State> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match rustix::fs::open(node, flags, Mode::empty()) {
        Ok(_) => Some(State::Openable),
        Err(Errno::NOENT | Errno::NOTDIR) => None,
        Err(Errno::ACCESS | Errno::PERM) => Some(State::Denied),
        Err(_) => Some(State::Failing),
    }
}

/// The same where the system has no such flags.
#[cfg(not(unix))]
pub(super) fn state(node: &Path) -> Option<State> {
    use std::io::ErrorKind;
    let opened = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(node);
    match opened.map_err(|error| error.kind()) {
        Ok(_) => Some(State::Openable),
        Err(ErrorKind::NotFound) => None,
        Err(ErrorKind::PermissionDenied) => Some(State::Denied),
        Err(_) => Some(State::Failing),
    }
}

/// The worst state among several nodes; none where there is none.
pub(super) fn worst(nodes: &[PathBuf]) -> Option<State> {
    nodes.iter().filter_map(|node| state(node)).max()
}

/// The nodes `<prefix><number>` in `folder`, in the order of their numbers.
pub(super) fn numbered(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    const MOST: usize = 256;
    let mut found: Vec<(u32, PathBuf)> = super::names_in(folder)
        .into_iter()
        .filter_map(|name| {
            let digits = name.to_str()?.strip_prefix(prefix)?;
            let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = all_digits.then(|| digits.parse().ok())??;
            Some((number, folder.join(name)))
        })
        .take(MOST)
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_missing_openable_or_failing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(word(state(&folder.path().join("nvidiactl"))), "missing");
        assert_eq!(word(state(Path::new("/dev/null"))), "openable");
        // A folder can't be opened for writing: an error that is no denial.
        assert_eq!(word(state(folder.path())), "failing");
    }

    #[test]
    fn only_numbered_nodes_count() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "nvidia10",
            "nvidia2",
            "nvidia-uvm",
            "nvidiactl",
            "nvidia",
            "nvidia0",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found: Vec<_> = numbered(folder.path(), "nvidia")
            .into_iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(found, ["nvidia0", "nvidia2", "nvidia10"]);
        assert_eq!(worst(&[]), None);
    }
}

//! `firstfault mark`: the marks of a shell script.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use super::marks::monotonic_ns;

/// Appends one mark to `file`. The process that it counts for is the script: both ends of a stage come from it.
pub(crate) fn write(file: &Path, event: &str, name: &str, kind: Option<&str>) -> io::Result<()> {
    let mut mark = serde_json::json!({
        "v": 1,
        "event": event,
        "pid": parent(),
        "stage": name,
    });
    if let (Some(members), Some(at)) = (mark.as_object_mut(), monotonic_ns()) {
        members.insert("t_ns".to_owned(), at.into());
    }
    if let (Some(members), Some(kind)) = (mark.as_object_mut(), kind) {
        members.insert("kind".to_owned(), kind.into());
    }
    // Whatever else took its place might never take a line.
    if std::fs::metadata(file).is_ok_and(|data| !data.is_file()) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // One call, so that processes never mix their lines.
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?
        .write_all(format!("{mark}\n").as_bytes())
}

#[cfg(unix)]
fn parent() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}

#[cfg(not(unix))]
const fn parent() -> i32 {
    0
}

//! What a run was asked for, kept in its attempt's folder on this machine so that `firstfault recheck` can ask for the same.
//! A report holds none of it: values of a command stay at home.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use firstfault_schema::report::Scalar;
use serde::{Deserialize, Serialize};

use super::project::FOLDER;
use super::settings::RunSettings;
use crate::settings::InterpreterWish;

const NAME: &str = "command.json";
/// No command line has more than this.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A run's own wishes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) command: Vec<String>,
    /// The Python that was named for the check.
    pub(crate) python: Option<PathBuf>,
    pub(crate) contract: Option<PathBuf>,
    /// Parameters that were declared on the command line; a program's own are not among them.
    pub(crate) parameters: BTreeMap<String, Scalar>,
    pub(crate) timeout_s: Option<u64>,
}

/// Keeps it for attempt `id` in the current folder's project. Where that can't be done, a recheck asks for the command.
pub(crate) fn keep(id: &str, settings: &RunSettings) {
    let words: Option<Vec<String>> = settings
        .command
        .iter()
        .map(|word| word.to_str().map(str::to_owned))
        .collect();
    // What is no text can't be kept as text.
    let Some(command) = words else {
        return;
    };
    let recorded = Recorded {
        command,
        python: match &settings.check.wish {
            InterpreterWish::Python(path) if settings.python_named => Some(path.clone()),
            _ => None,
        },
        contract: settings.contract.clone(),
        parameters: settings.check.parameters.clone(),
        timeout_s: settings.limit.map(|limit| limit.as_secs()),
    };
    let _ = write(&folder(id).join(NAME), &recorded);
}

/// What was kept for attempt `id`; none where it is gone. A used one is kept longer than others.
pub(crate) fn load(id: &str) -> Option<Recorded> {
    // Identifiers come from a file that somebody else may have written.
    if !is_identifier(id) {
        return None;
    }
    let folder = folder(id);
    let path = folder.join(NAME);
    let data = fs::symlink_metadata(&path).ok()?;
    if !data.is_file() || data.len() > MAX_BYTES || !is_own(&data) {
        return None;
    }
    let recorded: Recorded = serde_json::from_str(&fs::read_to_string(&path).ok()?).ok()?;
    if recorded.command.is_empty() {
        return None;
    }
    // The oldest folders are removed first, by the time of their last change.
    let mark = folder.join("rechecked");
    let _ = fs::remove_file(&mark);
    let _ = fs::write(&mark, "");
    Some(recorded)
}

/// Whether this user wrote it for itself alone. What came with somebody's repository or archive is never run.
#[cfg(unix)]
fn is_own(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o077 == 0
}

#[cfg(not(unix))]
const fn is_own(_data: &fs::Metadata) -> bool {
    true
}

/// Whether a text is 32 lower-case hexadecimal digits, as identifiers and salts are.
pub(crate) fn is_identifier(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 32 && text.bytes().all(digit)
}

impl Recorded {
    /// The command's words.
    pub(crate) fn words(&self) -> Vec<OsString> {
        self.command.iter().map(OsString::from).collect()
    }
}

fn folder(id: &str) -> PathBuf {
    Path::new(FOLDER).join("attempts").join(id)
}

fn write(path: &Path, recorded: &Recorded) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)?
        .write_all(&serde_json::to_vec(recorded).map_err(io::Error::other)?)
}

//! Why a task could not be done. Fields first; the sentences stand here alone.

use std::io;
use std::path::{Path, PathBuf};

/// Why a task could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A program is not there or can't be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Name of the program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// A step ended badly.
    #[error("{title}: failed ({status})")]
    Step {
        /// What the step did.
        title: String,
        /// How it ended.
        status: String,
        /// The last lines of its output.
        tail: Vec<String>,
        /// Where all of its output is.
        log: PathBuf,
        /// What to do about it, where that is known.
        remedy: Option<String>,
    },
    /// The system lacks something that can't be installed from here.
    #[error("missing: {what} ({why})")]
    Missing {
        /// What is missing.
        what: String,
        /// What it is wanted for.
        why: String,
        /// The one line to type.
        line: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A program answered something unexpected.
    #[error("{program}: unexpected answer: {answer}")]
    Answer {
        /// Name of the program.
        program: String,
        /// What it answered.
        answer: String,
    },
    /// The page could not be made from the compiled viewer.
    #[error("cannot make the page: {problem}")]
    Page {
        /// What went wrong.
        problem: String,
    },
    /// `firstfault` ended in a way that is not a finding.
    #[error("firstfault {arguments}: {problem}")]
    Program {
        /// What it was asked.
        arguments: String,
        /// How it ended.
        problem: String,
    },
    /// Tests failed, or none ran.
    #[error("tests: {problem}")]
    Tests {
        /// Which runner, and what is wrong.
        problem: String,
    },
    /// Rows of the fault bench are wrong.
    #[error("{wrong} of {rows} rows of the fault bench are wrong")]
    Faults {
        /// How many are wrong.
        wrong: usize,
        /// How many there are.
        rows: usize,
    },
    /// A measured value is over its limit.
    #[error("over the limit: {rows}")]
    OverLimit {
        /// Names of the measurements.
        rows: String,
    },
}

impl Error {
    /// For `map_err`: a file that could not be read, written, and so on.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }

    /// What to do about it, where something is known to help.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Start { program, .. } => {
                Some(format!("install {program}, or put its folder on PATH"))
            }
            Self::Step { remedy, .. } => remedy.clone(),
            Self::Missing { line, .. } => Some(format!("type: {line}")),
            Self::File { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("make room on the disk and run the command again".to_owned())
            }
            Self::OverLimit { .. } => Some(
                "measure again on a quiet machine with more --pairs before believing it".to_owned(),
            ),
            Self::File { .. }
            | Self::Answer { .. }
            | Self::Page { .. }
            | Self::Program { .. }
            | Self::Tests { .. }
            | Self::Faults { .. } => None,
        }
    }
}

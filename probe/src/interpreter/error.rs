//! Why no interpreter could be settled on.

use std::path::{Path, PathBuf};

/// Why no interpreter could be settled on. Fields, not sentences: the printer words them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleError {
    /// Nothing is at this path.
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// A link that leads nowhere, as in an environment whose base Python was removed.
    BrokenLink {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A folder.
    IsFolder {
        /// The folder.
        path: PathBuf,
        /// The Python of the environment that it is; none where it holds none.
        inside: Option<PathBuf>,
    },
    /// Neither a folder nor a file that this user may execute.
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// The path can't be looked at.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system answered.
        kind: std::io::ErrorKind,
    },
    /// No folder on PATH holds this name.
    NotOnSearchPath {
        /// The name.
        name: String,
    },
    /// No active environment, and neither `python3` nor `python` on PATH.
    NoneFound,
    /// A shim of pyenv whose wanted versions hold no such Python.
    ShimWithoutVersion {
        /// The shim.
        path: PathBuf,
        /// The wanted versions.
        versions: Vec<String>,
    },
    /// No Jupyter kernel has this name.
    NoKernel {
        /// The name.
        name: String,
        /// The kernels that are there.
        known: Vec<String>,
    },
    /// The kernel's description can't be used.
    BadKernel {
        /// Its `kernel.json`.
        path: PathBuf,
        /// Why.
        problem: KernelProblem,
    },
    /// The process can't be used.
    Process {
        /// Its number.
        pid: u32,
        /// Why.
        problem: ProcessProblem,
    },
}

/// Why a kernel's description can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelProblem {
    /// `kernel.json` can't be read, or is no description of a kernel.
    Unreadable,
    /// It is for another language.
    OtherLanguage,
    /// It starts another program, which starts Python in its turn.
    Wrapped,
}

/// Why a process can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessProblem {
    /// This system has no way to look at one.
    Unsupported,
    /// There is none with this number.
    Missing,
    /// It belongs to another user.
    OtherUser {
        /// That user's number.
        uid: u32,
    },
    /// It lives in another container, or sees other files.
    OtherNamespace,
    /// It isn't a Python program.
    NoPython,
    /// Its interpreter was replaced on disk since it was started.
    Replaced,
    /// Which interpreter it was started with can't be proven.
    Unresolved,
    /// It overwrote the variables that it was started with.
    VariablesOverwritten,
    /// It may not be looked at.
    Denied,
}

impl SettleError {
    /// A short name in kebab-case, for the text that explains it.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not-found",
            Self::BrokenLink { .. } => "broken-link",
            Self::IsFolder { .. } => "is-folder",
            Self::NotExecutable { .. } => "not-executable",
            Self::Unreadable { .. } => "unreadable",
            Self::NotOnSearchPath { .. } => "not-on-search-path",
            Self::NoneFound => "none-found",
            Self::ShimWithoutVersion { .. } => "shim-without-version",
            Self::NoKernel { .. } => "no-kernel",
            Self::BadKernel { problem, .. } => match problem {
                KernelProblem::Unreadable => "kernel-unreadable",
                KernelProblem::OtherLanguage => "kernel-other-language",
                KernelProblem::Wrapped => "kernel-wrapped",
            },
            Self::Process { problem, .. } => match problem {
                ProcessProblem::Unsupported => "process-unsupported",
                ProcessProblem::Missing => "process-missing",
                ProcessProblem::OtherUser { .. } => "process-other-user",
                ProcessProblem::OtherNamespace => "process-other-namespace",
                ProcessProblem::NoPython => "process-no-python",
                ProcessProblem::Replaced => "process-replaced",
                ProcessProblem::Unresolved => "process-unresolved",
                ProcessProblem::VariablesOverwritten => "process-variables-overwritten",
                ProcessProblem::Denied => "process-denied",
            },
        }
    }

    /// The path that it is about; none where it is about no path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::NotFound { path }
            | Self::BrokenLink { path, .. }
            | Self::IsFolder { path, .. }
            | Self::NotExecutable { path }
            | Self::Unreadable { path, .. }
            | Self::ShimWithoutVersion { path, .. }
            | Self::BadKernel { path, .. } => Some(path),
            Self::NotOnSearchPath { .. }
            | Self::NoneFound
            | Self::NoKernel { .. }
            | Self::Process { .. } => None,
        }
    }

    /// What it is about, for people: a path, a name or a number; none where it is about nothing by name.
    pub fn subject(&self) -> Option<String> {
        match self {
            Self::NotOnSearchPath { name } | Self::NoKernel { name, .. } => Some(name.clone()),
            Self::Process { pid, .. } => Some(pid.to_string()),
            _ => self.path().map(|path| path.display().to_string()),
        }
    }

    /// Whether this is a finding about a Python (a report with INTERPRETER_FAILED) rather than a wish that names
    /// no Python at all (a usage error).
    pub const fn is_finding(&self) -> bool {
        !matches!(
            self,
            Self::NoKernel { .. } | Self::BadKernel { .. } | Self::Process { .. }
        )
    }

    /// The value of the fact `interpreter_start`; none where no start was meant.
    pub const fn start_fact(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. }
            | Self::BrokenLink { .. }
            | Self::NotOnSearchPath { .. }
            | Self::NoneFound
            | Self::ShimWithoutVersion { .. } => Some("not_found"),
            Self::IsFolder { .. } | Self::NotExecutable { .. } | Self::Unreadable { .. } => {
                Some("not_executable")
            }
            Self::NoKernel { .. } | Self::BadKernel { .. } | Self::Process { .. } => None,
        }
    }
}

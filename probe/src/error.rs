//! Errors: what could not be done, as fields. The printer words them and brings the remedy.

use std::io;
use std::path::PathBuf;

use firstfault_schema::ReportError;

/// Why a command ended without its result. A worker that fails is no error but data.
#[derive(Debug)]
pub(crate) enum Error {
    /// An argument can't be used.
    Usage(UsageProblem),
    /// A file that was named can't be read.
    ReadInput {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that was named is no report that can be read.
    NoReport {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReportError,
    },
    /// A file could not be written where it was asked for.
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A log that is larger than any that is read.
    LogTooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// This build carries no page.
    PageNotBuilt,
    /// The page would not hold what it was given.
    PageFailed {
        /// Why.
        problem: String,
    },
    /// The interpreter of a running program or kernel can't be taken.
    Interpreter {
        /// Why.
        problem: crate::interpreter::SettleError,
    },
    /// The libtorch engine was asked for and can't work.
    NoLibtorch {
        /// This installation has the worker; what is missing is a libtorch.
        built: bool,
    },
    /// A contract that can't be used.
    Contract {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: crate::application::contract::ContractError,
    },
    /// No contract was named and none is there, where nothing can be proven without one.
    NoContract,
    /// The time of the whole was used up before anything could be measured.
    BudgetTooShort,
    /// Nothing can be written in the folder of the project.
    ProjectUnwritable {
        /// What could not be made there.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process works in this project.
    ProjectBusy,
    /// What the command wrote before can't be set aside.
    SetAside {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The contract names this program's own folder, or what holds it, as the command's.
    OwnFolder {
        /// What it names.
        path: PathBuf,
    },
    /// The contract names nothing that a continued run could be held against.
    NothingToCompare,
    /// The command writes its outputs through a link, so that one run would write over the other's.
    LinkedOutput {
        /// The link.
        path: PathBuf,
    },
    /// A baseline that can't be attempted again.
    Recheck(RecheckProblem),
    /// Standard output could not be written.
    Print {
        /// Why.
        source: io::Error,
    },
    /// Ctrl-C.
    Interrupted,
}

/// Why a baseline can't be attempted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecheckProblem {
    /// Its identifier is none of this program's.
    BadIdentifier,
    /// It is a sweep or a proof of stop and resume.
    OtherKind,
    /// It is a run, its command was not given, and what was kept of it is gone.
    NoCommand,
    /// It is a check, and a command was given.
    CommandForCheck,
    /// It is a check, and a contract or a time limit of a command was given.
    ContractForCheck,
}

/// What is wrong with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageProblem {
    /// `--set` without `=`, or with an impossible name.
    Parameter,
    /// More than 64 parameters, more than 12 KiB of them, or one of them twice.
    Parameters,
    /// Longer than 120 characters.
    TooLong,
    /// Empty, or with control characters.
    NotPlain,
    /// Looks like a path.
    LooksLikePath,
    /// Looks like a password, token, key or e-mail address, or is the value of a variable.
    LooksSecret,
    /// `--device-index` without a GPU.
    IndexWithoutGpu,
    /// `--axis` that names no values.
    Axis,
    /// Values of an axis that do not increase.
    AxisOrder,
    /// A command that does not say where the value of the axis goes.
    AxisNotInCommand,
}

impl Error {
    /// The exit number: the one place where errors become numbers.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::ReadInput { .. }
            | Self::NoReport { .. }
            | Self::Interpreter { .. }
            | Self::NoLibtorch { .. }
            | Self::Contract { .. }
            | Self::NoContract
            | Self::Recheck(_)
            | Self::BudgetTooShort
            | Self::ProjectBusy
            | Self::SetAside { .. }
            | Self::OwnFolder { .. }
            | Self::NothingToCompare
            | Self::LinkedOutput { .. }
            | Self::LogTooLarge { .. } => 2,
            Self::Save { .. }
            | Self::ProjectUnwritable { .. }
            | Self::PageFailed { .. }
            | Self::PageNotBuilt
            | Self::Print { .. } => 12,
            Self::Interrupted => 130,
        }
    }
}

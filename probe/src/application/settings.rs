//! What was typed for a run, turned into what it uses. No input or output happens here.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cli::{CheckArgs, RunArgs};
use crate::error::UsageProblem;
use crate::settings::{CheckSettings, Variables};

/// Everything that a run needs to know.
#[derive(Debug)]
pub(crate) struct RunSettings {
    /// The check that comes first, and what is reported and where.
    pub(crate) check: CheckSettings,
    /// The Python was named, so the command does not decide which one is checked.
    pub(crate) python_named: bool,
    pub(crate) skip_check: bool,
    pub(crate) keep_going: bool,
    pub(crate) contract: Option<PathBuf>,
    /// For the command, from its start.
    pub(crate) limit: Option<Duration>,
    /// When the time of the whole is used up; none where it is not limited.
    pub(crate) until: Option<Instant>,
    /// Never empty.
    pub(crate) command: Vec<OsString>,
}

impl RunSettings {
    /// Checks and converts.
    ///
    /// # Errors
    /// What is wrong with an argument.
    pub(crate) fn new(typed: RunArgs, variables: &Variables) -> Result<Self, UsageProblem> {
        let python_named = typed.python.is_some();
        let check = CheckSettings::new(
            CheckArgs {
                python: typed.python,
                pid: None,
                kernel: None,
                program: None,
                engine: typed.engine,
                libtorch: None,
                device: typed.device,
                device_index: typed.device_index,
                timeout: typed.check_timeout,
                host_check: typed.host_check,
                label: typed.label,
                set: typed.set,
                repeat: None,
                output: typed.output,
                page: typed.page,
                ticket: None,
                json: typed.json,
            },
            variables,
        )?;
        Ok(Self {
            check,
            python_named,
            skip_check: typed.skip_check,
            keep_going: typed.keep_going,
            contract: typed.contract,
            limit: typed.timeout.map(Duration::from_secs),
            until: None,
            command: typed.command,
        })
    }

    /// Whether the time of the whole is used up.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_in(Duration::ZERO)
    }

    /// Whether it is, after this much more.
    pub(crate) fn is_over_in(&self, more: Duration) -> bool {
        self.until
            .is_some_and(|until| Instant::now() + more >= until)
    }
}

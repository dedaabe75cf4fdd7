//! What was typed for a proof of stop and resume, turned into what it uses.

use std::time::Duration;

use super::point::StopAt;
use crate::application::settings::RunSettings;
use crate::cli::{ResumeArgs, SignalChoice};
use crate::error::UsageProblem;
use crate::settings::Variables;
use crate::supervisor::command::Ask;

/// Everything that a proof needs to know.
#[derive(Debug)]
pub(crate) struct ResumeSettings {
    /// Each of its runs.
    pub(crate) run: RunSettings,
    pub(crate) signal: Ask,
    /// None: about the middle of the reference.
    pub(crate) stop_at: Option<StopAt>,
    /// How long the command may take to stop.
    pub(crate) grace: Duration,
    /// Nothing of an earlier start counts.
    pub(crate) fresh: bool,
}

impl ResumeSettings {
    /// Checks and converts.
    ///
    /// # Errors
    /// What is wrong with an argument.
    pub(crate) fn new(typed: ResumeArgs, variables: &Variables) -> Result<Self, UsageProblem> {
        Ok(Self {
            signal: match typed.signal {
                SignalChoice::Term => Ask::Terminate,
                SignalChoice::Int => Ask::Interrupt,
                SignalChoice::Kill => Ask::Kill,
            },
            stop_at: typed.stop_at,
            grace: Duration::from_secs_f64(typed.grace),
            fresh: typed.fresh,
            run: RunSettings::new(typed.run, variables)?,
        })
    }
}

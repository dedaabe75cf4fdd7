//! What was typed for a sweep, turned into what it uses. No input or output happens here.

use std::time::Duration;

use firstfault_schema::report::MAX_PARAMETERS;

use super::axis::Axis;
use crate::application::settings::RunSettings;
use crate::cli::SweepArgs;
use crate::error::UsageProblem;
use crate::settings::Variables;

/// Everything that a sweep needs to know.
#[derive(Debug)]
pub(crate) struct SweepSettings {
    /// What every step has in common; the command still has the axis in it.
    pub(crate) run: RunSettings,
    pub(crate) axis: Axis,
    /// Share of the limit that must stay free; none where crossing it is allowed.
    pub(crate) margin: Option<f64>,
    /// How often the gap between the last good and the first bad step is halved.
    pub(crate) refine: u32,
    /// For the whole, from its start.
    pub(crate) budget: Option<Duration>,
    /// Steps that may be tried in this start.
    pub(crate) attempts: Option<u32>,
    /// Earlier steps do not count.
    pub(crate) fresh: bool,
}

impl SweepSettings {
    /// Checks and converts.
    ///
    /// # Errors
    /// What is wrong with an argument.
    pub(crate) fn new(typed: SweepArgs, variables: &Variables) -> Result<Self, UsageProblem> {
        let axis = Axis::parse(&typed.axis, variables)?;
        let run = RunSettings::new(typed.run, variables)?;
        if !axis.is_in(&run.command) {
            return Err(UsageProblem::AxisNotInCommand);
        }
        let parameters = &run.check.parameters;
        if parameters.contains_key(&axis.name) || parameters.len() >= MAX_PARAMETERS {
            return Err(UsageProblem::Parameters);
        }
        Ok(Self {
            run,
            axis,
            margin: (typed.margin > 0).then(|| f64::from(typed.margin) / 100.0),
            refine: typed.refine,
            budget: typed.budget.map(Duration::from_secs),
            attempts: typed.attempts,
            fresh: typed.fresh,
        })
    }
}

//! The user's own command: attempts of it, and what is made of them. Prints nothing.

pub(crate) mod attempt;
pub mod contract;
pub(crate) mod devices;
mod dossier;
mod ending;
pub(crate) mod launch;
pub(crate) mod ledger;
pub(crate) mod mark;
mod marks;
mod memory;
pub(crate) mod project;
pub(crate) mod recorded;
mod relocate;
mod repeat;
pub(crate) mod resume;
mod series;
pub(crate) mod settings;
pub(crate) mod sweep;
mod words;

use firstfault_schema::Report;
use firstfault_schema::code::Status;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::SweepStep;

use self::attempt::{Attempted, Plan};
use self::launch::Screen;
use self::project::Project;
use self::settings::RunSettings;
use crate::check::{self, Checked, Note, Progress};
use crate::error::Error;
use crate::settings::{InterpreterWish, Variables};

/// The contract that `firstfault init` writes.
pub(crate) const TEMPLATE: &str = include_str!("template.toml");

/// Which of several attempts comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Turn<'a> {
    /// The same once more.
    Repeat { number: u32, of: u32 },
    /// A step of a sweep.
    Step { axis: &'a str, value: &'a str },
    /// The run without a stop.
    Reference,
    /// That run was finished by an earlier start.
    Kept,
    /// The run that is stopped.
    Stopped,
    /// The second start.
    Continued,
}

/// Whoever shows what happens.
pub(crate) trait Stage4 {
    /// This attempt of several begins.
    fn turn(&mut self, turn: Turn<'_>);
    /// The check is at this step.
    fn check(&mut self, step: Progress);
    /// The command is about to be started; what shows it from now on.
    fn screen(&mut self) -> Box<dyn Screen + '_>;
    /// The outputs are held against the contract.
    fn contract(&mut self);
    /// So many steps of a sweep were measured by an earlier start.
    fn continuing(&mut self, steps: usize);
    /// What came of a step of a sweep; `limit_bytes` is what its memory is limited by.
    fn measured(&mut self, axis: &str, value: &str, step: &SweepStep, limit_bytes: Option<u64>);
}

/// A report, what belongs to the terminal alone, and whether Ctrl-C ended the command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) report: Report,
    pub(crate) notes: Vec<Note>,
    pub(crate) interrupted: bool,
}

/// Checks, runs the command and judges it.
///
/// # Errors
/// A contract that can't be used, an interpreter that can't be taken, or Ctrl-C before the command was started.
pub(crate) fn run(
    mut settings: RunSettings,
    variables: &Variables,
    show: &mut dyn Stage4,
) -> Result<Ran, Error> {
    let agreed = attempt::agree(settings.contract.as_deref())?;
    let Checked { report, mut notes } = check(&mut settings, show)?;
    if report.decisions[3].outcome == Outcome::NotReached {
        return Ok(Ran {
            report,
            notes,
            interrupted: false,
        });
    }
    let plan = Plan {
        settings: &settings,
        words: &settings.command,
        agreed: agreed.as_ref(),
        variables,
        limit: settings.limit,
    };
    // What is made again from time to time must find neither its own outputs nor overwrite the user's.
    if settings.check.repeat > 1 || settings.check.baseline.is_some() {
        return repeat::run(&report, notes, &plan, show);
    }
    if Project::is_unsettled() {
        Project::take(&mut notes)?;
    }
    let Attempted {
        report,
        interrupted,
        ..
    } = attempt::attempt(report, &plan, &mut notes, show, None)?;
    recorded::keep(&report.attempt.id, &settings);
    Ok(Ran {
        report,
        notes,
        interrupted,
    })
}

/// The check before the command, in the Python that runs it. Decision 4 is not reached where the check failed and going on
/// was not asked for.
///
/// # Errors
/// An interpreter that can't be taken, or Ctrl-C.
pub(crate) fn check(settings: &mut RunSettings, show: &mut dyn Stage4) -> Result<Checked, Error> {
    if !settings.python_named
        && let Some(python) = words::python(&settings.command)
    {
        settings.check.wish = InterpreterWish::Python(python);
    }
    settings.check.program = words::script(&settings.command);
    let mut checked = if settings.skip_check {
        let mut left_out = check::left_out(&settings.check)?;
        // Which Python a command uses that is none itself isn't known.
        if !settings.python_named && words::python(&settings.command).is_none() {
            left_out
                .notes
                .retain(|note| !matches!(note, Note::Interpreter(_)));
        }
        left_out
    } else {
        check::run(&settings.check, &mut |step| show.check(step))?
    };
    if checked.report.status == Status::Failed && !settings.keep_going {
        checked.report.decisions[3].outcome = Outcome::NotReached;
    }
    Ok(checked)
}

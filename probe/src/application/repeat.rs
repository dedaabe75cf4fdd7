//! `run --repeat` and `recheck` of a run: the check once, then the command several times, each from the same beginning. What the command wrote
//! before is set aside and put back; what each run writes is taken away for the next one, so that a command that would find
//! its own outputs and skip the work works each time.

use std::path::Path;

use firstfault_schema::Report;

use super::attempt::{self, Attempted, Plan};
use super::project::{self, FOLDER, Project};
use super::{Ran, Stage4, Turn, dossier, recorded};
use crate::check::{self, Note};
use crate::error::Error;
use crate::journal;
use crate::repeat::{Evidence, Series};

/// Where the outputs of one run lie afterwards, in its attempt's folder.
const OUTPUTS: &str = "outputs";

/// Makes the attempts on top of the report of the check.
///
/// # Errors
/// Where the project is in use, or files can't be moved.
pub(super) fn run(
    checked: &Report,
    mut notes: Vec<Note>,
    plan: &Plan<'_>,
    show: &mut dyn Stage4,
) -> Result<Ran, Error> {
    let project = Project::take(&mut notes)?;
    let aside = plan
        .agreed
        .map(|agreed| project.set_aside(agreed, &checked.attempt.id))
        .transpose()?;
    let of = plan.settings.check.repeat;
    let mut series = Series::default();
    let mut interrupted = false;
    for number in 1..=of {
        if of > 1 {
            show.turn(Turn::Repeat { number, of });
        }
        let report = if number == 1 {
            checked.clone()
        } else {
            check::anew(checked)
        };
        let mut own_notes = Vec::new();
        let Attempted {
            report,
            interrupted: stopped,
            ..
        } = attempt::attempt(report, plan, &mut own_notes, show, None)?;
        let id = report.attempt.id.clone();
        if let Some(agreed) = plan.agreed {
            let folder = project.folder().join("attempts").join(&id);
            project::take_away(agreed, &folder.join(OUTPUTS))?;
        }
        if stopped && !series.is_empty() {
            // It was cut short, and says nothing about the others.
            interrupted = true;
            break;
        }
        recorded::keep(&id, plan.settings);
        if series.push(report, own_notes) == Evidence::Forget {
            journal::forget_in(Path::new(FOLDER), &id);
        }
        if stopped {
            interrupted = true;
            break;
        }
    }
    if let Some(aside) = aside
        && let Some(left) = aside.put_back()?
    {
        notes.push(Note::OwnOutputs(left));
    }
    let (mut report, own_notes) = series.finish().ok_or(Error::Interrupted)?;
    if of == 1 {
        report.noise = None;
    }
    if let Some(noise) = &mut report.noise {
        // The check was made once: its times, written into each report, say nothing about their spread.
        noise
            .measures
            .retain(|measure| measure.field.starts_with("application."));
    }
    dossier::fit(&mut report);
    notes.extend(own_notes);
    Ok(Ran {
        report,
        notes,
        interrupted,
    })
}

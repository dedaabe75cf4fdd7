//! The same attempt several times (A/A): how far its numbers differ by themselves, and whether it passes every time. What is
//! given in the end is the report of the first attempt that failed, else of the first, with the noise of all.

use firstfault_schema::{Report, noise};

use crate::check::{self, Checked, Note, Progress};
use crate::error::Error;
use crate::journal;
use crate::settings::CheckSettings;

/// The evidence of how many failed attempts is kept on this machine.
const KEPT_FAILURES: usize = 8;

/// What is done with the evidence of an attempt that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// It may be what the report is about.
    Keep,
    /// Nobody will look for it.
    Forget,
}

/// Attempts so far.
#[derive(Debug, Default)]
pub(crate) struct Series {
    runs: Vec<Report>,
    notes: Vec<Vec<Note>>,
    /// The first one that failed.
    failed: Option<usize>,
    failures: usize,
}

impl Series {
    /// Adds one.
    pub(crate) fn push(&mut self, mut report: Report, notes: Vec<Note>) -> Evidence {
        let at = self.runs.len();
        let passed = noise::passed(&report);
        if !passed {
            self.failures += 1;
            self.failed.get_or_insert(at);
        }
        let given = at == 0 || self.failed == Some(at);
        if !given {
            slim(&mut report);
        }
        self.runs.push(report);
        self.notes.push(notes);
        if at == 0 || (!passed && self.failures <= KEPT_FAILURES) {
            Evidence::Keep
        } else {
            Evidence::Forget
        }
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The report of all, and the notes that belong to it; none without any attempt.
    pub(crate) fn finish(mut self) -> Option<(Report, Vec<Note>)> {
        let noise = noise::of(&self.runs);
        let at = self.failed.unwrap_or(0);
        if at >= self.runs.len() {
            return None;
        }
        let mut report = self.runs.swap_remove(at);
        let notes = self.notes.swap_remove(at);
        report.noise = Some(noise);
        Some((report, notes))
    }
}

/// Of the others only what is measured is kept.
fn slim(report: &mut Report) {
    if let Some(application) = &mut report.application {
        application.stages = Vec::new();
        application.tensors = Vec::new();
        application.outputs = Vec::new();
    }
}

/// Whoever shows a check that is made several times.
pub(crate) trait Shows {
    /// Attempt `number` of `of` begins.
    fn run(&mut self, number: u32, of: u32);
    /// It is at this step.
    fn step(&mut self, step: Progress);
}

/// Makes the check as often as the settings say, each time with fresh workers. Ctrl-C after the first attempt ends the
/// series, and what was measured so far is kept.
///
/// # Errors
/// As [`check::run`].
pub(crate) fn check(
    settings: &CheckSettings,
    show: &mut dyn Shows,
) -> Result<(Checked, bool), Error> {
    if settings.repeat < 2 {
        return Ok((check::run(settings, &mut |step| show.step(step))?, false));
    }
    let mut series = Series::default();
    let mut interrupted = false;
    for number in 1..=settings.repeat {
        show.run(number, settings.repeat);
        match check::run(settings, &mut |step| show.step(step)) {
            Ok(Checked { report, notes }) => {
                let id = report.attempt.id.clone();
                if series.push(report, notes) == Evidence::Forget {
                    journal::forget(&id);
                }
            }
            Err(Error::Interrupted) if !series.is_empty() => {
                interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    let (report, notes) = series.finish().ok_or(Error::Interrupted)?;
    Ok((Checked { report, notes }, interrupted))
}

//! `firstfault sweep`: the limit along one axis. Everything else is held; each step is an attempt of its own, in a fresh
//! process and with its contract. What is finished is on disk before the next step begins. Prints nothing.

pub(crate) mod axis;
mod course;
mod measure;
mod predict;
pub(crate) mod settings;

use std::time::{Duration, Instant};

use firstfault_schema::Report;
use firstfault_schema::code::Code;
use firstfault_schema::decision::Outcome;
use firstfault_schema::facts;
use firstfault_schema::report::{
    Application, EndingKind, Evidence, Scalar, Sweep, SweepEnd, SweepStep,
};
use serde::Serialize;

use self::axis::Value;
use self::course::{Course, Kept};
use self::measure::{Ceiling, Guard};
use self::settings::SweepSettings;
use super::attempt::{self, Agreed, Attempted, Plan};
use super::ledger::Ledger;
use super::project::{self, Project};
use super::{Stage4, Turn, dossier, ending};
use crate::check::{self, Checked, Note};
use crate::error::Error;
use crate::interrupt;
use crate::settings::Variables;

/// The folder of the records, in that of the project.
const RECORDS: &str = "sweeps";
/// What a step wrote, in the folder of its attempt.
const OUTPUTS: &str = "outputs";
/// A step is not begun with less time left than this share of what the fastest one took.
const LEAST_SHARE: f64 = 0.5;

/// A report, what belongs to the terminal alone, and whether Ctrl-C ended it.
#[derive(Debug)]
pub(crate) struct Swept {
    pub(crate) report: Report,
    pub(crate) notes: Vec<Note>,
    pub(crate) interrupted: bool,
    /// The record of a sweep that came to its own end: nothing is left to continue once its report is delivered.
    pub(crate) finished: Option<Ledger>,
}

/// What makes one sweep the same as another: whoever changes any of it begins anew.
#[derive(Serialize)]
struct Work<'a> {
    tool: &'a str,
    command: Vec<String>,
    axis: &'a str,
    values: Vec<&'a str>,
    margin: Option<f64>,
    refine: u32,
    contract: &'a str,
    read: Vec<(std::path::PathBuf, u64, Option<std::time::SystemTime>)>,
    parameters: &'a std::collections::BTreeMap<String, Scalar>,
    step_limit_ms: Option<u128>,
    python: [&'a Option<String>; 2],
    pytorch: [&'a Option<String>; 4],
    device: String,
    devices: Vec<(&'a str, Option<u64>)>,
    limit_bytes: Option<u64>,
}

/// Checks once, then makes one attempt for each value, up to the first that is no good.
///
/// # Errors
/// No contract or an unusable one, a project that can't be worked in, an interpreter that can't be taken, Ctrl-C or the end
/// of the budget before the first step.
pub(crate) fn sweep(
    mut settings: SweepSettings,
    variables: &Variables,
    show: &mut dyn Stage4,
) -> Result<Swept, Error> {
    let began = Instant::now();
    let agreed = attempt::agree(settings.run.contract.as_deref())?.ok_or(Error::NoContract)?;
    let mut notes = Vec::new();
    let project = Project::take(&mut notes)?;
    settings.run.until = settings.budget.map(|budget| began + budget);
    let until = settings.run.until;
    let checked = interrupt::within(until, || super::check(&mut settings.run, show));
    let Checked {
        report: checked,
        notes: of_check,
    } = match checked {
        Err(Error::Interrupted) if interrupt::times() == 0 => return Err(Error::BudgetTooShort),
        other => other?,
    };
    notes.extend(of_check);
    if checked.decisions[3].outcome == Outcome::NotReached {
        return Ok(Swept {
            report: checked,
            notes,
            interrupted: false,
            finished: None,
        });
    }
    if settings.run.is_over() {
        return Err(Error::BudgetTooShort);
    }
    let ceiling = Ceiling::of(&checked);
    let work = work(&settings, &agreed, &checked, &ceiling);
    let (ledger, mut recorded) = Ledger::open(project.folder(), RECORDS, &work, settings.fresh)
        .map_err(|source| Error::Save {
            path: project.folder().join(RECORDS),
            source,
        })?;
    recorded.retain(Kept::is_sound);
    let aside = project.set_aside(&agreed, &checked.attempt.id)?;
    let mut worker = Worker {
        settings: &settings,
        agreed: &agreed,
        project: &project,
        variables,
        allowed: ceiling.allowed(settings.margin),
        ceiling: &ceiling,
        checked: &checked,
        ledger,
        notes,
    };
    let mut course = Course::new(&settings.axis.values, settings.refine);
    worker.all(&mut course, recorded, show)?;
    let Worker {
        ledger, mut notes, ..
    } = worker;
    notes.extend(aside.put_back()?.map(Note::OwnOutputs));
    let interrupted = course.ended_by == Some(SweepEnd::Interrupted.name().to_owned());
    let complete = course.is_complete();
    let report = report_of(course, &settings, &ceiling).ok_or(if interrupted {
        Error::Interrupted
    } else {
        Error::BudgetTooShort
    })?;
    notes.retain(
        |note| !matches!(note, Note::Evidence(path) if !path.ends_with(&report.attempt.id)),
    );
    Ok(Swept {
        report,
        notes,
        interrupted,
        finished: complete.then_some(ledger),
    })
}

fn work<'a>(
    settings: &'a SweepSettings,
    agreed: &'a Agreed,
    checked: &'a Report,
    ceiling: &Ceiling,
) -> Work<'a> {
    let pytorch = &checked.pytorch;
    Work {
        tool: &checked.tool.version,
        command: settings
            .run
            .command
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        axis: &settings.axis.name,
        values: settings
            .axis
            .values
            .iter()
            .map(|value| value.text.as_str())
            .collect(),
        margin: settings.margin,
        refine: settings.refine,
        contract: &agreed.text,
        read: agreed.read_by(&settings.run.command),
        parameters: &settings.run.check.parameters,
        step_limit_ms: settings.run.limit.map(|limit| limit.as_millis()),
        python: [
            &checked.runtime.python_version,
            &checked.runtime.python_implementation,
        ],
        pytorch: [
            &pytorch.installed_version,
            &pytorch.version,
            &pytorch.cuda_version,
            &pytorch.hip_version,
        ],
        device: format!(
            "{:?} {:?}",
            checked.execution.requested_device, checked.execution.requested_index
        ),
        devices: pytorch
            .devices
            .iter()
            .flatten()
            .map(|device| (device.name.as_str(), device.total_memory_bytes))
            .collect(),
        limit_bytes: ceiling.bytes,
    }
}

/// Whatever each step needs.
struct Worker<'a> {
    settings: &'a SweepSettings,
    agreed: &'a Agreed,
    project: &'a Project,
    variables: &'a Variables,
    ceiling: &'a Ceiling,
    /// The most bytes that may be in use; none where crossing is allowed.
    allowed: Option<u64>,
    checked: &'a Report,
    ledger: Ledger,
    notes: Vec<Note>,
}

impl Worker<'_> {
    /// Goes along the axis until something ends it.
    fn all(
        &mut self,
        course: &mut Course<'_>,
        mut recorded: Vec<Kept>,
        show: &mut dyn Stage4,
    ) -> Result<(), Error> {
        if !recorded.is_empty() {
            show.continuing(recorded.len());
        }
        let mut attempts = 0;
        while let Some(value) = course.next() {
            if let Some(at) = recorded.iter().position(|kept| kept.value == value.text) {
                course.take(&value, recorded.swap_remove(at), true);
                continue;
            }
            if let Some(end) = self.no_more(attempts, course) {
                course.end(end);
                return Ok(());
            }
            let predicted = course.predict(value.number, self.ceiling.used());
            let refused = predicted
                .zip(self.allowed)
                .is_some_and(|(predicted, allowed)| predicted > allowed);
            let kept = if refused {
                refused_step(&value, predicted)
            } else {
                attempts += 1;
                show.turn(Turn::Step {
                    axis: &self.settings.axis.name,
                    value: &value.text,
                });
                self.step(&value, predicted, show)?
            };
            show.measured(
                &self.settings.axis.name,
                &value.text,
                &kept.step,
                self.ceiling.bytes,
            );
            if kept.is_finished() {
                self.ledger.add(&kept).map_err(|source| Error::Save {
                    path: self.project.folder().join(RECORDS),
                    source,
                })?;
            }
            if let Some(id) = &kept.step.attempt_id {
                let to = self.project.folder().join("attempts").join(id);
                project::take_away(self.agreed, &to.join(OUTPUTS))?;
            }
            course.take(&value, kept, false);
            if course.ended_by.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Why no further step is begun.
    fn no_more(&self, attempts: u32, course: &Course<'_>) -> Option<SweepEnd> {
        if interrupt::happened() {
            return Some(SweepEnd::Interrupted);
        }
        let least = course
            .fastest_ms
            .map_or(0.0, |fastest| fastest * LEAST_SHARE / 1000.0);
        // With nothing measured yet, any time is worth the try.
        if self.settings.run.is_over_in(Duration::from_secs_f64(least)) {
            return Some(SweepEnd::Budget);
        }
        self.settings
            .attempts
            .is_some_and(|most| attempts >= most)
            .then_some(SweepEnd::Attempts)
    }

    /// One step, as an attempt of its own.
    fn step(
        &mut self,
        value: &Value,
        predicted: Option<u64>,
        show: &mut dyn Stage4,
    ) -> Result<Kept, Error> {
        let run = &self.settings.run;
        let mut report = check::anew(self.checked);
        report
            .attempt
            .parameters
            .insert(self.settings.axis.name.clone(), value.scalar());
        let words = self.settings.axis.command(&run.command, value);
        let plan = Plan {
            settings: run,
            words: &words,
            agreed: Some(self.agreed),
            variables: self.variables,
            // The guard keeps it, since it knows how much time the whole has left.
            limit: None,
        };
        let mut guard = Guard::new(self.ceiling, self.allowed, run.limit, run.until);
        let attempted = attempt::attempt(
            report,
            &plan,
            &mut self.notes,
            show,
            Some(&mut |sight| guard.look(sight)),
        )?;
        let Attempted {
            mut report,
            launched,
            interrupted,
        } = attempted;
        let peak = report
            .application
            .as_ref()
            .and_then(|application| application.memory.as_ref())
            .map(|memory| memory.peak.clone())
            .unwrap_or_default();
        guard.finish(peak.reserved_bytes, peak.resident_bytes);
        let crossed = guard
            .peak
            .zip(self.allowed)
            .is_some_and(|(peak, allowed)| peak > allowed);
        let passed = report.decisions[3].outcome == Outcome::Passed;
        let why = if passed {
            crossed.then_some(SweepEnd::Margin)
        } else if interrupted {
            Some(SweepEnd::Interrupted)
        } else {
            let over = || run.is_over().then_some(SweepEnd::Budget);
            guard
                .stopped
                .or_else(over)
                .or_else(|| Some(reason(&report, &launched)))
        };
        if let Some(stopped) = guard.stopped.filter(|stopped| Some(*stopped) == why) {
            blame(&mut report, &launched, stopped);
        }
        let outcome = match why {
            Some(SweepEnd::Interrupted | SweepEnd::Budget) => Outcome::NotProven,
            Some(_) if passed => Outcome::Failed,
            _ => report.decisions[3].outcome,
        };
        let application = report.application.as_ref();
        let series = launched.marks.computation().map(|(_, series)| series);
        let wall_ms = application
            .and_then(|application| application.ending.as_ref())
            .map(|ending| ending.wall_ms);
        let items = application
            .and_then(|application| application.input.as_ref())
            .and_then(|input| input.count);
        let throughput = measure::throughput(items, series, wall_ms).filter(|_| passed);
        let step = SweepStep {
            value: value.number,
            outcome,
            why: why.map(|why| why.name().to_owned()),
            code: Some(report.code),
            attempt_id: Some(report.attempt.id.clone()),
            peak_bytes: guard.peak,
            predicted_bytes: predicted,
            throughput: throughput.map(|(rate, _)| rate),
            throughput_of: throughput.map(|(_, of)| of),
            first_pass_ms: series
                .and_then(super::series::Series::first_ms)
                .map(dossier::rounded),
            following_pass_ms: application
                .and_then(|application| application.passes.as_ref())
                .and_then(|passes| passes.following.as_ref())
                .map(|following| following.median),
            wall_ms,
        };
        Ok(Kept {
            value: value.text.clone(),
            step,
            before_bytes: guard.before,
            own_bytes: guard.own(),
            report: Some(report),
        })
    }
}

fn refused_step(value: &Value, predicted: Option<u64>) -> Kept {
    Kept {
        value: value.text.clone(),
        step: SweepStep {
            value: value.number,
            outcome: Outcome::NotReached,
            why: Some(SweepEnd::Margin.name().to_owned()),
            code: None,
            attempt_id: None,
            peak_bytes: None,
            predicted_bytes: predicted,
            throughput: None,
            throughput_of: None,
            first_pass_ms: None,
            following_pass_ms: None,
            wall_ms: None,
        },
        before_bytes: None,
        own_bytes: None,
        report: None,
    }
}

/// Why a step that nobody stopped was no good.
fn reason(report: &Report, launched: &super::launch::Launched) -> SweepEnd {
    let application = report.application.as_ref();
    let kills = application
        .and_then(|application| application.memory.as_ref())
        .and_then(|memory| memory.kills);
    let failed = application
        .and_then(|application| application.first_fault.as_ref())
        .is_some()
        && report.code != Code::ContractFailed;
    if !failed {
        SweepEnd::ContractFailed
    } else if ending::memory_ran_out(launched, kills) || kills.is_some_and(|kills| kills > 0) {
        SweepEnd::OutOfMemory
    } else {
        SweepEnd::ApplicationFailed
    }
}

/// A step that was stopped carries the reason, not the signal that stopped it.
fn blame(report: &mut Report, launched: &super::launch::Launched, why: SweepEnd) {
    let Report {
        application:
            Some(Application {
                ending: Some(end),
                first_fault,
                ..
            }),
        pytorch,
        execution,
        ..
    } = report
    else {
        return;
    };
    let mut machine = Vec::new();
    if why == SweepEnd::Margin {
        let mut add = |fact: &str, value: Scalar| {
            machine.push(Evidence {
                fact: fact.to_owned(),
                value,
            });
        };
        add(facts::MEMORY_RAN_OUT, true.into());
        if let (Some(phase), _) = ending::memory_phase(&launched.marks) {
            add(facts::MEMORY_PHASE, phase.into());
        }
    } else {
        end.how = EndingKind::TimedOut;
    }
    let around = ending::Around {
        requested_device: execution.requested_device,
        pytorch,
        memory_kills: None,
        machine,
    };
    let fault = ending::diagnose(launched, end, around);
    *first_fault = Some(dossier::without_machine(fault.clone()));
    if report.code == Code::ApplicationFailed {
        report.diagnosis = Some(fault);
    }
}

/// The dossier of the last good step, or of the first one where none was good, with the whole sweep in it. None where not
/// one step was begun.
fn report_of(course: Course<'_>, settings: &SweepSettings, ceiling: &Ceiling) -> Option<Report> {
    let ended_by = course
        .ended_by
        .clone()
        .unwrap_or_else(|| SweepEnd::AllGood.name().to_owned());
    let ended_early = ended_by == SweepEnd::Budget.name();
    let sweep = Sweep {
        axis: settings.axis.name.clone(),
        last_good: course.low.as_ref().map(|value| value.number),
        first_bad: course.bad.as_ref().map(|(value, _)| value.number),
        ended_by: Some(ended_by),
        throughput_stops_at: measure::stops_at(&course.steps),
        margin: settings.margin,
        limit_bytes: ceiling.bytes,
        limit: ceiling.kind,
        budget_ms: settings
            .budget
            .map(|budget| dossier::rounded(budget.as_secs_f64() * 1000.0)),
        spent_ms: Some(dossier::rounded(
            course.steps.iter().filter_map(|step| step.wall_ms).sum(),
        )),
        not_tried: course.not_tried(),
        continued: course.continued,
        steps: course.steps,
    };
    // What the end of the budget cut off says nothing about the program.
    let cut_off = course.bad.is_none() && ended_early;
    let mut report = course.good.or(course.first.filter(|_| !cut_off))?;
    if let Some(application) = &mut report.application {
        application.sweep = Some(sweep);
    }
    dossier::fit(&mut report);
    Some(report)
}

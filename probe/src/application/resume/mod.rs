//! `firstfault resume`: proof that a command stops cleanly and goes on where it was. It is run once without a stop, then
//! stopped and started again, and both are held against each other. Prints nothing.

mod checkpoint;
mod kept;
pub(crate) mod point;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod training;
mod verdict;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use firstfault_schema::Report;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Checkpoint, Container, Resume, ResumeFinding};

use self::checkpoint::{Seen, Watcher};
use self::kept::{Reference, work};
use self::point::{Course, Lookout, StopAt};
use self::settings::ResumeSettings;
use super::attempt::{self, Agreed, Attempted, Place, Plan, Watched};
use super::contract::compare::Moments;
use super::contract::{Contract, files};
use super::ledger::Ledger;
use super::project::{self, Project};
use super::{Stage4, Turn, dossier, ending};
use crate::check::{self, Checked, Note};
use crate::error::Error;
use crate::interrupt;
use crate::settings::Variables;
use crate::supervisor::Outcome as End;
use crate::supervisor::command::{Ask, Order, Stop};

/// The folder of the records and of finished references, in that of the project.
const RECORDS: &str = "resumes";
/// What a run wrote, in the folder of its attempt.
const OUTPUTS: &str = "outputs";
/// What the reference wrote, in the folder of the attempt that ended the proof.
const REFERENCE: &str = "reference";
/// How long one look may wait for a checkpoint to be written, so that its writing is met at once.
const WAIT_FOR_CHECKPOINT: Duration = Duration::from_millis(40);

/// A report, what belongs to the terminal alone, and whether Ctrl-C ended it.
#[derive(Debug)]
pub(crate) struct Resumed {
    pub(crate) report: Report,
    pub(crate) notes: Vec<Note>,
    pub(crate) interrupted: bool,
    /// A proof that came to its own end: nothing is left to continue once its report is delivered.
    pub(crate) finished: Option<Finished>,
}

/// The record of a proof that came to its own end, and what its reference wrote.
#[derive(Debug)]
pub(crate) struct Finished {
    ledger: Ledger,
    reference: PathBuf,
    /// Where the proof ended: it leaves with that attempt.
    place: PathBuf,
}

impl Finished {
    /// The next start begins anew.
    pub(crate) fn finish(self) {
        // A record that can't be put away makes the next start go on from a reference that is still true.
        if self.ledger.finish().is_ok() {
            let _ = fs::rename(&self.reference, &self.place);
        }
    }
}

/// Checks once, then proves stop and resume.
///
/// # Errors
/// No contract or an unusable one, a project that can't be worked in, an interpreter that can't be taken, or Ctrl-C during
/// the check.
pub(crate) fn resume(
    mut settings: ResumeSettings,
    variables: &Variables,
    show: &mut dyn Stage4,
) -> Result<Resumed, Error> {
    let agreed = attempt::agree(settings.run.contract.as_deref())?.ok_or(Error::NoContract)?;
    if !agreed.contract.has_outputs() && !agreed.contract.has_log() {
        return Err(Error::NothingToCompare);
    }
    let mut notes = Vec::new();
    let project = Project::take(&mut notes)?;
    let Checked {
        report: checked,
        notes: of_check,
    } = super::check(&mut settings.run, show)?;
    notes.extend(of_check);
    if checked.decisions[3].outcome == Outcome::NotReached {
        return Ok(Resumed {
            report: checked,
            notes,
            interrupted: false,
            finished: None,
        });
    }
    let work = work(&settings, &agreed, &checked);
    let records = project.folder().join(RECORDS);
    let (ledger, kept) =
        Ledger::open(project.folder(), RECORDS, &work, settings.fresh).map_err(save(&records))?;
    let aside = project.set_aside(&agreed, &checked.attempt.id)?;
    let mut proof = Proof {
        settings: &settings,
        agreed: &agreed,
        variables,
        checked: &checked,
        records,
        ledger,
        notes,
        show,
    };
    let made = proof.make(kept);
    let Proof {
        ledger, mut notes, ..
    } = proof;
    let left = aside.put_back()?;
    let made = made?;
    notes.extend(left.map(Note::OwnOutputs));
    only_last_evidence(&mut notes);
    Ok(Resumed {
        report: made.report,
        interrupted: made.interrupted,
        finished: made.finished.map(|(reference, attempt)| Finished {
            ledger,
            reference,
            place: attempt.join(REFERENCE),
        }),
        notes,
    })
}

/// Of several attempts the last one's folder is told: what the others left lies beside it.
fn only_last_evidence(notes: &mut Vec<Note>) {
    let last = notes
        .iter()
        .rposition(|note| matches!(note, Note::Evidence(_)));
    let mut at = 0;
    notes.retain(|note| {
        at += 1;
        !matches!(note, Note::Evidence(_)) || Some(at - 1) == last
    });
}

/// What came of it.
struct Made {
    report: Report,
    interrupted: bool,
    /// What the reference wrote and the folder of the attempt that ended the proof, where nothing is left to continue.
    finished: Option<(PathBuf, PathBuf)>,
}

impl Made {
    fn finished(report: Report, reference: Reference, attempt: PathBuf) -> Self {
        Self {
            report,
            interrupted: false,
            finished: Some((reference.folder, attempt)),
        }
    }
}

/// The run that was stopped.
struct Halted {
    watched: Watched,
    /// When it was started, by the clock of the outputs.
    since: Option<SystemTime>,
    /// The folder of its attempt.
    attempt: PathBuf,
    /// A copy of what it had written.
    folder: PathBuf,
    checkpoints: Vec<Checkpoint>,
    damaged: bool,
}

struct Proof<'a> {
    settings: &'a ResumeSettings,
    agreed: &'a Agreed,
    variables: &'a Variables,
    checked: &'a Report,
    records: PathBuf,
    ledger: Ledger,
    notes: Vec<Note>,
    show: &'a mut dyn Stage4,
}

impl Proof<'_> {
    fn make(&mut self, kept: Vec<Reference>) -> Result<Made, Error> {
        let there = kept
            .into_iter()
            .next_back()
            .filter(|kept| kept.folder.is_dir());
        let reference = match there {
            Some(reference) => {
                self.notes.push(Note::ReferenceKept);
                self.show.turn(Turn::Kept);
                reference
            }
            None => match self.reference()? {
                Ok(reference) => reference,
                Err(made) => return Ok(made),
            },
        };
        let at = match &self.settings.stop_at {
            Some(at) => at.clone(),
            None => StopAt::middle(&reference.course),
        };
        let halted = self.halt(&reference, &at)?;
        let mut proof = self.begin(&reference, &at, &halted);
        let end = &halted.watched.launched.end;
        if end.stopped == Some(Stop::Interrupt) || interrupt::happened() {
            return Ok(self.interrupted(&reference));
        }
        let course = &reference.course;
        let told = course.outputs > 0 || course.passes.is_some_and(|passes| passes > 0);
        let has_all =
            told && proof.outputs_before >= course.outputs && proof.passes_before >= course.passes;
        let finding = if end.stopped != Some(Stop::Order) || has_all {
            Some(ResumeFinding::EndedBefore)
        } else if end.forced {
            Some(ResumeFinding::DidNotStop)
        } else if halted.damaged {
            Some(ResumeFinding::CheckpointDamaged)
        } else {
            None
        };
        if let Some(finding) = finding {
            proof.finding = Some(finding);
            let mut report = check::anew(self.checked);
            report.application = reference.report.application.clone();
            let report = verdict::conclude(report, self.checked, proof, None);
            return Ok(Made::finished(report, reference, halted.attempt));
        }
        self.go_on(reference, &halted, proof)
    }

    /// The run without a stop. A report where it gives no reference.
    fn reference(&mut self) -> Result<Result<Reference, Made>, Error> {
        self.show.turn(Turn::Reference);
        let contract = &self.agreed.contract;
        let folder = self.agreed.folder.clone();
        let mut watcher = Watcher::new(contract, &folder, Vec::new());
        let nothing = StopAt::Outputs(1);
        let mut first_output = None;
        let mut outputs = contract
            .has_outputs()
            .then(|| Lookout::new(&nothing, contract, &folder));
        let mut steer = |sight: &super::launch::Sight<'_>| {
            watcher.look(Duration::ZERO);
            if first_output.is_none()
                && outputs
                    .as_mut()
                    .is_some_and(|outputs| outputs.has_come(sight, false))
            {
                first_output = Some(sight.elapsed);
            }
            None
        };
        let plan = plan(
            self.settings,
            self.agreed,
            self.variables,
            &self.settings.run.command,
        );
        let Attempted {
            report,
            launched,
            interrupted,
        } = attempt::attempt(
            check::anew(self.checked),
            &plan,
            &mut self.notes,
            self.show,
            Some(&mut steer),
        )?;
        watcher.look(Duration::ZERO);
        let attempt = self.attempt_folder(&report.attempt.id);
        if interrupted || report.decisions[3].outcome != Outcome::Passed {
            project::take_away(self.agreed, &attempt.join(OUTPUTS))?;
            return Ok(Err(Made {
                report,
                interrupted,
                finished: None,
            }));
        }
        if let Some(path) = contract.linked(&folder) {
            return Err(Error::LinkedOutput { path });
        }
        let in_container = in_container(&report);
        let checkpoints = checkpoint::facts(contract, &folder, in_container);
        let kept = self.records.join(&report.attempt.id);
        project::take_away(self.agreed, &kept)?;
        let outputs = contract
            .relocated(&folder)
            .count_outputs(&kept, false, &interrupt::happened);
        let losses = contract
            .relocated(&folder)
            .losses(&kept, &interrupt::happened);
        // Nothing would ever be found to differ from nothing.
        let no_losses = losses.as_ref().is_none_or(Vec::is_empty);
        if no_losses && (outputs == 0 || losses.is_some()) && !interrupt::happened() {
            return Err(Error::NothingToCompare);
        }
        let milliseconds = |time: Duration| dossier::rounded(time.as_secs_f64() * 1000.0);
        let reference = Reference {
            course: Course {
                passes: point::passes_of(&launched.marks),
                outputs,
                first_output_ms: first_output.map(milliseconds),
                wall_ms: milliseconds(launched.end.wall),
            },
            report,
            folder: kept,
            checkpoints,
            seen: watcher.seen,
            aside_names: watcher.aside_names,
        };
        self.ledger.add(&reference).map_err(save(&self.records))?;
        Ok(Ok(reference))
    }

    /// The run that is stopped.
    fn halt(&mut self, reference: &Reference, at: &StopAt) -> Result<Halted, Error> {
        self.show.turn(Turn::Stopped);
        let report = check::anew(self.checked);
        let contract = &self.agreed.contract;
        let own = &self.agreed.folder;
        let mut watcher = Watcher::new(contract, own, reference.aside_names.clone());
        let mut lookout = Lookout::new(at, contract, own);
        let order = Order {
            how: self.settings.signal,
            grace: self.settings.grace,
        };
        let mut at_order: Option<Vec<Seen>> = None;
        let mut steer = |sight: &super::launch::Sight<'_>| {
            // While this waits for a writing, its beginning is met at once.
            let waits = *at == StopAt::Checkpoint && at_order.is_none();
            watcher.look(if waits {
                WAIT_FOR_CHECKPOINT
            } else {
                Duration::ZERO
            });
            if at_order.is_none() && lookout.has_come(sight, watcher.is_writing()) {
                at_order = Some(watcher.seen.clone());
                return Some(order);
            }
            None
        };
        let place = Place::new(&report.attempt.id, &mut self.notes)?;
        let since = place.time();
        let plan = plan(
            self.settings,
            self.agreed,
            self.variables,
            &self.settings.run.command,
        );
        let watched = attempt::watch(&report, &plan, &place, self.show, Some(&mut steer))?;
        watcher.look(Duration::ZERO);
        let folder = place.folder().join(OUTPUTS);
        project::copy(&outputs_alone(self.agreed), &folder)?;
        if watched.launched.end.left_running > 0 {
            self.notes
                .push(Note::LeftRunning(watched.launched.end.left_running));
        }
        let (checkpoints, damaged) =
            self.after_stop(reference, &watcher, at_order.as_deref().unwrap_or_default());
        let attempt = place.folder().to_path_buf();
        place.finish(&mut self.notes);
        Ok(Halted {
            attempt,
            watched,
            since,
            folder,
            checkpoints,
            damaged,
        })
    }

    /// What the stop did to the checkpoints, and whether one of them is damaged.
    fn after_stop(
        &self,
        reference: &Reference,
        watcher: &Watcher,
        at_order: &[Seen],
    ) -> (Vec<Checkpoint>, bool) {
        let opened = self
            .agreed
            .contract
            .open_checkpoints(&self.agreed.folder, &interrupt::happened);
        let killed = self.settings.signal == Ask::Kill;
        let mut checkpoints = reference.checkpoints.clone();
        for (at, checkpoint) in checkpoints.iter_mut().enumerate() {
            let in_reference = reference.seen.get(at).and_then(Seen::replaced_at_once);
            let now = watcher.seen.get(at).and_then(Seen::replaced_at_once);
            checkpoint.replaced_at_once = match (in_reference, now) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (one, other) => one.or(other),
            };
            let own = || opened.iter().filter(move |opened| opened.index == at);
            let is_there = own().next().is_some();
            if killed && is_there {
                let whole = own().all(|opened| opened.damage.is_none());
                checkpoint.opened_after_kill = Some(whole);
                // A writing aside that was not ended left the old one whole.
                let aside = at_order.get(at).is_some_and(|seen| seen.open && seen.aside)
                    && watcher
                        .seen
                        .get(at)
                        .is_some_and(|seen| seen.open && seen.aside);
                checkpoint.killed_while_writing = Some(aside || !whole);
            }
        }
        let damaged = opened.iter().any(|opened| opened.damage.is_some());
        (checkpoints, damaged)
    }

    /// What is known before the second start.
    fn begin(&self, reference: &Reference, at: &StopAt, halted: &Halted) -> Resume {
        let launched = &halted.watched.launched;
        let signal = match self.settings.signal {
            Ask::Interrupt => "SIGINT",
            Ask::Terminate => "SIGTERM",
            Ask::Kill => "SIGKILL",
        };
        let milliseconds = |time: Duration| dossier::rounded(time.as_secs_f64() * 1000.0);
        let has_outputs = self.agreed.contract.has_outputs();
        let moved = self.agreed.contract.relocated(&self.agreed.folder);
        Resume {
            signal: signal.to_owned(),
            stopped_at: Some(at.told(|name| dossier::own(name, self.variables))),
            grace_ms: (self.settings.signal != Ask::Kill)
                .then(|| milliseconds(self.settings.grace)),
            ending: Some(ending::ending(launched)),
            stop_ms: launched.end.stop.map_or(0.0, milliseconds),
            outputs_reference: has_outputs.then_some(reference.course.outputs),
            outputs_before: moved.count_outputs(&halted.folder, true, &interrupt::happened),
            passes_reference: reference.course.passes,
            passes_before: reference
                .course
                .passes
                .and(Some(point::passes_of(&launched.marks).unwrap_or(0))),
            checkpoints: halted.checkpoints.clone(),
            ..Resume::default()
        }
    }

    /// The second start, and the comparison.
    fn go_on(
        &mut self,
        reference: Reference,
        halted: &Halted,
        mut proof: Resume,
    ) -> Result<Made, Error> {
        // Whether there was anything to go on from, before the second start makes more.
        let had_state = proof.outputs_before > 0 || self.has_state();
        self.show.turn(Turn::Continued);
        let mut words = self.settings.run.command.clone();
        let arguments = &self.agreed.contract.resume.arguments;
        words.extend(arguments.iter().map(OsString::from));
        let plan = plan(self.settings, self.agreed, self.variables, &words);
        let Attempted {
            mut report,
            launched,
            interrupted,
        } = attempt::attempt_since(
            check::anew(self.checked),
            &plan,
            &mut self.notes,
            self.show,
            None,
            halted.since,
        )?;
        if interrupted {
            return Ok(self.interrupted(&reference));
        }
        let ended_well = launched.end.stopped.is_none() && launched.end.outcome == End::Exited(0);
        let attempt = self.attempt_folder(&report.attempt.id);
        let after = attempt.join(OUTPUTS);
        project::take_away(self.agreed, &after)?;
        proof.passes_after = reference
            .course
            .passes
            .and(Some(point::passes_of(&launched.marks).unwrap_or(0)));
        if ended_well {
            self.compare(&reference, halted, &after, &mut proof);
        } else {
            let moved = self.agreed.contract.relocated(&self.agreed.folder);
            proof.outputs_after = moved.count_outputs(&after, true, &interrupt::happened);
        }
        if interrupt::happened() {
            return Ok(self.interrupted(&reference));
        }
        let all_again = proof.passes_reference.is_some_and(|passes| passes > 0)
            && proof.passes_after >= proof.passes_reference;
        let training = proof.training.as_ref();
        let diverged = training.is_some_and(|training| training.shape.is_some());
        proof.finding = Some(if !ended_well {
            ResumeFinding::ContinuationFailed
        } else if proof.lost > 0 {
            ResumeFinding::OutputsLost
        } else if proof.repeated > 0 {
            ResumeFinding::OutputsRepeated
        } else if proof.changed > 0 {
            ResumeFinding::OutputsChanged
        } else if diverged && proof.unknown.unwrap_or(0) == 0 && self.log_is_output(&after) {
            // The log that differs as an output tells as a log in what way it does.
            ResumeFinding::TrainingDiverged
        } else if proof.different.unwrap_or(0) + proof.unknown.unwrap_or(0) > 0 {
            ResumeFinding::OutputsDiffer
        } else if diverged {
            ResumeFinding::TrainingDiverged
        } else if report.decisions[3].outcome != Outcome::Passed {
            ResumeFinding::ContractBroken
        } else if all_again || !had_state {
            ResumeFinding::BeganAnew
        } else {
            ResumeFinding::Clean
        });
        let fault = report
            .application
            .as_mut()
            .and_then(|application| application.first_fault.take());
        let report = verdict::conclude(report, self.checked, proof, fault);
        Ok(Made::finished(report, reference, attempt))
    }

    /// Whether there is a checkpoint, or something else that the contract says the command continues from.
    fn has_state(&self) -> bool {
        let contract = &self.agreed.contract;
        contract
            .checkpoints()
            .iter()
            .chain(&contract.resume.state)
            .flat_map(|pattern| files::matching(&self.agreed.folder, pattern))
            .any(|path| path.exists())
    }

    fn log_is_output(&self, after: &Path) -> bool {
        self.agreed
            .contract
            .relocated(&self.agreed.folder)
            .log_is_output(after)
    }

    fn compare(
        &mut self,
        reference: &Reference,
        halted: &Halted,
        after: &Path,
        proof: &mut Resume,
    ) {
        self.show.contract();
        let contract: Contract = self.agreed.contract.relocated(&self.agreed.folder);
        let tolerance = contract.resume.tolerance;
        proof.tolerance = Some(tolerance);
        if contract.has_outputs() {
            let moments = Moments {
                reference: &reference.folder,
                before: &halted.folder,
                after,
            };
            let found = contract.compare(&moments, tolerance, self.variables, &interrupt::happened);
            proof.outputs_before = found.before;
            proof.outputs_after = found.after;
            proof.lost = found.lost;
            proof.repeated = found.repeated;
            proof.changed = found.changed;
            proof.different = Some(found.different);
            proof.unknown = Some(found.unknown);
            proof.examples = found.examples;
        }
        let losses = |folder: &Path| contract.losses(folder, &interrupt::happened);
        if let (Some(reference), Some(before), Some(after)) = (
            losses(&reference.folder),
            losses(&halted.folder),
            losses(after),
        ) {
            let logs = training::Logs {
                reference,
                before,
                after,
                by_step: contract.counts_steps(),
            };
            proof.lost += training::missing(&logs);
            proof.training = Some(training::compare(logs, tolerance));
        }
    }

    /// Ctrl-C: the reference stays, and the same command goes on from it.
    fn interrupted(&mut self, reference: &Reference) -> Made {
        self.notes.push(Note::ProofContinues);
        let mut report = reference.report.clone();
        report.decisions[3].outcome = Outcome::NotProven;
        Made {
            report,
            interrupted: true,
            finished: None,
        }
    }

    fn attempt_folder(&self, id: &str) -> PathBuf {
        let project = self.records.parent().unwrap_or(Path::new("."));
        project.join("attempts").join(id)
    }
}

fn plan<'a>(
    settings: &'a ResumeSettings,
    agreed: &'a Agreed,
    variables: &'a Variables,
    words: &'a [OsString],
) -> Plan<'a> {
    Plan {
        settings: &settings.run,
        words,
        agreed: Some(agreed),
        variables,
        limit: settings.run.limit,
    }
}

/// Outputs and the log: what is held against the reference. Checkpoints are opened where they lie.
fn outputs_alone(agreed: &Agreed) -> Agreed {
    Agreed {
        contract: agreed.contract.outputs_alone(),
        folder: agreed.folder.clone(),
        text: agreed.text.clone(),
    }
}

/// Also where nobody can tell.
fn in_container(report: &Report) -> bool {
    report.runtime.container != Some(Container::None)
}

fn save(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Save { path, source }
}

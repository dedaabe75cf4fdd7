//! `firstfault run`: the check first, then the user's own command under watch, then its outputs against the contract, and
//! one report with all four decisions. Prints nothing.

pub mod contract;
pub(crate) mod devices;
mod dossier;
mod ending;
pub(crate) mod launch;
pub(crate) mod mark;
mod marks;
mod memory;
mod series;
pub(crate) mod settings;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use firstfault_schema::code::{Code, Status};
use firstfault_schema::decision::Outcome;
use firstfault_schema::facts;
use firstfault_schema::report::{
    Application, Diagnosis, EndingKind, Evidence, MAX_PARAMETERS, RequestedDevice, Scalar, Stage,
};
use firstfault_schema::{Report, diagnosis};

use self::contract::{Context, Contract, Verdict};
use self::launch::{Launched, Screen};
use self::settings::RunSettings;
use crate::check::{self, Checked, Note, Progress};
use crate::error::Error;
use crate::evidence;
use crate::interpreter::Variables as InterpreterVariables;
use crate::journal::Journal;
use crate::settings::{InterpreterWish, Variables};

/// The contract that is taken where none is named.
pub(crate) const DEFAULT_CONTRACT: &str = "firstfault.toml";

/// The contract that `firstfault init` writes.
pub(crate) const TEMPLATE: &str = include_str!("template.toml");

/// Whoever shows what happens.
pub(crate) trait Stage4 {
    /// The check is at this step.
    fn check(&mut self, step: Progress);
    /// The command is about to be started; what shows it from now on.
    fn screen(&mut self) -> Box<dyn Screen + '_>;
    /// The outputs are held against the contract.
    fn contract(&mut self);
}

/// A report, what belongs to the terminal alone, and whether Ctrl-C ended the command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) report: Report,
    pub(crate) notes: Vec<Note>,
    pub(crate) interrupted: bool,
}

/// A contract that was read, and the folder that its paths begin in.
struct Agreed {
    contract: Contract,
    folder: PathBuf,
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
    let agreed = agree(settings.contract.as_deref())?;
    if !settings.python_named
        && let Some(python) = words::python(&settings.command)
    {
        settings.check.wish = InterpreterWish::Python(python);
    }
    settings.check.program = words::script(&settings.command);
    let Checked {
        mut report,
        mut notes,
    } = if settings.skip_check {
        check::left_out(&settings.check)?
    } else {
        check::run(&settings.check, &mut |step| show.check(step))?
    };
    if report.status == Status::Failed && !settings.keep_going {
        report.decisions[3].outcome = Outcome::NotReached;
        return Ok(Ran {
            report,
            notes,
            interrupted: false,
        });
    }
    let place = Place::new(&report.attempt.id, &mut notes)?;
    let kills_before = evidence::memory_kills();
    let since = place.time();
    let watcher = (settings.check.device == RequestedDevice::Gpu
        && report.pytorch.gpu_available == Some(true))
    .then(devices::Watcher::start);
    let launched = {
        let mut screen = show.screen();
        launch::launch(
            &settings.command,
            settings.limit,
            place.folder(),
            screen.as_mut(),
        )
        .map_err(|source| Error::Save {
            path: place.folder().to_path_buf(),
            source,
        })?
    };
    let devices = watcher.map(devices::Watcher::finish).unwrap_or_default();
    let kills = kills_before
        .zip(evidence::memory_kills())
        .map(|(before, now)| now.saturating_sub(before));
    let mut dossier = dossier::of(&launched, &settings, variables, kills, devices);
    for (name, value) in dossier::parameters(&launched.marks, variables) {
        if report.attempt.parameters.len() < MAX_PARAMETERS {
            report.attempt.parameters.entry(name).or_insert(value);
        }
    }
    if launched.end.left_running > 0 {
        notes.push(Note::LeftRunning(launched.end.left_running));
    }
    let ended_well = launched.end.stopped.is_none()
        && launched.end.outcome == crate::supervisor::Outcome::Exited(0);
    let (code, outcome, fault) = if ended_well {
        let verdict = agreed.as_ref().map(|agreed| {
            show.contract();
            hold(agreed, since, &launched, &mut dossier, variables, &place)
        });
        judge(&report, verdict, &dossier)
    } else {
        if agreed.is_some() {
            // Nothing follows from the outputs of a command that failed.
            dossier.outputs.clear();
        }
        let fault = first_fault(&launched, &dossier, &settings, &report, kills, &notes);
        (Code::ApplicationFailed, Outcome::Failed, Some(fault))
    };
    let interrupted = dossier
        .ending
        .as_ref()
        .is_some_and(|ending| ending.how == EndingKind::Interrupted)
        || crate::interrupt::happened();
    report.decisions[3].outcome = outcome;
    dossier.first_fault = fault.clone().map(dossier::without_machine);
    report.application = Some(dossier);
    // The first fault keeps its place: what came after it was only asked for.
    if report.status == Status::Passed {
        report.code = code;
        report.exit_code = code.exit_code();
        report.status = code.status();
        report.stage = Stage::Application;
        report.diagnosis = fault;
    }
    dossier::fit(&mut report);
    place.finish(&mut notes);
    Ok(Ran {
        report,
        notes,
        interrupted,
    })
}

fn agree(named: Option<&Path>) -> Result<Option<Agreed>, Error> {
    let path = match named {
        Some(path) => path,
        None if Path::new(DEFAULT_CONTRACT).is_file() => Path::new(DEFAULT_CONTRACT),
        None => return Ok(None),
    };
    let text = fs::read_to_string(path).map_err(|source| Error::ReadInput {
        path: path.to_path_buf(),
        source,
    })?;
    let contract = Contract::from_toml(&text).map_err(|problem| Error::Contract {
        path: path.to_path_buf(),
        problem,
    })?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
        .to_path_buf();
    Ok(Some(Agreed { contract, folder }))
}

/// Holds the outputs against the contract.
fn hold(
    agreed: &Agreed,
    since: Option<SystemTime>,
    launched: &Launched,
    dossier: &mut Application,
    variables: &Variables,
    place: &Place,
) -> Verdict {
    let checked = agreed.contract.check(&Context {
        folder: &agreed.folder,
        since,
        mode: dossier::mode_of(&launched.marks),
        stages: &dossier.stages,
        variables,
        threads: 0,
        stop: &crate::interrupt::happened,
    });
    let verdict = checked.verdict();
    place.keep("contract.jsonl", &checked.evidence);
    dossier.outputs = checked.points;
    dossier.input = checked.input;
    verdict
}

/// Code and outcome of a command that ended well. Its exit code alone proves nothing.
fn judge(
    report: &Report,
    verdict: Option<Verdict>,
    dossier: &Application,
) -> (Code, Outcome, Option<Diagnosis>) {
    match verdict {
        Some(Verdict::Holds) => (report.code, Outcome::Passed, None),
        None => (report.code, Outcome::NotProven, None),
        Some(Verdict::Broken) => (
            Code::ContractFailed,
            Outcome::Failed,
            Some(broken(report, dossier)),
        ),
        Some(Verdict::NotProven) => (
            Code::ContractFailed,
            Outcome::NotProven,
            Some(broken(report, dossier)),
        ),
    }
}

/// The diagnosis of a broken contract: the first broken point names it.
fn broken(report: &Report, dossier: &Application) -> Diagnosis {
    let first = dossier::first_broken(&dossier.outputs);
    let evidence: Vec<Evidence> = first
        .map(|point| Evidence {
            fact: facts::CONTRACT_POINT.to_owned(),
            value: Scalar::from(point),
        })
        .into_iter()
        .collect();
    diagnosis::diagnose(&diagnosis::Observation {
        code: Code::ContractFailed,
        stage: Stage::Application,
        requested_device: report.execution.requested_device,
        message: None,
        stderr: "",
        pytorch: &report.pytorch,
        libtorch: &firstfault_schema::report::Libtorch::only(
            firstfault_schema::report::WitnessAnswer::NotRun,
        ),
        evidence: &evidence,
    })
}

/// The diagnosis of a command that failed, with facts about the machine where Ctrl-C was not the reason.
fn first_fault(
    launched: &Launched,
    dossier: &Application,
    settings: &RunSettings,
    report: &Report,
    kills: Option<u64>,
    notes: &[Note],
) -> Diagnosis {
    let python = notes.iter().find_map(|note| match note {
        Note::Interpreter(path) => Some(path.clone()),
        _ => None,
    });
    let machine = if crate::interrupt::happened() {
        Vec::new()
    } else {
        let request = evidence::request(
            settings.check.device,
            settings.check.index,
            python,
            None,
            &report.pytorch,
            None,
        );
        evidence::collect(&request, &InterpreterVariables::Own)
    };
    let around = ending::Around {
        requested_device: settings.check.device,
        pytorch: &report.pytorch,
        memory_kills: kills,
        machine,
    };
    let ending = dossier
        .ending
        .clone()
        .unwrap_or_else(|| ending::ending(launched));
    ending::diagnose(launched, &ending, around)
}

/// The attempt's own folder in the project; where none can be made, one that is gone afterwards.
struct Place {
    journal: Journal,
    instead: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl Place {
    fn new(id: &str, notes: &mut Vec<Note>) -> Result<Self, Error> {
        match Journal::open_in_project(Path::new("."), id) {
            // An earlier run that was killed left no stage of a check.
            Ok((journal, _)) => {
                let path = journal.folder().unwrap_or(Path::new(".")).to_path_buf();
                Ok(Self {
                    journal,
                    instead: None,
                    path,
                })
            }
            Err(problem) => {
                notes.push(Note::NoEvidence(problem));
                let instead = tempfile::tempdir().map_err(|source| Error::Save {
                    path: std::env::temp_dir(),
                    source,
                })?;
                Ok(Self {
                    journal: Journal::none(),
                    path: instead.path().to_path_buf(),
                    instead: Some(instead),
                })
            }
        }
    }

    fn folder(&self) -> &Path {
        &self.path
    }

    /// The time by the clock of the file system that the outputs are written to.
    fn time(&self) -> Option<SystemTime> {
        let path = self.path.join("began");
        fs::write(&path, "").ok()?;
        fs::metadata(&path).ok()?.modified().ok()
    }

    /// Keeps a list in the attempt's folder, one JSON document a line.
    fn keep<T: serde::Serialize>(&self, name: &str, items: &[T]) {
        let lines: Vec<String> = items
            .iter()
            .filter_map(|item| serde_json::to_string(item).ok())
            .collect();
        if !lines.is_empty() {
            let _ = fs::write(self.path.join(name), lines.join("\n") + "\n");
        }
    }

    fn finish(self, notes: &mut Vec<Note>) {
        self.journal.finish();
        if self.instead.is_none() {
            notes.push(Note::Evidence(self.path));
        }
    }
}

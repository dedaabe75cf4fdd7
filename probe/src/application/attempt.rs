//! One attempt of the user's own command: it is run under watch, its end is judged, its outputs are held against the
//! contract, and one report comes out. Every command that runs the user's own command is made of attempts.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use firstfault_schema::code::{Code, Status};
use firstfault_schema::decision::Outcome;
use firstfault_schema::facts;
use firstfault_schema::report::{
    Application, DeviceMemory, Diagnosis, EndingKind, Evidence, MAX_PARAMETERS, RequestedDevice,
    Scalar, Stage,
};
use firstfault_schema::{Report, diagnosis};

use super::contract::{self, Context, Contract, Verdict};
use super::launch::{self, Launched, Screen, Steer};
use super::settings::RunSettings;
use super::{Stage4, devices, dossier, ending, words};
use crate::check::Note;
use crate::error::Error;
use crate::evidence;
use crate::interpreter::Variables as InterpreterVariables;
use crate::journal::Journal;
use crate::settings::Variables;
use crate::supervisor::command::Stop;

/// The contract that is taken where none is named.
pub(crate) const DEFAULT_CONTRACT: &str = "firstfault.toml";

/// A contract that was read, and the folder that its paths begin in.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) contract: Contract,
    pub(crate) folder: PathBuf,
    /// As it is written.
    pub(crate) text: String,
}

impl Agreed {
    /// What the command reads, and its own script: length and time. Work that was begun with others is other work.
    pub(crate) fn read_by(&self, command: &[OsString]) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
        self.contract
            .read_by_it()
            .iter()
            .flat_map(|pattern| contract::files::matching(&self.folder, pattern))
            .chain(words::script(command))
            .filter_map(|path| {
                let data = fs::metadata(&path).ok()?;
                Some((path, data.len(), data.modified().ok()))
            })
            .collect()
    }
}

/// What is attempted.
pub(crate) struct Plan<'a> {
    pub(crate) settings: &'a RunSettings,
    /// The command of this attempt.
    pub(crate) words: &'a [OsString],
    pub(crate) agreed: Option<&'a Agreed>,
    pub(crate) variables: &'a Variables,
    /// From the start of the command.
    pub(crate) limit: Option<Duration>,
}

/// An attempt that was made.
#[derive(Debug)]
pub(crate) struct Attempted {
    pub(crate) report: Report,
    /// What the command showed.
    pub(crate) launched: Launched,
    /// Whether Ctrl-C ended the command.
    pub(crate) interrupted: bool,
}

/// Makes one attempt on top of the report of the check. `report` must carry an identifier of its own for each attempt.
///
/// # Errors
/// Where nothing can be kept, not even for a while.
pub(crate) fn attempt(
    report: Report,
    plan: &Plan<'_>,
    notes: &mut Vec<Note>,
    show: &mut dyn Stage4,
    steer: Option<Steer<'_>>,
) -> Result<Attempted, Error> {
    attempt_since(report, plan, notes, show, steer, None)
}

/// As [`attempt`], of work that was begun by an earlier start: what was written from `since` on counts as its own.
///
/// # Errors
/// Where nothing can be kept, not even for a while.
pub(crate) fn attempt_since(
    mut report: Report,
    plan: &Plan<'_>,
    notes: &mut Vec<Note>,
    show: &mut dyn Stage4,
    steer: Option<Steer<'_>>,
    since: Option<SystemTime>,
) -> Result<Attempted, Error> {
    let place = Place::new(&report.attempt.id, notes)?;
    let since = since.or_else(|| place.time());
    let Watched {
        launched,
        kills,
        devices,
    } = watch(&report, plan, &place, show, steer)?;
    let mut dossier = dossier::of(&launched, plan, kills, devices);
    let baseline = plan.settings.check.baseline.as_ref();
    let lent = baseline.is_some_and(|baseline| baseline.lends_parameters);
    for (name, value) in dossier::parameters(&launched.marks, plan.variables) {
        let known = report.attempt.parameters.contains_key(&name);
        let fits = report.attempt.parameters.len() < MAX_PARAMETERS;
        if (known && lent) || (!known && fits) {
            report.attempt.parameters.insert(name, value);
        }
    }
    if let (Some(why), Some(program)) = (launched.not_started, plan.words.first()) {
        notes.push(Note::NotStarted(program.clone(), why));
    }
    if launched.end.left_running > 0 {
        notes.push(Note::LeftRunning(launched.end.left_running));
    }
    let ended_well = launched.end.stopped.is_none()
        && launched.end.outcome == crate::supervisor::Outcome::Exited(0);
    let (code, outcome, fault) = if ended_well {
        let verdict = plan.agreed.map(|agreed| {
            show.contract();
            hold(agreed, since, &launched, &mut dossier, plan, &place)
        });
        judge(&report, verdict, &dossier)
    } else {
        let fault = first_fault(&launched, &dossier, plan, &report, kills, notes);
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
    place.finish(notes);
    Ok(Attempted {
        report,
        launched,
        interrupted,
    })
}

/// A command that was run under watch.
pub(crate) struct Watched {
    pub(crate) launched: Launched,
    /// Kills for memory in the control group meanwhile; none where that can't be read.
    pub(crate) kills: Option<u64>,
    pub(crate) devices: Vec<DeviceMemory>,
}

/// Runs the command of `plan` under watch, and judges nothing.
///
/// # Errors
/// When the file of marks can't be made.
pub(crate) fn watch(
    report: &Report,
    plan: &Plan<'_>,
    place: &Place,
    show: &mut dyn Stage4,
    steer: Option<Steer<'_>>,
) -> Result<Watched, Error> {
    let kills_before = evidence::memory_kills();
    let watcher = (plan.settings.check.device == RequestedDevice::Gpu
        && report.pytorch.gpu_available == Some(true))
    .then(|| devices::Watcher::start(plan.settings.check.index));
    let launched = {
        let mut screen: Box<dyn Screen + '_> = show.screen();
        launch::launch(
            plan.words,
            plan.limit,
            place.folder(),
            screen.as_mut(),
            watcher.as_ref(),
            steer,
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
    Ok(Watched {
        launched,
        kills,
        devices,
    })
}

/// Reads the contract that is named, or the usual one where it is there.
///
/// # Errors
/// One that can't be read, or can't be used.
pub(crate) fn agree(named: Option<&Path>) -> Result<Option<Agreed>, Error> {
    let path = match named {
        Some(path) => path,
        None if Path::new(DEFAULT_CONTRACT).is_file() => Path::new(DEFAULT_CONTRACT),
        None => return Ok(None),
    };
    let text = contract::text_of(path).map_err(|source| Error::ReadInput {
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
    Ok(Some(Agreed {
        contract,
        folder,
        text,
    }))
}

/// Holds the outputs against the contract.
fn hold(
    agreed: &Agreed,
    since: Option<SystemTime>,
    launched: &Launched,
    dossier: &mut Application,
    plan: &Plan<'_>,
    place: &Place,
) -> Verdict {
    let checked = agreed.contract.check(&Context {
        folder: &agreed.folder,
        since,
        mode: dossier::mode_of(&launched.marks),
        stages: &dossier::ended(&launched.marks),
        variables: plan.variables,
        threads: 0,
        stop: &|| crate::interrupt::happened() || plan.settings.is_over(),
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
        .map(|broken| match broken {
            dossier::Broken::Point(point) => (facts::CONTRACT_POINT, point),
            dossier::Broken::File(word) => (facts::CONTRACT_FILE, word),
        })
        .map(|(fact, value)| Evidence {
            fact: fact.to_owned(),
            value: Scalar::from(value),
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

/// The diagnosis of a command that failed, with facts about the machine where nobody stopped it.
fn first_fault(
    launched: &Launched,
    dossier: &Application,
    plan: &Plan<'_>,
    report: &Report,
    kills: Option<u64>,
    notes: &[Note],
) -> Diagnosis {
    let python = notes.iter().find_map(|note| match note {
        Note::Interpreter(path) => Some(path.clone()),
        _ => None,
    });
    // Where the command was stopped for a reason, no machine is at fault.
    let machine = if crate::interrupt::happened()
        || launched.end.stopped == Some(Stop::Order)
        || plan.settings.is_over_in(evidence::LIMIT)
    {
        Vec::new()
    } else {
        let request = evidence::request(
            plan.settings.check.device,
            plan.settings.check.index,
            python,
            None,
            &report.pytorch,
            None,
        );
        evidence::collect(&request, &InterpreterVariables::Own)
    };
    let around = ending::Around {
        requested_device: plan.settings.check.device,
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
#[derive(Debug)]
pub(crate) struct Place {
    journal: Journal,
    instead: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl Place {
    /// Makes the folder of attempt `id`.
    ///
    /// # Errors
    /// Where not even a temporary folder can be made.
    pub(crate) fn new(id: &str, notes: &mut Vec<Note>) -> Result<Self, Error> {
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

    /// Where everything is kept that this attempt leaves.
    pub(crate) fn folder(&self) -> &Path {
        &self.path
    }

    /// The time by the clock of the file system that the outputs are written to.
    pub(crate) fn time(&self) -> Option<SystemTime> {
        let path = self.path.join("began");
        fs::write(&path, "").ok()?;
        // What was written just before the run is no output of it, however coarse the clock is.
        std::thread::sleep(2 * contract::files::TICK);
        fs::write(&path, "began").ok()?;
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

    /// Notes that the attempt came to its end.
    pub(crate) fn finish(self, notes: &mut Vec<Note>) {
        self.journal.finish();
        if self.instead.is_none() {
            notes.push(Note::Evidence(self.path));
        }
    }
}

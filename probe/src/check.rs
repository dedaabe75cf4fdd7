//! `firstfault check`: settles the interpreter, lets the engines work one after the other, collects evidence after a
//! failure, and puts the report together. Prints nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::code::{Code, Status};
use firstfault_schema::decision;
use firstfault_schema::diagnosis::{self, Observation};
use firstfault_schema::report::{
    Attempt, Engine, Evidence, Execution, FORMAT, Host, Libtorch, Pytorch, Report, Runtime, Scalar,
    Stage, Timings, Tool, VERSION, WitnessAnswer,
};
use firstfault_schema::{Outcome as DecisionOutcome, facts};

use crate::cli::EngineChoice;
use crate::engine::libtorch::{self, LibtorchEngine};
use crate::engine::python::PythonEngine;
use crate::engine::{Findings, identity};
use crate::error::Error;
use crate::evidence;
use crate::interpreter::{self, Installed, Interpreter, SettleError, Surroundings, Wish};
use crate::journal::{Journal, Unfinished};
use crate::names;
use crate::settings::{CheckSettings, InterpreterWish};
use crate::supervisor::Outcome;

/// What happens on the way, for whoever shows progress.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Progress {
    /// A stage of an engine begins.
    Stage(Engine, Stage),
    /// Facts are collected after a failure.
    Evidence,
    /// nvidia-smi is asked.
    HostCheck,
}

/// A report, and what belongs to the terminal alone.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) report: Report,
    pub(crate) notes: Vec<Note>,
}

/// Something for the terminal that never enters a report.
#[derive(Debug)]
pub(crate) enum Note {
    /// The interpreter that was examined.
    Interpreter(PathBuf),
    /// An active environment without a Python that can be started.
    PassedOver {
        variable: &'static str,
        reason: &'static str,
    },
    /// No interpreter could be settled on.
    Unsettled(SettleError),
    /// Where the raw evidence lies.
    Evidence(PathBuf),
    /// Raw evidence could not be kept.
    NoEvidence(std::io::Error),
    /// An earlier attempt ended without a word.
    Unfinished(Unfinished),
    /// A command that could not be started, and the word for why.
    NotStarted(OsString, &'static str),
    /// Processes that could not be ended.
    LeftRunning(u32),
    /// So many files that an earlier start, which was killed, had set aside are back in their place.
    PutBack(usize),
    /// What a killed run left in the place of files that are back now, and where it is kept.
    LeftOver(PathBuf),
    /// What the command left in this run, in places that are as before now, and where it is kept.
    OwnOutputs(PathBuf),
    /// A proof of stop and resume goes on from the reference of an earlier start.
    ReferenceKept,
    /// A proof of stop and resume was stopped, and its reference is kept.
    ProofContinues,
    /// Files that an earlier start had set aside can't go back, since there are newer ones, and where they are.
    KeptAside(PathBuf),
}

/// The same report for another attempt: with an identifier and a beginning of its own.
pub(crate) fn anew(report: &Report) -> Report {
    let mut report = report.clone();
    report.attempt.id = crate::protocol::nonce();
    report.attempt.started_at = now();
    report
}

/// UTC, to the second.
fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// Runs a check. `show` is told what happens.
///
/// # Errors
/// An interpreter that can't be taken by `--pid` or `--kernel`, or Ctrl-C. Everything else is a report.
pub(crate) fn run(
    settings: &CheckSettings,
    show: &mut dyn FnMut(Progress),
) -> Result<Checked, Error> {
    let id = crate::protocol::nonce();
    let started_at = now();
    let mut notes = Vec::new();
    let mut previous = None;
    let mut journal = match Journal::open(&id) {
        Ok((journal, unfinished)) => {
            previous = Some(if unfinished.is_empty() {
                "finished"
            } else {
                "unfinished"
            });
            notes.extend(unfinished.into_iter().map(Note::Unfinished));
            journal
        }
        Err(error) => {
            notes.push(Note::NoEvidence(error));
            Journal::none()
        }
    };
    let settled = settle(settings).inspect_err(|_| journal.finish())?;
    if let Ok(interpreter) = &settled {
        notes.push(Note::Interpreter(interpreter.program.clone()));
        notes.extend(
            interpreter
                .passed_over
                .iter()
                .map(|passed| Note::PassedOver {
                    variable: passed.variable.name(),
                    reason: passed.problem.id(),
                }),
        );
    }
    let memory_kills = evidence::memory_kills();
    let Worked { findings, libtorch } =
        work(settings, settled.as_ref(), &mut journal, show).inspect_err(|_| journal.finish())?;
    if crate::interrupt::happened() {
        journal.finish();
        return Err(Error::Interrupted);
    }
    if findings.left_running > 0 {
        notes.push(Note::LeftRunning(findings.left_running));
    }
    let host = settings.host_check.then(|| {
        show(Progress::HostCheck);
        evidence::ask_nvidia_smi()
    });
    let mut report = assemble(
        settings,
        &id,
        started_at,
        &findings,
        libtorch,
        settled.as_ref().ok(),
        host,
    );
    if report.status == Status::Failed {
        show(Progress::Evidence);
        let evidence = facts_of(
            settings,
            settled.as_ref(),
            &findings,
            previous,
            memory_kills,
        );
        report.diagnosis = Some(diagnosis::diagnose(&Observation {
            code: report.code,
            stage: report.stage,
            requested_device: settings.device,
            message: findings.message.as_deref(),
            stderr: &findings.stderr,
            pytorch: &report.pytorch,
            libtorch: &report.libtorch,
            evidence: &evidence,
        }));
    }
    if let Err(problem) = settled {
        notes.push(Note::Unsettled(problem));
    }
    if crate::interrupt::happened() {
        journal.finish();
        return Err(Error::Interrupted);
    }
    if let Some(folder) = journal.folder()
        && report.status == Status::Failed
    {
        notes.push(Note::Evidence(folder.to_path_buf()));
    }
    journal.finish();
    Ok(Checked { report, notes })
}

/// The report of a run that leaves the check out: what files tell of the interpreter, and nothing that was computed.
///
/// # Errors
/// An interpreter that can't be taken.
pub(crate) fn left_out(settings: &CheckSettings) -> Result<Checked, Error> {
    let settled = settle(settings)?;
    let started_at = now();
    let findings = Findings {
        code: Code::ApplicationEnded,
        stage: Stage::Application,
        message: None,
        ..not_started(settings, "")
    };
    let notes = settled
        .as_ref()
        .map(|interpreter| Note::Interpreter(interpreter.program.clone()))
        .into_iter()
        .collect();
    let report = assemble(
        settings,
        &crate::protocol::nonce(),
        started_at,
        &findings,
        Libtorch::only(WitnessAnswer::NotRun),
        settled.as_ref().ok(),
        None,
    );
    Ok(Checked { report, notes })
}

/// The report of a check that could not be saved: its own code steps behind, its decisions and execution stay.
pub(crate) fn unsaved(mut report: Report) -> Report {
    report.unsaved_code = Some(report.code);
    report.code = Code::OutputWriteFailed;
    report.exit_code = report.code.exit_code();
    report.status = report.code.status();
    report.stage = Stage::Output;
    report
}

struct Worked {
    findings: Findings,
    libtorch: Libtorch,
}

/// Outer error: no interpreter is meant. Inner error: the one that is meant can't be started.
fn settle(settings: &CheckSettings) -> Result<Result<Interpreter, SettleError>, Error> {
    let wish = match &settings.wish {
        InterpreterWish::Default => Wish::Default,
        InterpreterWish::Python(path) => Wish::Path(path.clone()),
        InterpreterWish::Pid(pid) => Wish::Pid(*pid),
        InterpreterWish::Kernel(name) => Wish::Kernel(name.clone()),
    };
    let surroundings = Surroundings::of_this_process().map_err(|source| Error::ReadInput {
        path: PathBuf::from("."),
        source,
    })?;
    match interpreter::settle(&wish, &surroundings) {
        Err(problem) if !problem.is_finding() => Err(Error::Interpreter { problem }),
        settled => Ok(settled),
    }
}

fn work(
    settings: &CheckSettings,
    settled: Result<&Interpreter, &SettleError>,
    journal: &mut Journal,
    show: &mut dyn FnMut(Progress),
) -> Result<Worked, Error> {
    let witness = libtorch_engine(settings, settled);
    let named = !matches!(settings.wish, InterpreterWish::Default);
    let python_has_torch =
        settled.is_ok_and(|interpreter| !matches!(interpreter.torch, Installed::Missing));
    let libtorch_decides = match settings.engine {
        EngineChoice::Libtorch => true,
        EngineChoice::Python => false,
        // Without a Python that has PyTorch, a libtorch that was named is all there is to examine.
        EngineChoice::Auto => settings.libtorch.is_some() && !named && !python_has_torch,
    };
    if libtorch_decides {
        return Ok(match witness {
            Ok(engine) => {
                let mut on_stage = |stage| show(Progress::Stage(Engine::Libtorch, stage));
                let (findings, mut libtorch) = engine.run(
                    settings.device,
                    settings.index,
                    settings.limit,
                    journal,
                    &mut on_stage,
                );
                // What did not fit is told in its message and diagnosis; it decided all the same.
                libtorch.answer = WitnessAnswer::Decided;
                Worked { findings, libtorch }
            }
            Err(answer) => {
                return Err(Error::NoLibtorch {
                    built: answer != WitnessAnswer::NotBuilt,
                });
            }
        });
    }
    let findings = match settled {
        Ok(interpreter) => {
            let engine = PythonEngine {
                program: interpreter.program.clone(),
                variables: interpreter.variables.clone(),
                folder: interpreter.current_dir.clone(),
                program_folder: program_folder(settings, interpreter),
            };
            let mut on_stage = |stage| show(Progress::Stage(Engine::Python, stage));
            engine.run(
                settings.device,
                settings.index,
                settings.limit,
                journal,
                &mut on_stage,
            )
        }
        Err(problem) => not_started(settings, problem.id()),
    };
    if settings.engine == EngineChoice::Python || crate::interrupt::happened() {
        return Ok(Worked {
            findings,
            libtorch: Libtorch::only(WitnessAnswer::NotRun),
        });
    }
    let libtorch = match witness {
        Ok(engine) => {
            let limit = if findings.code == Code::Timeout {
                Duration::from_secs(5)
            } else {
                Duration::from_secs(10)
            };
            let mut on_stage = |stage| show(Progress::Stage(Engine::Libtorch, stage));
            let (seen, account) = engine.run(
                settings.device,
                settings.index,
                limit,
                journal,
                &mut on_stage,
            );
            libtorch::compare(&findings, &seen, account, settings.device)
        }
        Err(answer) => Libtorch::only(answer),
    };
    Ok(Worked { findings, libtorch })
}

/// The libtorch engine over the environment's own libraries, else over the libtorch that was named; or why there is none.
fn libtorch_engine(
    settings: &CheckSettings,
    settled: Result<&Interpreter, &SettleError>,
) -> Result<LibtorchEngine, WitnessAnswer> {
    let of_environment = settled
        .ok()
        .and_then(|interpreter| match &interpreter.torch {
            Installed::Present(package) => package.lib_dir.clone(),
            Installed::Missing | Installed::Unresolved(_) => None,
        });
    let named = || {
        settings
            .libtorch
            .as_deref()
            .and_then(libtorch::library_folder)
    };
    let libraries = of_environment.or_else(named).ok_or(WitnessAnswer::NotRun)?;
    let worker = libtorch::worker().ok_or(WitnessAnswer::NotBuilt)?;
    let variables = settled.map_or(interpreter::Variables::Own, |interpreter| {
        interpreter.variables.clone()
    });
    Ok(LibtorchEngine {
        worker,
        libraries,
        variables,
    })
}

/// The folder that Python would put first on `sys.path`.
fn program_folder(settings: &CheckSettings, interpreter: &Interpreter) -> PathBuf {
    let current = interpreter
        .current_dir
        .clone()
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default();
    match &settings.program {
        Some(program) if program.is_dir() => current.join(program),
        Some(program) => current
            .join(program)
            .parent()
            .unwrap_or(Path::new("/"))
            .to_path_buf(),
        None => current,
    }
}

/// The findings where there is no interpreter to start.
fn not_started(settings: &CheckSettings, why: &str) -> Findings {
    let gpu = settings.device == firstfault_schema::report::RequestedDevice::Gpu;
    Findings {
        code: Code::InterpreterFailed,
        stage: Stage::Interpreter,
        unproven: false,
        runtime: Runtime::default(),
        pytorch: Pytorch::default(),
        execution: Execution {
            engine: Engine::Python,
            requested_device: settings.device,
            requested_index: gpu.then_some(settings.index),
            device: None,
            dtype: None,
            product_verified: None,
            gradient_verified: None,
            synchronized: None,
            loss: None,
            timings: Timings::default(),
        },
        message: Some(why.replace('-', " ")),
        stderr: String::new(),
        uuids: Vec::new(),
        facts: Vec::new(),
        cpu_control: None,
        gpu_hooks: None,
        left_running: 0,
        outcome: Outcome::NotStarted(0),
    }
}

fn assemble(
    settings: &CheckSettings,
    id: &str,
    started_at: String,
    findings: &Findings,
    libtorch: Libtorch,
    interpreter: Option<&Interpreter>,
    host: Option<Host>,
) -> Report {
    let mut runtime = findings.runtime.clone();
    if findings.execution.engine == Engine::Python {
        runtime.environment = interpreter.map(|interpreter| interpreter.environment);
        runtime.python_version = runtime.python_version.or_else(|| {
            interpreter.and_then(|interpreter| interpreter.version.as_deref().map(names::version))
        });
    }
    runtime.system = runtime.system.or_else(|| Some(system_name().to_owned()));
    runtime.architecture = runtime
        .architecture
        .or_else(|| Some(std::env::consts::ARCH.to_owned()));
    runtime.container = evidence::container_kind();
    let mut pytorch = findings.pytorch.clone();
    if let Some(Installed::Present(package)) = interpreter.map(|interpreter| &interpreter.torch) {
        pytorch.installed_version = package.shown_version().map(names::version);
    }
    let baseline = settings.baseline.as_ref();
    let salt = baseline.and_then(|baseline| baseline.salt.as_deref());
    identity::identify(&mut pytorch, &findings.uuids, salt);
    let outcomes: [DecisionOutcome; 4] = findings.decisions();
    Report {
        format: FORMAT.to_owned(),
        version: VERSION,
        status: findings.code.status(),
        code: findings.code,
        exit_code: findings.code.exit_code(),
        unsaved_code: None,
        stage: findings.stage,
        tool: Tool {
            name: "firstfault".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        attempt: Attempt {
            id: id.to_owned(),
            label: settings.label.clone(),
            started_at,
            parameters: settings.parameters.clone(),
            baseline_id: baseline.map(|baseline| baseline.id.clone()),
        },
        decisions: decision::decisions(outcomes),
        runtime,
        pytorch,
        execution: findings.execution.clone(),
        libtorch,
        host,
        diagnosis: None,
        application: None,
        noise: None,
    }
}

const fn system_name() -> &'static str {
    if cfg!(target_os = "linux") {
        "Linux"
    } else if cfg!(target_os = "macos") {
        "Darwin"
    } else if cfg!(windows) {
        "Windows"
    } else {
        "other"
    }
}

/// Facts for the diagnosis: those of the attempt itself, then what a worker of its own collects.
fn facts_of(
    settings: &CheckSettings,
    settled: Result<&Interpreter, &SettleError>,
    findings: &Findings,
    previous: Option<&'static str>,
    memory_kills: Option<u64>,
) -> Vec<Evidence> {
    let mut found: Vec<(&'static str, Scalar)> = findings.facts.clone();
    let mut add = |fact, value: Option<Scalar>| found.extend(value.map(|value| (fact, value)));
    add(facts::PREVIOUS_ATTEMPT, previous.map(Scalar::from));
    if findings.code == Code::InterpreterFailed {
        add(
            facts::INTERPRETER_START,
            interpreter_start(settled, findings.outcome).map(Scalar::from),
        );
    }
    if findings.code == Code::WorkerFailed || findings.code == Code::InterpreterFailed {
        match findings.outcome {
            Outcome::Signalled(signal) => {
                add(facts::WORKER_SIGNAL, Some(signal_name(signal).into()))
            }
            Outcome::Exited(code) => add(
                facts::WORKER_EXIT_CODE,
                u64::try_from(code).ok().map(Scalar::from),
            ),
            _ => {}
        }
    }
    if findings.left_running > 0 {
        add(facts::WORKER_UNKILLABLE, Some(true.into()));
    }
    let mut known: Vec<Evidence> = found
        .into_iter()
        .map(|(fact, value)| Evidence {
            fact: fact.to_owned(),
            value,
        })
        .collect();
    let interpreter = settled.ok();
    let request = evidence::request(
        settings.device,
        settings.index,
        interpreter.map(|interpreter| interpreter.program.clone()),
        interpreter.map(|interpreter| program_folder(settings, interpreter)),
        &findings.pytorch,
        memory_kills,
    );
    let variables = interpreter.map_or(interpreter::Variables::Own, |interpreter| {
        interpreter.variables.clone()
    });
    known.extend(evidence::collect(&request, &variables));
    // The list of facts is the gate: whatever it does not allow stays at home.
    known.retain(|evidence| facts::is_allowed(&evidence.fact, &evidence.value));
    let mut seen = std::collections::HashSet::new();
    known.retain(|evidence| seen.insert(evidence.fact.clone()));
    known
}

fn interpreter_start(
    settled: Result<&Interpreter, &SettleError>,
    outcome: Outcome,
) -> Option<&'static str> {
    if let Err(problem) = settled {
        return problem.start_fact();
    }
    match outcome {
        // ENOENT, EACCES and ENOEXEC have these numbers on every system that has them.
        Outcome::NotStarted(2) => Some("not_found"),
        Outcome::NotStarted(8) => Some("wrong_architecture"),
        Outcome::NotStarted(_) => Some("not_executable"),
        Outcome::Exited(127) => Some("loader_failed"),
        Outcome::Exited(0) => Some("no_python"),
        Outcome::Exited(_) => Some("exited"),
        Outcome::Signalled(_) => Some("crashed"),
        Outcome::TimedOut | Outcome::Interrupted | Outcome::Lost => None,
    }
}

/// Signals have these numbers on Linux; the rare ones differ elsewhere.
pub(crate) const fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => "other",
    }
}

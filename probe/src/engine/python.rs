//! The python engine: the fixed computation in the program's own interpreter, with the program's own environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use firstfault_schema::report::{Engine, RequestedDevice, Stage};

use crate::engine::{self, Findings};
use crate::interpreter::Variables;
use crate::journal::Journal;
use crate::protocol::{Event, Request, Transcript, What};
use crate::supervisor::{self, Job, Next};

/// The worker, given to the interpreter as its `-c` argument: nothing has to be written anywhere.
const WORKER: &str = include_str!("python_worker.py");

/// What the python engine is to examine.
#[derive(Debug)]
pub(crate) struct PythonEngine {
    /// The interpreter, as it is to be executed.
    pub(crate) program: PathBuf,
    /// The variables that it is started with.
    pub(crate) variables: Variables,
    /// The folder that it is started in; none for the current one.
    pub(crate) folder: Option<PathBuf>,
    /// Folder that stands first on `sys.path`.
    pub(crate) program_folder: PathBuf,
}

impl PythonEngine {
    /// Runs the check and judges it. `on_stage` is told each stage as it begins.
    pub(crate) fn run(
        &self,
        device: RequestedDevice,
        index: u32,
        limit: Duration,
        journal: &mut Journal,
        on_stage: &mut dyn FnMut(Stage),
    ) -> Findings {
        let request = Request::new(
            device,
            index,
            Some(self.program_folder.to_string_lossy().into_owned()),
        );
        let job = Job {
            program: self.program.clone(),
            // -B: sitecustomize and .pth files are imported before the worker could forbid bytecode itself.
            arguments: ["-B", "-c", WORKER].map(OsString::from).to_vec(),
            variables: self.variables.clone(),
            added: Vec::new(),
            folder: self.folder.clone(),
            input: request.line(),
            line_prefix: request.event_prefix(),
            limit,
        };
        converse(Engine::Python, &request, &job, journal, on_stage)
    }
}

/// Runs a worker that speaks the protocol, journals what it says, and judges it.
pub(super) fn converse(
    engine: Engine,
    request: &Request,
    job: &Job,
    journal: &mut Journal,
    on_stage: &mut dyn FnMut(Stage),
) -> Findings {
    let mut transcript = Transcript::default();
    let ending = supervisor::supervise(job, |line| {
        // Once the order is broken nothing more is believed, kept or answered: a flood of events costs no disk.
        if transcript.garbled {
            return Next::Finished;
        }
        let Ok(event) = serde_json::from_slice::<Event>(line) else {
            transcript.garbled = true;
            return Next::Finished;
        };
        if event.nonce != request.nonce {
            return Next::Continue;
        }
        journal.event(engine, line);
        let (begun, next) = match &event.what {
            What::Begin { stage, wait: true } => (Some(*stage), Next::Answer),
            What::Begin { stage, .. } => (Some(*stage), Next::Continue),
            What::End { .. } => (None, Next::Continue),
            What::Fault { .. } | What::Done => (None, Next::Finished),
        };
        if !transcript.take(event) {
            return Next::Finished;
        }
        if let Some(stage) = begun {
            on_stage(stage);
        }
        if next == Next::Answer {
            // Some faults lock the host: what is known is on disk before the worker touches the device.
            journal.sync();
        }
        next
    });
    journal.stderr(engine, &ending.stderr);
    engine::judge(engine, request, &transcript, &ending)
}

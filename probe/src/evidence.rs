//! Facts about the machine, collected by processes that may hang or crash: the main process touches no driver.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use firstfault_schema::report::{Container, Evidence, Host, RequestedDevice};

use crate::application::devices;
use crate::cli::EVIDENCE;
use crate::host::evidence::{self, EvidenceRequest, Part};
use crate::host::nvidia_smi::{self, End};
use crate::host::{container, memory};
use crate::interpreter::{Surroundings, Variables};
use crate::supervisor::{self, Job, Next, Outcome};

/// For all parts together, which are collected side by side.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);
/// Facts begin so; whatever a library prints does not.
const FACT_PREFIX: &[u8] = b"{\"fact\":\"";

/// The kind of container that this process is in.
pub(crate) fn container_kind() -> Option<Container> {
    Surroundings::of_this_process()
        .ok()
        .map(|surroundings| container::kind(&surroundings))
}

/// Processes of this control group that were killed for memory so far.
pub(crate) fn memory_kills() -> Option<u64> {
    memory::kills(&Surroundings::of_this_process().ok()?)
}

/// Memory limit of this process's control group.
pub(crate) fn memory_limit() -> Option<u64> {
    memory::limit(&Surroundings::of_this_process().ok()?)
}

/// Collects every part that the request needs, with the variables of the program under examination.
pub(crate) fn collect(request: &EvidenceRequest, variables: &Variables) -> Vec<Evidence> {
    let Ok(own) = std::env::current_exe() else {
        return Vec::new();
    };
    let Ok(mut line) = serde_json::to_vec(request) else {
        return Vec::new();
    };
    line.push(b'\n');
    let job = |part: Part| Job {
        program: own.clone(),
        arguments: vec![EVIDENCE.into(), part.name().into()],
        variables: variables.clone(),
        added: Vec::new(),
        folder: None,
        input: line.clone(),
        line_prefix: FACT_PREFIX.to_vec(),
        limit: LIMIT,
    };
    thread::scope(|scope| {
        let collected: Vec<_> = Part::wanted(request)
            .iter()
            .map(|part| {
                let job = job(*part);
                // Where the system has no thread to give, this part is left out.
                thread::Builder::new().spawn_scoped(scope, move || collect_part(*part, &job))
            })
            .collect();
        collected
            .into_iter()
            .flatten()
            .flat_map(|part| part.join().unwrap_or_default())
            .collect()
    })
}

fn collect_part(part: Part, job: &Job) -> Vec<Evidence> {
    let mut found = Vec::new();
    let ending = supervisor::supervise(job, |line| {
        found.extend(serde_json::from_slice::<Evidence>(line));
        Next::Continue
    });
    if ending.outcome != Outcome::Exited(0) {
        found.extend(part.unfinished(ending.outcome == Outcome::TimedOut));
    }
    found
}

/// Runs as a process that collects one part: its name is the argument, the request comes on standard input.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let name = arguments.next().unwrap_or_default();
    if name == devices::PART {
        return devices::run(arguments);
    }
    let mut line = String::new();
    let (Some(part), Ok(_)) = (
        Part::ALL.into_iter().find(|part| name == part.name()),
        std::io::stdin().lock().read_line(&mut line),
    ) else {
        return ExitCode::from(2);
    };
    let (Ok(request), Ok(surroundings)) = (
        serde_json::from_str::<EvidenceRequest>(&line),
        Surroundings::of_this_process(),
    ) else {
        return ExitCode::from(2);
    };
    evidence::collect(part, &request, &surroundings, &mut |fact| {
        if let Ok(mut line) = serde_json::to_vec(&fact) {
            line.push(b'\n');
            let mut stdout = std::io::stdout().lock();
            // Without a reader the parent is gone, and the keeper ends this process.
            let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
        }
    });
    ExitCode::SUCCESS
}

/// The request for a check.
pub(crate) fn request(
    device: RequestedDevice,
    index: u32,
    program: Option<PathBuf>,
    program_folder: Option<PathBuf>,
    pytorch: &firstfault_schema::report::Pytorch,
    memory_kills_before: Option<u64>,
) -> EvidenceRequest {
    EvidenceRequest {
        gpu: device == RequestedDevice::Gpu,
        index,
        program,
        program_folder,
        compiled_architectures: pytorch.compiled_architectures.clone().unwrap_or_default(),
        cuda_version: pytorch.cuda_version.clone(),
        memory_kills_before,
    }
}

/// Asks `nvidia-smi`, which may hang with the driver: both questions at once, so that the limit holds for the two together.
pub(crate) fn ask_nvidia_smi() -> Host {
    thread::scope(|scope| {
        let processes = nvidia_smi::sees_all_processes()
            .then(|| {
                // Where the system has no thread to give, the list is not told.
                thread::Builder::new()
                    .spawn_scoped(scope, || nvidia_smi_says(nvidia_smi::process_arguments()))
                    .ok()
            })
            .flatten();
        let (end, text) = nvidia_smi_says(nvidia_smi::arguments());
        let list = processes
            .and_then(|asked| asked.join().ok())
            .filter(|(end, _)| *end == End::Exited(0))
            .map(|(_, list)| list);
        nvidia_smi::parse(&text, end, list.as_deref())
    })
}

fn nvidia_smi_says(arguments: [&str; 2]) -> (End, String) {
    let (ending, text) = supervisor::output_of(&Job {
        program: nvidia_smi::PROGRAM.into(),
        arguments: arguments.map(OsString::from).to_vec(),
        variables: Variables::Own,
        added: Vec::new(),
        folder: None,
        input: Vec::new(),
        line_prefix: Vec::new(),
        limit: LIMIT,
    });
    let end = match ending.outcome {
        Outcome::Exited(code) => End::Exited(code),
        Outcome::TimedOut => End::TimedOut,
        Outcome::NotStarted(_) => End::NotStarted,
        Outcome::Signalled(_) | Outcome::Interrupted | Outcome::Lost => End::Crashed,
    };
    (end, text)
}

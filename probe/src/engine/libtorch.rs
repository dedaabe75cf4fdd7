//! The libtorch engine: the same computation without Python, over the very libraries of the examined environment.
//! As a witness it explains and never overrules; where there is no Python with PyTorch, it decides.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::clean::clean;
use firstfault_schema::decision;
use firstfault_schema::report::{Engine, Libtorch, RequestedDevice, Stage, WitnessAnswer};

use crate::engine::{Findings, python};
use crate::interpreter::Variables;
use crate::journal::Journal;
use crate::protocol::Request;
use crate::supervisor::{Job, Outcome};

/// The variable that the system's loader reads.
const LOADER_PATH: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// The worker beside the running executable; none where this installation has none. PATH is never searched.
pub(crate) fn worker() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    // Cargo lays test programs one folder deeper than the programs that they test.
    let worker = own.parent()?.join(format!(
        "firstfault-libtorch{}",
        std::env::consts::EXE_SUFFIX
    ));
    worker.is_file().then_some(worker)
}

/// The folder with the libraries: `libtorch` itself or its `lib`, whichever holds them.
pub(crate) fn library_folder(libtorch: &Path) -> Option<PathBuf> {
    let names = [
        "libtorch.so",
        "libtorch.dylib",
        "torch.dll",
        "libtorch_cpu.so",
    ];
    [libtorch.join("lib"), libtorch.to_path_buf()]
        .into_iter()
        .find(|folder| names.iter().any(|name| folder.join(name).exists()))
}

/// The libtorch engine over one folder of libraries.
#[derive(Debug)]
pub(crate) struct LibtorchEngine {
    pub(crate) worker: PathBuf,
    /// Holds `libtorch.so` and its siblings.
    pub(crate) libraries: PathBuf,
    /// The variables that the program has.
    pub(crate) variables: Variables,
}

impl LibtorchEngine {
    /// Runs the check and judges it.
    pub(crate) fn run(
        &self,
        device: RequestedDevice,
        index: u32,
        limit: Duration,
        journal: &mut Journal,
        on_stage: &mut dyn FnMut(Stage),
    ) -> (Findings, Libtorch) {
        let request = Request::new(device, index, None);
        let before = self
            .variables
            .all()
            .into_iter()
            .find(|(name, _)| name == LOADER_PATH)
            .map(|(_, value)| value);
        // A user's own folders stay in front: the witness must meet what the program meets.
        let folders = before
            .iter()
            .flat_map(std::env::split_paths)
            .chain([self.libraries.clone()]);
        let path = std::env::join_paths(folders)
            .unwrap_or_else(|_| self.libraries.clone().into_os_string());
        let job = Job {
            program: self.worker.clone(),
            arguments: Vec::new(),
            variables: self.variables.clone(),
            added: vec![(LOADER_PATH.into(), path)],
            folder: None,
            input: request.line(),
            line_prefix: request.event_prefix(),
            limit,
        };
        let findings = python::converse(Engine::Libtorch, &request, &job, journal, on_stage);
        let account = account(&findings);
        (findings, account)
    }
}

/// What a deciding or witnessing libtorch saw, as a report holds it; `answer` is still open between the two.
fn account(findings: &Findings) -> Libtorch {
    let mut account = Libtorch::only(WitnessAnswer::Decided);
    let passed = findings.code.exit_code() == 0;
    account.stage = (!passed).then_some(findings.stage);
    account.message = findings
        .message
        .as_deref()
        .map(clean)
        .filter(|text| !text.is_empty());
    account.cpu_control = findings.cpu_control;
    account.gpu_hooks = findings.gpu_hooks;
    account.visible_device_count = findings.pytorch.visible_device_count;
    account.device.clone_from(&findings.execution.device);
    account.product_verified = findings.execution.product_verified;
    account.gradient_verified = findings.execution.gradient_verified;
    account.synchronized = findings.execution.synchronized;
    account.timings = findings.execution.timings.clone();
    if let Some((answer, name)) = loader_answer(findings) {
        account.answer = answer;
        account.missing = name;
        account.stage = Some(Stage::Import);
    }
    account
}

/// Whether the libraries did not fit, rather than the GPU: the answer, and the library or symbol by name.
fn loader_answer(findings: &Findings) -> Option<(WitnessAnswer, Option<String>)> {
    let loader_said = match (&findings.message, findings.outcome) {
        (Some(message), _) if message.starts_with("LoaderError") => message.as_str(),
        // The loader itself ends a program that it can't load with 127 and one line.
        (_, Outcome::Exited(127)) => findings.stderr.as_str(),
        (Some(message), _) if message.starts_with("ControlError") => {
            return Some((WitnessAnswer::Incompatible, None));
        }
        _ => return None,
    };
    if let Some(name) = opening_failure(loader_said) {
        return Some((WitnessAnswer::MissingLibrary, Some(name)));
    }
    if loader_said.contains("undefined symbol")
        || loader_said.contains("symbol lookup error")
        || loader_said.contains("version `")
    {
        return Some((WitnessAnswer::Incompatible, undefined_symbol(loader_said)));
    }
    None
}

/// `libcudart.so.13: cannot open shared object file: No such file or directory`: the library's base name.
fn opening_failure(text: &str) -> Option<String> {
    let before = text
        .split(": cannot open shared object file")
        .next()
        .filter(|before| before.len() < text.len())?;
    let name = before.rsplit([' ', ':', '/']).next().unwrap_or_default();
    Some(
        firstfault_schema::vocabulary::known_library(name)
            .unwrap_or("‹…›")
            .to_owned(),
    )
}

/// `undefined symbol: _ZN2at4_ops5zerosE, version X`: the symbol, as long as it can be one.
fn undefined_symbol(text: &str) -> Option<String> {
    let after = text.split("undefined symbol: ").nth(1)?;
    let symbol: String = after
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .take(120)
        .collect();
    (!symbol.is_empty()).then_some(symbol)
}

/// The answer of a witness beside what the deciding engine found.
pub(crate) fn compare(
    decided: &Findings,
    witness: &Findings,
    mut account: Libtorch,
    requested: RequestedDevice,
) -> Libtorch {
    if account.answer != WitnessAnswer::Decided {
        return account;
    }
    let answered = witness.message.is_some()
        || witness.code.exit_code() == 0
        || !matches!(witness.outcome, Outcome::Exited(_));
    let control = witness.cpu_control == Some(true)
        || requested == RequestedDevice::Cpu && witness.code.exit_code() == 0;
    account.answer = match witness.outcome {
        Outcome::TimedOut | Outcome::Signalled(_) | Outcome::Lost | Outcome::Interrupted
            if !control =>
        {
            WitnessAnswer::NoAnswer
        }
        _ if !answered || !control => WitnessAnswer::NoAnswer,
        _ if decided.code.status() == witness.code.status() && same_decision(decided, witness) => {
            WitnessAnswer::Agrees
        }
        _ => WitnessAnswer::Disagrees,
    };
    account
}

fn same_decision(decided: &Findings, witness: &Findings) -> bool {
    decided.code.exit_code() == 0
        || decision::decision_of(decided.stage) == decision::decision_of(witness.stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_names_the_library_that_it_cannot_open() {
        let line = "/x/firstfault-libtorch: error while loading shared libraries: libtorch_cpu.so: cannot open shared object file: No such file or directory";
        assert_eq!(opening_failure(line).as_deref(), Some("libtorch_cpu.so"));
        assert_eq!(opening_failure("all is well"), None);
        assert_eq!(
            opening_failure("/home/jane/libjane.so: cannot open shared object file").as_deref(),
            Some("‹…›")
        );
    }

    #[test]
    fn the_loader_names_the_symbol_that_it_cannot_find() {
        let line = "symbol lookup error: /x/firstfault-libtorch: undefined symbol: _ZN3c104impl3cowE, version X";
        assert_eq!(undefined_symbol(line).as_deref(), Some("_ZN3c104impl3cowE"));
    }
}

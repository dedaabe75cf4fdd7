//! Facts about the machine, collected by processes that may hang: none of them is touched by the main process.

use firstfault_schema::report::{Container, Evidence, Host};

use crate::engine::Findings;
use crate::interpreter::Interpreter;
use crate::settings::CheckSettings;

pub(crate) fn container() -> Option<Container> {
    None
}

pub(crate) fn collect(
    _settings: &CheckSettings,
    _interpreter: Option<&Interpreter>,
    _findings: &Findings,
) -> Vec<Evidence> {
    Vec::new()
}

pub(crate) fn ask_nvidia_smi() -> Host {
    Host {
        status: firstfault_schema::report::HostStatus::NotInstalled,
        driver_version: None,
        gpus: None,
    }
}

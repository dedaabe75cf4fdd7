//! What is kept of a proof: its finished reference, and what makes another start go on from it.

use std::path::PathBuf;
use std::time::SystemTime;

use firstfault_schema::Report;
use firstfault_schema::report::Checkpoint;
use serde::{Deserialize, Serialize};

use super::checkpoint::Seen;
use super::point::Course;
use super::settings::ResumeSettings;
use crate::application::attempt::Agreed;

/// What makes one proof go on from another's reference: whoever changes any of it begins anew.
#[derive(Serialize)]
pub(super) struct Work<'a> {
    tool: &'a str,
    command: Vec<String>,
    contract: &'a str,
    /// What the command reads, and its own script: length and time.
    read: Vec<(PathBuf, u64, Option<SystemTime>)>,
    limit_ms: Option<u128>,
    python: [&'a Option<String>; 2],
    pytorch: [&'a Option<String>; 3],
    devices: Vec<&'a str>,
}

/// A finished run without a stop.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) report: Report,
    /// Where its outputs were taken to.
    pub(super) folder: PathBuf,
    pub(super) course: Course,
    pub(super) checkpoints: Vec<Checkpoint>,
    pub(super) seen: Vec<Seen>,
    /// Names under which checkpoints are written before they are renamed.
    pub(super) aside_names: Vec<String>,
}

/// What this proof is the same by as another.
pub(super) fn work<'a>(
    settings: &ResumeSettings,
    agreed: &'a Agreed,
    report: &'a Report,
) -> Work<'a> {
    let command = &settings.run.command;
    let pytorch = &report.pytorch;
    Work {
        tool: &report.tool.version,
        command: command
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        contract: &agreed.text,
        read: agreed.read_by(command),
        limit_ms: settings.run.limit.map(|limit| limit.as_millis()),
        python: [
            &report.runtime.python_version,
            &report.runtime.python_implementation,
        ],
        pytorch: [
            &pytorch.version,
            &pytorch.cuda_version,
            &pytorch.hip_version,
        ],
        devices: pytorch
            .devices
            .iter()
            .flatten()
            .map(|device| device.name.as_str())
            .collect(),
    }
}

//! Facts about the machine: its driver, device nodes, container, limits, variables and libraries. Read-only; each
//! fact is bounded and may be absent, and none needs root.
//!
//! What touches a driver may hang, or crash: [`evidence`] is meant for processes of its own that are held to a
//! deadline. [`container`] reads a few files only.

pub mod container;
pub mod evidence;
pub mod nvidia_smi;

mod amd;
mod bus;
mod cuda;
mod driver;
#[cfg(target_os = "linux")]
mod libraries;
pub mod memory;
mod nodes;
pub(crate) mod nvml;
mod package;
mod system;
mod variables;

use std::ffi::OsString;
use std::path::Path;

use firstfault_schema::facts;
use firstfault_schema::report::{Evidence, Scalar};

/// Hands out facts one by one, so that those before a hang survive it.
struct Collector<'a> {
    emit: &'a mut dyn FnMut(Evidence),
}

impl Collector<'_> {
    /// Hands out a fact, unless it is absent or not allowed in a report.
    fn add(&mut self, fact: &'static str, value: Option<impl Into<Scalar>>) {
        let Some(value) = value.map(Into::into) else {
            return;
        };
        if facts::is_allowed(fact, &value) {
            (self.emit)(Evidence {
                fact: fact.to_owned(),
                value,
            });
        }
    }
}

/// The first bytes of a regular file, as text.
fn read(path: &Path) -> Option<String> {
    crate::interpreter::read_start(path, 1024 * 1024)
}

/// A file's only line, without the white space around it.
fn read_line(path: &Path) -> Option<String> {
    read(path).map(|text| text.trim().to_owned())
}

/// The names in a folder, sorted; none where it can't be read.
fn names_in(folder: &Path) -> Vec<OsString> {
    let mut names = crate::interpreter::names_in(folder, 16 * 1024);
    names.sort();
    names
}

/// The number in a file.
fn read_number(path: &Path) -> Option<u64> {
    read_line(path)?.parse().ok()
}

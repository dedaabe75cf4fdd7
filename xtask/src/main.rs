//! `cargo xtask`: sets up what is missing, then builds or checks FirstFault.
//!
//! Everything that it makes lies in the project: environments, tools, logs and builds under `target/`, the page
//! under `web/dist/`, the demo under `demo/`. Only Debian's own packages are installed outside, and only as root.

mod bench;
mod cli;
mod counts;
mod debian;
mod demo;
mod dist;
mod environments;
mod error;
mod faults;
mod files;
mod licences;
mod lint;
mod page;
mod programs;
mod progress;
mod project;
mod test;
mod wasm;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Task};
use crate::error::Error;
use crate::progress::Progress;
use crate::project::Project;

fn main() -> ExitCode {
    let progress = Progress::new();
    match run(Cli::parse().task, &progress) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress.failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task, progress: &Progress) -> Result<(), Error> {
    let project = Project::find()?;
    let _alone = project.lock(progress)?;
    match task {
        Task::Demo => demo::run(&project, progress),
        Task::Test(chosen) => test::run(&project, progress, &chosen),
        Task::Lint => lint::run(&project, progress),
        Task::Page => page::build(&project, progress)
            .map(|page| progress.result(&format!("{}", page.display()))),
        Task::Dist => dist::run(&project, progress),
        Task::Faults => faults::run(&project, progress),
        Task::Bench(chosen) => bench::run(&project, progress, &chosen),
    }
}

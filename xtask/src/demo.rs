//! The first thing to try: two real checks of this machine, and the page that shows both.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::environments::{self, Environment};
use crate::error::Error;
use crate::files::remove;
use crate::page;
use crate::programs::{self, Profile};
use crate::progress::Progress;
use crate::project::Project;

/// Exit numbers of `firstfault` that say nothing about the machine: wrong arguments, a report that can't be saved,
/// a bug, an interruption.
const NO_FINDING: [i32; 4] = [2, 12, 70, 130];

/// Sets up everything, checks the CPU and the GPU, and packs both reports into one page.
pub(crate) fn run(project: &Project, progress: &Progress) -> Result<(), Error> {
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    page::build(project, progress)?;
    let programs = programs::build(project, progress, Profile::Dev, &torch)?;
    let folder = project.root().join("demo");
    fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let [cpu, gpu, compare] =
        ["cpu.json", "gpu.json", "compare.html"].map(|name| folder.join(name));
    // firstfault never overwrites; files of an earlier demo are this demo's own.
    for file in [&cpu, &gpu, &compare] {
        remove(file)?;
    }
    let firstfault = || {
        let mut command = project.command(&programs.firstfault);
        command.env("XDG_STATE_HOME", project.target().join("xtask/state"));
        command
    };
    let check = |device: &str, report: &Path| {
        progress.heading(&format!("firstfault check --device {device}"));
        let mut command = firstfault();
        command.args([
            "check",
            "--device",
            device,
            "--label",
            &format!("demo {device}"),
            "--python",
        ]);
        command.arg(&torch).arg("--output").arg(report);
        let exit = finish(command)?;
        if NO_FINDING.contains(&exit) || !report.is_file() {
            return Err(Error::Program {
                arguments: format!("check --device {device}"),
                problem: format!("exit {exit}, no report"),
            });
        }
        Ok(exit)
    };
    let cpu_exit = check("cpu", &cpu)?;
    let gpu_exit = check("gpu", &gpu)?;
    let mut page = firstfault();
    page.arg("page")
        .args([&cpu, &gpu])
        .arg("--output")
        .arg(&compare);
    let exit = finish(page)?;
    if exit != 0 {
        return Err(Error::Program {
            arguments: "page".to_owned(),
            problem: format!("exit {exit}"),
        });
    }
    progress.result("");
    progress.result(&format!("CPU: {}", found(&cpu)?));
    progress.result(&format!("GPU: {}", found(&gpu)?));
    if gpu_exit != 0 {
        progress.result("     This is what was found on this machine, not a failure of the demo.");
    }
    progress.result("");
    progress.result("The reports: demo/cpu.json and demo/gpu.json");
    progress.result("Both in one page, to open in a browser: demo/compare.html");
    if cpu_exit != 0 {
        return Err(Error::Program {
            arguments: "check --device cpu".to_owned(),
            problem: "even the CPU check found a fault; the report says which".to_owned(),
        });
    }
    Ok(())
}

/// Runs it on this terminal, so that it is seen as a user sees it.
fn finish(mut command: Command) -> Result<i32, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|source| Error::Start {
        program: program.clone(),
        source,
    })?;
    status.code().ok_or_else(|| Error::Program {
        arguments: String::new(),
        problem: status.to_string(),
    })
}

/// Code and first failing layer, from the report itself.
fn found(path: &Path) -> Result<String, Error> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let word = |value: &serde_json::Value| value.as_str().unwrap_or("unknown").to_owned();
    let code = word(&report["code"]);
    Ok(match &report["diagnosis"] {
        serde_json::Value::Null => code,
        diagnosis => format!(
            "{code}, first failing layer: {}, who acts: {}",
            word(&diagnosis["layer"]),
            word(&diagnosis["owner"])
        ),
    })
}

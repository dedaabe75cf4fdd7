//! What the marks cost, and what a program costs under `firstfault run` beside the program alone.

use std::path::PathBuf;
use std::process::Command;

use super::{Bench, Limit, Row, median, time_ms};
use crate::error::Error;
use crate::files::remove;
use crate::project::answer;

/// How long the program takes at least.
const PROGRAM_S: f64 = 20.0;
const MOST_OUTSIDE_US: f64 = 2.0;
const MOST_INSIDE_US: f64 = 20.0;
const MOST_BESIDE: f64 = 1.02;

/// Three rows: a pair of marks outside and inside, and a whole program.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let folder = bench.project.target().join("xtask/run");
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let markers = folder.join("markers.jsonl");
    let outside = number(python(bench, &folder).arg("marks"))?;
    let inside = number(
        python(bench, &folder)
            .arg("marks")
            .env("FIRSTFAULT_MARKERS", &markers),
    )?;
    let round_s = number(&mut python(bench, &folder))?;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of rounds"
    )]
    let rounds = (PROGRAM_S / round_s).ceil() as u64;
    let alone = || {
        let mut command = python(bench, &folder);
        command.arg(rounds.to_string());
        command
    };
    let under = || {
        let program = alone();
        let mut command = bench.project.command(&bench.programs.firstfault);
        command
            .args(["run", "--skip-check", "--json", "--"])
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(&folder)
            .env("PYTHONPATH", package(bench));
        command
    };
    time_ms(alone())?;
    let (mut alone_ms, mut under_ms) = (Vec::new(), Vec::new());
    for pair in 0..bench.pairs {
        bench
            .progress
            .note(&format!("pair {} of {}", pair + 1, bench.pairs));
        alone_ms.push(time_ms(alone())?);
        under_ms.push(time_ms(under())?);
    }
    remove(&folder)?;
    let pair = |name: &str, measured, most| Row {
        name: format!("a pair of marks {name} firstfault run"),
        measured,
        unit: "µs",
        limit: Limit::AtMost(most),
        detail: "the best of 60 times 2000".to_owned(),
    };
    Ok(vec![
        pair("outside of", outside, MOST_OUTSIDE_US),
        pair("inside", inside, MOST_INSIDE_US),
        Row {
            name: "a program under run --skip-check, beside the program alone".to_owned(),
            measured: median(&under_ms) / median(&alone_ms),
            unit: "x",
            limit: Limit::AtMost(MOST_BESIDE),
            detail: format!(
                "medians {:.0} ms and {:.0} ms of {} pairs, {rounds} passes",
                median(&under_ms),
                median(&alone_ms),
                bench.pairs
            ),
        },
    ])
}

fn package(bench: &Bench<'_>) -> PathBuf {
    bench.project.root().join("probe/python")
}

fn python(bench: &Bench<'_>, folder: &std::path::Path) -> Command {
    let mut command = bench.project.command(&bench.torch);
    command
        .arg("-B")
        .arg(bench.project.root().join("xtask/src/bench/passes.py"))
        .current_dir(folder)
        .env_remove("FIRSTFAULT_MARKERS")
        .env("PYTHONPATH", package(bench));
    command
}

/// The number that a program prints.
fn number(command: &mut Command) -> Result<f64, Error> {
    let said = answer(command)?;
    said.trim().parse().map_err(|_| Error::Answer {
        program: "passes.py".to_owned(),
        answer: said.clone(),
    })
}

//! What a check costs, beside a bare Python script that does the same computation.

use std::process::Command;

use super::{Bench, Limit, Row, median, time_ms};
use crate::error::Error;

/// The engines with their limits, as multiples of the bare script.
const ENGINES: [(&str, f64); 3] = [("python", 1.10), ("auto", 1.40), ("libtorch", 0.35)];

/// One row an engine. All of them and the script take turns, so that a busy moment meets all alike.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    // Once for each, unmeasured: the first to read the libraries from disk would pay for all.
    time_ms(bare(bench))?;
    for (engine, _) in ENGINES {
        time_ms(check(bench, engine))?;
    }
    let mut bare_ms = Vec::new();
    let mut engines_ms = [const { Vec::new() }; ENGINES.len()];
    for pair in 0..bench.pairs {
        bench
            .progress
            .note(&format!("pair {} of {}", pair + 1, bench.pairs));
        bare_ms.push(time_ms(bare(bench))?);
        for (times, (engine, _)) in engines_ms.iter_mut().zip(ENGINES) {
            times.push(time_ms(check(bench, engine))?);
        }
    }
    let rows = ENGINES
        .iter()
        .zip(engines_ms)
        .map(|((engine, most), times_ms)| Row {
            name: format!("check --device cpu --engine {engine}, beside the bare script"),
            measured: median(&times_ms) / median(&bare_ms),
            unit: "x",
            limit: Limit::AtMost(*most),
            detail: format!(
                "medians {:.0} ms and {:.0} ms of {} pairs",
                median(&times_ms),
                median(&bare_ms),
                bench.pairs
            ),
        });
    Ok(rows.collect())
}

fn bare(bench: &Bench<'_>) -> Command {
    let mut command = bench.project.command(&bench.torch);
    command.arg(bench.project.root().join("xtask/src/bench/bare.py"));
    command
}

fn check(bench: &Bench<'_>, engine: &str) -> Command {
    let mut command = bench.project.command(&bench.programs.firstfault);
    command
        .args([
            "check", "--device", "cpu", "--json", "--engine", engine, "--python",
        ])
        .arg(&bench.torch)
        .env("XDG_STATE_HOME", bench.project.target().join("xtask/state"));
    command
}

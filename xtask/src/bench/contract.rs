//! How fast outputs are held against a contract, beside Python's and DuckDB's ways to do the same, which take turns.

use std::path::{Path, PathBuf};

use super::{Bench, Limit, Row, median};
use crate::environments::{self, Environment};
use crate::error::Error;
use crate::files::{remove, write_whole};
use crate::progress::Step;
use crate::project::answer;

/// Embeddings of 384 numbers each: 1.5 GB as JSON Lines.
const COUNT: u32 = 200_000;

/// A format's peer, and how many times as fast as it a check has to be.
const PEERS: [(&str, &str, f64); 4] = [
    ("jsonl", "orjson", 2.5),
    ("jsonl", "duckdb", 1.0),
    ("npy", "npy", 1.0),
    ("safetensors", "safetensors", 1.0),
];

/// One row a peer. Starting and importing are left out on both sides.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let python = environments::ensure(bench.project, bench.progress, Environment::ContractPeers)?;
    let program = build(bench)?;
    let folder = bench.project.target().join("xtask/contract");
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let script = bench.project.root().join("xtask/src/bench/contract.py");
    let mut make = bench.project.command(&python);
    make.arg(&script)
        .arg("make")
        .arg(&folder)
        .arg(COUNT.to_string());
    bench.progress.run(
        bench.project,
        Step::new("make outputs to check".to_owned(), make),
    )?;
    for (format, fields) in [
        ("jsonl", "id = 'id'\nvector = 'embedding'\n"),
        ("npy", ""),
        ("safetensors", "vector = 'embeddings'\n"),
    ] {
        let text = format!(
            "[input]\npath = 'in.jsonl'\nid = 'id'\n[output]\npath = 'out.{format}'\n{fields}dimension = 384\nunit_norm = true\n"
        );
        let path = folder.join(format!("{format}.toml"));
        write_whole(&path, text.as_bytes())?;
    }
    let mut rows = Vec::new();
    for (format, peer, least) in PEERS {
        let contract = folder.join(format!("{format}.toml"));
        // Once for each, unmeasured: the first to read the files from disk would pay for all.
        ours(bench, &program, &contract)?;
        theirs(bench, &python, &script, peer, &folder)?;
        let (mut our_s, mut their_s) = (Vec::new(), Vec::new());
        for _ in 0..bench.pairs.clamp(3, 5) {
            our_s.push(ours(bench, &program, &contract)?);
            their_s.push(theirs(bench, &python, &script, peer, &folder)?);
        }
        rows.push(Row {
            name: format!("contract, {format}, beside {}", name(peer)),
            measured: median(&their_s) / median(&our_s),
            unit: "x as fast",
            limit: Limit::AtLeast(least),
            detail: format!(
                "medians {:.3} s and {:.3} s of {} pairs, {COUNT} embeddings of 384",
                median(&our_s),
                median(&their_s),
                our_s.len()
            ),
        });
    }
    remove(&folder)?;
    Ok(rows)
}

fn name(peer: &str) -> &'static str {
    match peer {
        "orjson" => "orjson and NumPy",
        "duckdb" => "DuckDB",
        "npy" => "NumPy",
        _ => "safetensors and NumPy",
    }
}

/// The example that checks without a command to run.
fn build(bench: &Bench<'_>) -> Result<PathBuf, Error> {
    let mut cargo = bench.project.cargo();
    cargo.args([
        "build",
        "--release",
        "--package",
        "firstfault-probe",
        "--example",
        "contract",
    ]);
    let step = Step::new("build the check of a contract".to_owned(), cargo);
    bench.progress.run(bench.project, step)?;
    let name = format!("release/examples/contract{}", std::env::consts::EXE_SUFFIX);
    Ok(bench.project.target().join(name))
}

fn ours(bench: &Bench<'_>, program: &Path, contract: &Path) -> Result<f64, Error> {
    let seconds = answer(bench.project.command(program).arg(contract).arg("1"))?;
    number("contract", seconds.trim().trim_matches(['[', ']']))
}

fn theirs(
    bench: &Bench<'_>,
    python: &Path,
    script: &Path,
    peer: &str,
    folder: &Path,
) -> Result<f64, Error> {
    let mut command = bench.project.command(python);
    number(
        peer,
        answer(command.arg(script).arg(peer).arg(folder))?.trim(),
    )
}

fn number(program: &str, answer: &str) -> Result<f64, Error> {
    answer.parse().map_err(|_| Error::Answer {
        program: program.to_owned(),
        answer: answer.to_owned(),
    })
}

//! Checks the files of a folder against a contract, again and again, and prints the seconds of each time as JSON: for
//! the benchmark of the contract, which has no command to run.
//!
//! `contract CONTRACT.toml TIMES [THREADS]`

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use firstfault::application::contract::{Context, Contract, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, times, threads @ ..] = &arguments[..] else {
        return Err("contract CONTRACT.toml TIMES [THREADS]".into());
    };
    let contract = Contract::from_toml(&std::fs::read_to_string(path)?)
        .map_err(|error| format!("{}: {:?}", error.key, error.problem))?;
    let context = Context {
        folder: Path::new(path).parent().unwrap_or(Path::new(".")),
        since: None,
        mode: None,
        stages: &[],
        variables: &[],
        threads: threads.first().map_or(Ok(0), |threads| threads.parse())?,
        stop: &|| false,
    };
    let mut seconds = Vec::new();
    for _ in 0..times.parse::<u32>()? {
        let start = Instant::now();
        let checked = contract.check(&context);
        seconds.push(start.elapsed().as_secs_f64());
        if checked.verdict() != Verdict::Holds {
            return Err(format!("{:#?}", checked.points).into());
        }
    }
    let line = serde_json::to_string(&seconds)?;
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

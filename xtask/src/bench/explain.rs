//! How fast `explain` reads a log without faults, and how much memory it takes.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Bench, Limit, Row, median, time_ms};
use crate::error::Error;

/// A healthy log, repeated to this many bytes.
const LOG_BYTES: usize = 512 * 1024 * 1024;

/// Two rows: speed, start included, and the most memory that was resident.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let healthy = bench.project.root().join("schema/tests/healthy.log");
    let text = std::fs::read(&healthy).map_err(Error::file("read", &healthy))?;
    let log = bench.project.target().join("xtask/healthy.log");
    let failed = Error::file("write", &log);
    let mut file = BufWriter::new(File::create(&log).map_err(Error::file("create", &log))?);
    let mut bytes = 0;
    let mut write = || -> std::io::Result<()> {
        while bytes < LOG_BYTES {
            file.write_all(&text)?;
            bytes += text.len();
        }
        file.flush()
    };
    write().map_err(failed)?;
    let command = || {
        let mut command = bench.project.command(&bench.programs.firstfault);
        command.args(["explain", "--exit-code"]).arg(&log);
        command
    };
    time_ms(command())?;
    let mut times_ms = Vec::new();
    for _ in 0..bench.pairs.clamp(3, 7) {
        times_ms.push(time_ms(command())?);
    }
    let resident = peak_resident_kib(command())?;
    std::fs::remove_file(&log).map_err(Error::file("remove", &log))?;
    let mega = bytes as f64 / 1e6;
    Ok(vec![
        Row {
            name: "explain, a log without faults".to_owned(),
            measured: mega / (median(&times_ms) / 1000.0),
            unit: "MB/s",
            limit: Limit::AtLeast(300.0),
            detail: format!(
                "{mega:.0} MB in {:.0} ms, median of {}",
                median(&times_ms),
                times_ms.len()
            ),
        },
        Row {
            name: "explain, memory for the same log".to_owned(),
            measured: resident as f64 / 1024.0,
            unit: "MiB",
            limit: Limit::AtMost(32.0),
            detail: "peak resident memory, as last seen".to_owned(),
        },
    ])
}

/// The last peak that the kernel told before the program ended.
fn peak_resident_kib(mut command: Command) -> Result<u64, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut running = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| Error::Start {
            program: program.clone(),
            source,
        })?;
    let status = format!("/proc/{}/status", running.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let seen = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = seen.and_then(|value| value.split_whitespace().next()?.parse().ok());
        peak = peak.max(seen.unwrap_or(0));
        match running.try_wait() {
            Ok(Some(_)) => return Ok(peak),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(source) => return Err(Error::Start { program, source }),
        }
    }
}

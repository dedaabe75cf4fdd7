//! How fast `explain` reads a log without faults, and how much memory it takes.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Bench, Limit, Row, median, time_ms};
use crate::error::Error;

/// The log of a long training, in bytes.
const TRAINING_BYTES: usize = 512 * 1024 * 1024;
/// The healthy log of the tests, whose every line comes near a fault, repeated to this many bytes.
const DENSE_BYTES: usize = 64 * 1024 * 1024;

/// Three rows: the speed on both logs, start included, and the most memory that was resident.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let log = bench.project.target().join("xtask/training.log");
    let mut number = 0;
    let bytes = write(&log, TRAINING_BYTES, || {
        number += 1;
        line(number).into_bytes()
    })?;
    let (speed, median_ms) = speed(bench, &log, bytes)?;
    let resident = peak_resident_kib(explain(bench, &log))?;
    let mut rows = vec![
        Row {
            name: "explain, a training's log without faults".to_owned(),
            measured: speed,
            unit: "MB/s",
            limit: Limit::AtLeast(300.0),
            detail: format!("{:.0} MB in {median_ms:.0} ms", bytes as f64 / 1e6),
        },
        Row {
            name: "explain, memory for the same log".to_owned(),
            measured: resident as f64 / 1024.0,
            unit: "MiB",
            limit: Limit::AtMost(32.0),
            detail: "peak resident memory, as last seen".to_owned(),
        },
    ];
    let healthy = bench.project.root().join("schema/tests/healthy.log");
    let text = std::fs::read(&healthy).map_err(Error::file("read", &healthy))?;
    let bytes = write(&log, DENSE_BYTES, || text.clone())?;
    let (speed, median_ms) = self::speed(bench, &log, bytes)?;
    rows.push(Row {
        name: "explain, a healthy log that comes near a fault in every line".to_owned(),
        measured: speed,
        unit: "MB/s",
        limit: Limit::AtLeast(30.0),
        detail: format!("{:.0} MB in {median_ms:.0} ms", bytes as f64 / 1e6),
    });
    std::fs::remove_file(&log).map_err(Error::file("remove", &log))?;
    Ok(rows)
}

/// What trainings, installers and servers print when all is well.
fn line(number: usize) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    match number % 12 {
        0 => format!(
            "2026-11-30 12:{minute:02}:{second:02} INFO trainer: step {number}/900000 loss=2.{:04} lr=1e-04 tokens/s=18{:03}\n",
            number * 37 % 10_000,
            number % 1000
        ),
        1 => format!("node{}:1234:1301 [0] NCCL INFO Channel {:02}/24 : 0[0] -> 1[1] via P2P/CUMEM/read\n", number % 8, number % 24),
        2 => format!("{:3}%|#####     | {number}/900000 [12:0{}<3:11:22,  8.31it/s, loss=1.{:03}]\r", number % 100, number % 10, number % 1000),
        3 => "[INFO] Loading checkpoint shards: 100% 4/4 [00:02<00:00, 1.61it/s] device cuda:0 dtype torch.bfloat16\n".to_owned(),
        4 => format!("Epoch {}: val_acc 0.{:04} GPU memory allocated 23.4 GiB reserved 30.1 GiB, CUDA graph captured\n", number % 90, number % 10_000),
        5 => "Requirement already satisfied: nvidia-cudnn-cu12==9.1.0.70 in ./venv/lib/python3.11/site-packages (from torch)\n".to_owned(),
        6 => "192.168.0.12 - - \"POST /v1/completions HTTP/1.1\" 200 OK prompt_tokens=812 completion_tokens=128 errors=0\n".to_owned(),
        _ => format!("{{\"step\": {number}, \"loss\": 1.{:05}, \"lr\": 0.0001, \"samples\": {}}}\n", number * 31 % 100_000, number * 64),
    }
}

/// Writes pieces until there are `least` bytes; gives how many there are.
fn write(log: &Path, least: usize, mut piece: impl FnMut() -> Vec<u8>) -> Result<usize, Error> {
    let mut file = BufWriter::new(File::create(log).map_err(Error::file("create", log))?);
    let mut bytes = 0;
    while bytes < least {
        let piece = piece();
        file.write_all(&piece).map_err(Error::file("write", log))?;
        bytes += piece.len();
    }
    file.flush().map_err(Error::file("write", log))?;
    Ok(bytes)
}

fn explain(bench: &Bench<'_>, log: &Path) -> Command {
    let mut command = bench.project.command(&bench.programs.firstfault);
    // A fault that was found would end this with 1, and the measurement with it.
    command.args(["explain", "--exit-code"]).arg(log);
    command
}

/// MB/s and the median in ms.
fn speed(bench: &Bench<'_>, log: &Path, bytes: usize) -> Result<(f64, f64), Error> {
    time_ms(explain(bench, log))?;
    let mut times_ms = Vec::new();
    for _ in 0..bench.pairs.clamp(3, 7) {
        times_ms.push(time_ms(explain(bench, log))?);
    }
    let median_ms = median(&times_ms);
    Ok((bytes as f64 / 1e6 / (median_ms / 1000.0), median_ms))
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

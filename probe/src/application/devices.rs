//! Memory of the host's GPUs while a command runs. NVML may hang or crash, so a process of its own asks it.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use firstfault_schema::report::DeviceMemory;
use serde::{Deserialize, Serialize};

use crate::cli::EVIDENCE;
use crate::host::nvml;
use crate::interpreter::Variables;
use crate::supervisor::{self, Job, Next};

/// The argument of the process that asks.
pub(crate) const PART: &str = "gpu-memory";
const PREFIX: &[u8] = b"{\"used\":[";
const INTERVAL: Duration = Duration::from_millis(100);
/// No memory has so many bytes.
const UNKNOWN: u64 = u64::MAX;
/// How long the first answer may take before the command is started without it.
const FIRST_LIMIT: Duration = Duration::from_secs(2);
const LONGEST_RUN: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// The process that asks is asked to leave.
static DONE: AtomicBool = AtomicBool::new(false);

/// Memory of every GPU, in the order of NVML.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    used: Vec<u64>,
    total: Vec<u64>,
    /// Used memory of the GPU that the index means; none where that can't be told.
    wanted: Option<u64>,
}

/// Watches until it is asked for its result.
#[derive(Debug)]
pub(crate) struct Watcher {
    done: Arc<AtomicBool>,
    now: Arc<AtomicU64>,
    thread: JoinHandle<Vec<DeviceMemory>>,
}

impl Watcher {
    /// Starts to watch, and returns once the memory before the command is known, or can't be told. `index` is that of the
    /// wanted GPU, as PyTorch counts.
    pub(crate) fn start(index: u32) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let now = Arc::new(AtomicU64::new(UNKNOWN));
        let (asked, told) = (Arc::clone(&done), Arc::clone(&now));
        let (sender, first) = mpsc::channel();
        let thread = thread::spawn(move || watch(index, &asked, &told, &sender));
        let _ = first.recv_timeout(FIRST_LIMIT);
        Self { done, now, thread }
    }

    /// Memory of the wanted GPU that is in use, by whomever; none where that can't be told.
    pub(crate) fn used_now(&self) -> Option<u64> {
        Some(self.now.load(Ordering::Relaxed)).filter(|bytes| *bytes != UNKNOWN)
    }

    /// What was seen; empty where NVML told nothing.
    pub(crate) fn finish(self) -> Vec<DeviceMemory> {
        self.done.store(true, Ordering::SeqCst);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(
    index: u32,
    done: &AtomicBool,
    now: &AtomicU64,
    first: &mpsc::Sender<()>,
) -> Vec<DeviceMemory> {
    let mut devices: Vec<DeviceMemory> = Vec::new();
    let Ok(own) = std::env::current_exe() else {
        return devices;
    };
    let job = Job {
        program: own,
        arguments: vec![EVIDENCE.into(), PART.into(), index.to_string().into()],
        variables: Variables::Own,
        added: Vec::new(),
        folder: None,
        input: Vec::new(),
        line_prefix: PREFIX.to_vec(),
        limit: LONGEST_RUN,
    };
    supervisor::supervise(&job, |line| {
        if let Ok(line) = serde_json::from_slice::<Line>(line) {
            take(&mut devices, &line);
            now.store(line.wanted.unwrap_or(UNKNOWN), Ordering::Relaxed);
        }
        let _ = first.send(());
        if done.load(Ordering::SeqCst) {
            // It waits for a line on standard input and then leaves.
            Next::Answer
        } else {
            Next::Continue
        }
    });
    devices
}

fn take(devices: &mut Vec<DeviceMemory>, line: &Line) {
    for (index, bytes) in (0_u32..).zip(&line.used) {
        match devices.iter_mut().find(|device| device.index == index) {
            Some(device) => device.peak_used_bytes = device.peak_used_bytes.max(*bytes),
            None => devices.push(DeviceMemory {
                index,
                used_before_bytes: *bytes,
                peak_used_bytes: *bytes,
                total_bytes: line.total.get(index as usize).copied(),
            }),
        }
    }
}

/// Runs as the process that asks: tells memory again and again until a line comes on standard input. The argument is the
/// index of the wanted GPU.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let index = arguments
        .next()
        .and_then(|index| index.to_str()?.parse().ok())
        .unwrap_or(0);
    thread::spawn(|| {
        let mut line = String::new();
        let _ = std::io::stdin().lock().read_line(&mut line);
        // Shutting NVML down may hang, so nothing is: the system takes everything back.
        DONE.store(true, Ordering::SeqCst);
    });
    nvml::watch_memory(INTERVAL, index, |seen| {
        if DONE.load(Ordering::SeqCst) {
            return false;
        }
        let line = Line {
            used: seen.all.iter().map(|memory| memory.used).collect(),
            total: seen.all.iter().map(|memory| memory.total).collect(),
            wanted: seen.wanted.map(|memory| memory.used),
        };
        let mut stdout = std::io::stdout().lock();
        serde_json::to_writer(&mut stdout, &line).is_ok()
            && stdout
                .write_all(b"\n")
                .and_then(|()| stdout.flush())
                .is_ok()
    });
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_before_and_the_highest_is_the_peak() {
        let mut devices = Vec::new();
        for used in [[5, 1], [9, 1], [7, 1]] {
            let line = Line {
                used: used.to_vec(),
                total: vec![16, 8],
                wanted: None,
            };
            take(&mut devices, &line);
        }
        assert_eq!(
            (devices[0].used_before_bytes, devices[0].peak_used_bytes),
            (5, 9)
        );
        assert_eq!((devices[1].index, devices[1].peak_used_bytes), (1, 1));
        assert_eq!(devices[1].total_bytes, Some(8));
    }
}

//! What runs on this machine because of a test, and how much memory it takes.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The variable that every process of a run inherits.
pub const MARK: &str = "FIRSTFAULT_TEST_MARK";

/// The processes that carry this mark in their variables and have not ended: number and command line.
pub fn marked(mark: &str) -> Vec<(i32, String)> {
    let wanted = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        // A process that has ended, or that ends right now, has no variables.
        let Ok(variables) = fs::read(entry.path().join("environ")) else {
            continue;
        };
        if variables
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
        {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push((pid, line.chars().take(120).collect()));
        }
    }
    found
}

/// What still carries this mark after `patience`; whatever it is has then been killed.
pub fn left_after(mark: &str, patience: Duration) -> Vec<(i32, String)> {
    let until = Instant::now() + patience;
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return left;
        }
        if Instant::now() >= until {
            for (pid, _) in &left {
                let _ = Pid::from_raw(*pid).map(|pid| kill_process(pid, Signal::KILL));
            }
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The most resident memory that a process has had, in KiB; none once it has ended.
pub fn peak_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

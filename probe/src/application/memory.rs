//! Memory of a running command: resident memory of its whole tree, and free shared memory. Reads `/proc` sparingly, so that
//! looking costs next to nothing; elsewhere nothing is measured.

use std::collections::HashMap;
#[cfg(target_os = "linux")]
use std::fs;

/// How many looks pass before the tree is walked anew.
#[cfg(target_os = "linux")]
const LOOKS_PER_WALK: u32 = 10;

/// What was seen so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    #[cfg(target_os = "linux")]
    looks: u32,
    #[cfg(target_os = "linux")]
    processes: Vec<i32>,
    peaks: HashMap<i32, u64>,
    /// The most that all processes had together at one look, shared pages counted in each of them.
    together: u64,
    /// Now.
    pub(crate) resident: Option<u64>,
    /// The least free space in `/dev/shm`.
    pub(crate) shared_free: Option<u64>,
}

impl Watch {
    /// Looks at the tree below `root`.
    #[cfg(target_os = "linux")]
    pub(crate) fn look(&mut self, root: u32) {
        let walk = self.looks.is_multiple_of(LOOKS_PER_WALK);
        self.looks += 1;
        if walk {
            self.processes = tree(root);
            for pid in &self.processes {
                if let Some(peak) = high_water(*pid) {
                    let known = self.peaks.entry(*pid).or_default();
                    *known = peak.max(*known);
                }
            }
            if self.peaks.len() > 4096 {
                let highest = self.peaks.values().copied().max().unwrap_or(0);
                self.peaks = HashMap::from([(0, highest)]);
            }
        }
        let page = rustix::param::page_size() as u64;
        let sum: u64 = self
            .processes
            .iter()
            .filter_map(|pid| resident_pages(*pid))
            .sum();
        if sum > 0 {
            self.resident = Some(sum * page);
            self.together = self.together.max(sum * page);
        }
        if let Ok(shared) = rustix::fs::statvfs("/dev/shm") {
            let free = shared.f_bavail.saturating_mul(shared.f_frsize);
            self.shared_free = Some(self.shared_free.map_or(free, |least| least.min(free)));
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn look(&mut self, _root: u32) {}

    /// The most resident memory of the tree: that of one look, or of one process between two looks.
    pub(crate) fn peak(&self, of_one: Option<u64>) -> Option<u64> {
        let highest = self.peaks.values().copied().max();
        [
            Some(self.together).filter(|bytes| *bytes > 0),
            highest,
            of_one,
        ]
        .into_iter()
        .flatten()
        .max()
    }
}

/// Every process below `root`. The kernel may tell children; where it does not, all processes are looked at.
#[cfg(target_os = "linux")]
fn tree(root: u32) -> Vec<i32> {
    let Ok(root) = i32::try_from(root) else {
        return Vec::new();
    };
    if fs::metadata(format!("/proc/{root}/task/{root}/children")).is_err() {
        return crate::keeper::descendant_ids(root);
    }
    let mut found = children(root);
    let mut at = 0;
    while at < found.len() && found.len() < 10_000 {
        let below = children(found[at]);
        found.extend(below);
        at += 1;
    }
    found
}

#[cfg(target_os = "linux")]
fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<i32>>()
        })
        .collect()
}

/// The second number of `/proc/PID/statm`: `160331 42315 9120 1 0 61034 0`
#[cfg(target_os = "linux")]
fn resident_pages(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    text.split(' ').nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
fn high_water(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn grandchildren_belong_to_the_tree_and_their_memory_counts() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 30 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(
            &mut std::io::BufReader::new(child.stdout.take().unwrap()),
            &mut line,
        )
        .unwrap();
        let grandchild: i32 = line.trim().parse().unwrap();
        let below = tree(std::process::id());
        let mut watch = Watch::default();
        // Right after its start a process has next to no memory yet.
        for _ in 0..200 {
            watch.look(child.id());
            if watch.resident.is_some_and(|bytes| bytes > 100_000) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = rustix::process::Pid::from_raw(grandchild)
            .map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
        let _ = child.wait();
        assert!(below.contains(&grandchild), "{below:?}");
        assert!(watch.resident.is_some_and(|bytes| bytes > 100_000));
        assert_eq!(watch.peak(Some(1 << 40)), Some(1 << 40));
    }
}

//! How checkpoints are written, and whether they would outlive process and host.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::report::Checkpoint;
use serde::{Deserialize, Serialize};

use crate::application::contract::{Contract, files};

/// What was seen of one checkpoint of the contract while the command ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// A finished file took its name.
    pub(super) moved_onto: bool,
    /// It was written under its own name.
    pub(super) written_in_place: bool,
    /// It was complete at least once.
    pub(super) complete: bool,
    /// It is being written, in place or aside.
    pub(super) open: bool,
    /// Its last writing was aside.
    pub(super) aside: bool,
}

impl Seen {
    /// Whether a new one takes the old one's place in one step; none where it was not seen.
    pub(super) const fn replaced_at_once(&self) -> Option<bool> {
        match (self.moved_onto, self.written_in_place) {
            (_, true) => Some(false),
            (true, false) => Some(true),
            (false, false) => None,
        }
    }
}

/// Watches the folders of the checkpoints.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "there is no way to watch here")
)]
pub(super) struct Watcher {
    folder: PathBuf,
    patterns: Vec<(String, glob::Pattern)>,
    /// Names under which checkpoints are written before they are renamed.
    pub(super) aside_names: Vec<String>,
    pub(super) seen: Vec<Seen>,
    #[cfg(target_os = "linux")]
    events: Option<linux::Events>,
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "there is no way to watch here")
)]
impl Watcher {
    /// Watches for the checkpoints of `contract`; `aside_names` are known from an earlier run.
    pub(super) fn new(contract: &Contract, folder: &Path, aside_names: Vec<String>) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let patterns: Vec<(String, glob::Pattern)> = contract
            .checkpoints()
            .iter()
            .filter_map(|pattern| {
                let whole = if Path::new(pattern).is_absolute() {
                    pattern.clone()
                } else {
                    let folder = glob::Pattern::escape(&folder.to_string_lossy());
                    format!("{folder}/{pattern}")
                };
                Some((pattern.clone(), glob::Pattern::new(&whole).ok()?))
            })
            .collect();
        Self {
            seen: vec![Seen::default(); patterns.len()],
            #[cfg(target_os = "linux")]
            events: (!patterns.is_empty()).then(linux::Events::new).flatten(),
            folder,
            patterns,
            aside_names,
        }
    }

    /// Takes in what has happened; where nothing has, waits up to `wait` for it.
    #[cfg(target_os = "linux")]
    pub(super) fn look(&mut self, wait: Duration) {
        let Some(mut events) = self.events.take() else {
            return;
        };
        events.watch(&self.folder, &self.patterns);
        for event in events.read(wait) {
            self.take(&event);
        }
        self.events = Some(events);
    }

    /// There is no way to watch here.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn look(&mut self, _: Duration) {}

    /// Whether a checkpoint is being written, and an earlier one was complete.
    pub(super) fn is_writing(&self) -> bool {
        self.seen.iter().any(|seen| seen.open && seen.complete)
    }

    /// Which checkpoint a path is.
    fn index(&self, path: &Path) -> Option<usize> {
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::new()
        };
        self.patterns.iter().position(|(pattern, whole)| {
            path == self.folder.join(pattern) || whole.matches_path_with(path, options)
        })
    }

    /// Which checkpoint is written under another name, as far as the name tells.
    fn aside(&self, path: &Path) -> Option<usize> {
        let name = path.file_name()?.to_string_lossy();
        let is_known = self
            .aside_names
            .iter()
            .any(|known| without_digits(known) == without_digits(&name));
        self.patterns.iter().position(|(pattern, _)| {
            let pattern = self.folder.join(pattern);
            let beside = pattern.parent() == path.parent();
            let own = pattern
                .file_name()
                .map(|own| own.to_string_lossy().into_owned())
                .unwrap_or_default();
            beside && (is_known || (!own.contains(['*', '?', '[']) && name.contains(&own)))
        })
    }

    #[cfg(target_os = "linux")]
    fn take(&mut self, event: &linux::Event) {
        use linux::What;
        if let Some(index) = self.index(&event.path) {
            let seen = &mut self.seen[index];
            match event.what {
                What::MovedTo => {
                    seen.moved_onto = true;
                    seen.complete = true;
                    seen.open = false;
                    if let Some(name) = &event.moved_from
                        && !self.aside_names.contains(name)
                        && self.aside_names.len() < 64
                    {
                        self.aside_names.push(name.clone());
                    }
                }
                What::Written => {
                    seen.written_in_place = true;
                    seen.open = true;
                    seen.aside = false;
                }
                What::Closed => {
                    seen.complete |= seen.open;
                    seen.open = false;
                }
            }
        } else if event.what == What::Written
            && let Some(index) = self.aside(&event.path)
        {
            let seen = &mut self.seen[index];
            seen.open = true;
            seen.aside = true;
        }
    }
}

/// `step_100.pt.tmp` and `step_200.pt.tmp` are one name.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "there is no way to watch here")
)]
fn without_digits(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            plain.push(letter);
        } else if !plain.ends_with('0') {
            plain.push('0');
        }
    }
    plain
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

    use crate::application::contract::files;

    /// How often a folder that is not there yet is looked for.
    const LOOK_AGAIN: Duration = Duration::from_millis(20);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum What {
        /// Something was renamed onto it.
        MovedTo,
        /// Bytes were written into it.
        Written,
        /// Whoever wrote into it has closed it.
        Closed,
    }

    pub(super) struct Event {
        pub(super) path: PathBuf,
        pub(super) what: What,
        /// Its name before it was renamed.
        pub(super) moved_from: Option<String>,
    }

    pub(super) struct Events {
        inotify: OwnedFd,
        folders: HashMap<i32, PathBuf>,
        looked_at: Option<Instant>,
        moved: HashMap<u32, String>,
    }

    impl Events {
        pub(super) fn new() -> Option<Self> {
            Some(Self {
                inotify: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?,
                folders: HashMap::new(),
                looked_at: None,
                moved: HashMap::new(),
            })
        }

        /// Watches the folders of the patterns that are there by now.
        pub(super) fn watch(&mut self, folder: &Path, patterns: &[(String, glob::Pattern)]) {
            if self.looked_at.is_some_and(|at| at.elapsed() < LOOK_AGAIN) {
                return;
            }
            self.looked_at = Some(Instant::now());
            for (pattern, _) in patterns {
                let parent = folder.join(pattern);
                let parent = parent.parent().unwrap_or(folder).to_string_lossy();
                for place in files::matching(folder, &parent) {
                    if self.folders.values().any(|known| *known == place) {
                        continue;
                    }
                    let wanted = WatchFlags::MODIFY
                        | WatchFlags::CLOSE_WRITE
                        | WatchFlags::MOVED_FROM
                        | WatchFlags::MOVED_TO
                        | WatchFlags::ONLYDIR;
                    if let Ok(number) = inotify::add_watch(&self.inotify, &place, wanted) {
                        self.folders.insert(number, place);
                    }
                }
            }
        }

        /// What has happened since; where nothing has, waits up to `wait`.
        pub(super) fn read(&mut self, wait: Duration) -> Vec<Event> {
            if !wait.is_zero() && !self.folders.is_empty() {
                let mut watched = [PollFd::new(&self.inotify, PollFlags::IN)];
                let wait = Timespec::try_from(wait).ok();
                let _ = poll(&mut watched, wait.as_ref());
            }
            let mut found = Vec::new();
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
            while let Ok(event) = reader.next() {
                let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name())
                else {
                    continue;
                };
                let name = std::ffi::OsStr::from_bytes(name.to_bytes());
                let flags = event.events();
                if flags.contains(ReadFlags::MOVED_FROM) {
                    self.moved
                        .insert(event.cookie(), name.to_string_lossy().into_owned());
                    continue;
                }
                let what = if flags.contains(ReadFlags::MOVED_TO) {
                    What::MovedTo
                } else if flags.contains(ReadFlags::MODIFY) {
                    What::Written
                } else if flags.contains(ReadFlags::CLOSE_WRITE) {
                    What::Closed
                } else {
                    continue;
                };
                let moved_from = (what == What::MovedTo)
                    .then(|| self.moved.remove(&event.cookie()))
                    .flatten();
                found.push(Event {
                    path: folder.join(name),
                    what,
                    moved_from,
                });
            }
            if self.moved.len() > 1024 {
                self.moved.clear();
            }
            found
        }
    }
}

/// What holds of each checkpoint of the contract where it lies now. How it is written, and what a kill does to it, is not
/// among it.
pub(super) fn facts(contract: &Contract, folder: &Path, in_container: bool) -> Vec<Checkpoint> {
    (0..)
        .zip(contract.checkpoints())
        .map(|(index, pattern)| {
            let place = folder.join(pattern);
            let newest = files::matching(folder, pattern)
                .into_iter()
                .filter_map(|path| {
                    let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
                    Some((data.modified().ok()?, data.len()))
                })
                .max();
            let (file_system, free_bytes) = file_system(&place);
            Checkpoint {
                index,
                outlives_host: file_system.and_then(|kind| outlives_host(kind, in_container)),
                file_system: file_system.map(str::to_owned),
                replaced_at_once: None,
                opened_after_kill: None,
                killed_while_writing: None,
                bytes: newest.map(|(_, bytes)| bytes),
                kept_copies: contract.resume.kept_copies,
                free_bytes,
            }
        })
        .collect()
}

/// Whether what lies on such a file system outlives the host or container; none where that can't be told.
fn outlives_host(kind: &str, in_container: bool) -> Option<bool> {
    match kind {
        "tmpfs" | "ramfs" => Some(false),
        // A container's own layer; on a plain host it is unusual and tells nothing.
        "overlay" => in_container.then_some(false),
        "nfs" | "lustre" | "ceph" | "cifs" | "gpfs" | "beegfs" => Some(true),
        "ext4" | "xfs" | "btrfs" | "zfs" | "f2fs" => (!in_container).then_some(true),
        _ => None,
    }
}

/// Kind and free bytes of the file system that a place is on, or would be.
#[cfg(target_os = "linux")]
fn file_system(place: &Path) -> (Option<&'static str>, Option<u64>) {
    let there = place.ancestors().find(|path| path.exists());
    let Some(found) = there.and_then(|path| rustix::fs::statfs(path).ok()) else {
        return (None, None);
    };
    // Kernels on 32 bits show some of these numbers with a sign.
    let magic = u64::try_from(found.f_type & 0xffff_ffff).unwrap_or(0);
    let kind = match magic {
        0xEF53 => "ext4",
        0x5846_5342 => "xfs",
        0x9123_683E => "btrfs",
        0x2FC1_2FC1 => "zfs",
        0xF2F5_2010 => "f2fs",
        0x794C_7630 => "overlay",
        0x0102_1994 => "tmpfs",
        0x8584_58F6 => "ramfs",
        0x6969 => "nfs",
        0x0BD0_0BD0 => "lustre",
        0x00C3_6400 => "ceph",
        0xFF53_4D42 | 0xFE53_4D42 => "cifs",
        0x4750_4653 => "gpfs",
        0x1983_0326 => "beegfs",
        0x6573_5546 => "fuse",
        _ => "other",
    };
    let block = u64::try_from(found.f_frsize).unwrap_or(0);
    (Some(kind), found.f_bavail.checked_mul(block))
}

#[cfg(not(target_os = "linux"))]
fn file_system(_: &Path) -> (Option<&'static str>, Option<u64>) {
    (None, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_aside_are_one_whatever_their_numbers() {
        assert_eq!(
            without_digits("step_100.pt.tmp"),
            without_digits("step_20.pt.tmp")
        );
        assert_ne!(without_digits("a1"), without_digits("b1"));
    }

    #[test]
    fn memory_and_layers_of_containers_outlive_nothing() {
        for (kind, in_container, expected) in [
            ("tmpfs", false, Some(false)),
            ("overlay", true, Some(false)),
            ("overlay", false, None),
            ("nfs", true, Some(true)),
            ("ext4", false, Some(true)),
            ("ext4", true, None),
            ("fuse", false, None),
        ] {
            assert_eq!(outlives_host(kind, in_container), expected, "{kind}");
        }
    }
}

//! A memory limit that is real: a control group, which only root can make.

use std::fs;
use std::path::{Path, PathBuf};

/// A control group of this test's own. Removed when dropped.
pub struct Group(PathBuf);

impl Group {
    /// A new one with this limit.
    ///
    /// # Panics
    /// Where none can be made.
    pub fn new(name: &str, mebibytes: u64) -> Self {
        let limit = (mebibytes << 20).to_string();
        let one = Path::new("/sys/fs/cgroup/memory");
        let (folder, file) = if one.is_dir() {
            (one.to_path_buf(), "memory.limit_in_bytes")
        } else {
            (PathBuf::from("/sys/fs/cgroup"), "memory.max")
        };
        let folder = folder.join(format!("firstfault-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap_or_else(|error| {
            panic!("{}: {error}: a memory limit needs root", folder.display())
        });
        fs::write(folder.join(file), limit).unwrap();
        Self(folder)
    }

    /// A command in front of the program that enters the group.
    pub fn enter(&self) -> [String; 4] {
        let script = r#"echo $$ > "$0" && exec "$@""#;
        [
            "sh".to_owned(),
            "-c".to_owned(),
            script.to_owned(),
            self.0.join("cgroup.procs").display().to_string(),
        ]
    }

    /// Processes of it that were killed for memory.
    ///
    /// # Panics
    /// Where the kernel does not tell.
    pub fn kills(&self) -> u64 {
        ["memory.oom_control", "memory.events"]
            .iter()
            .find_map(|name| fs::read_to_string(self.0.join(name)).ok())
            .and_then(|text| {
                let line = text
                    .lines()
                    .find_map(|line| line.strip_prefix("oom_kill "))?;
                line.trim().parse().ok()
            })
            .unwrap_or_else(|| panic!("{}: no count of kills", self.0.display()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

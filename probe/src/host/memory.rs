//! Memory that programs may still get: of the machine, of the control group, of `/dev/shm`, and the limits on it.

use std::path::{Path, PathBuf};

use firstfault_schema::facts;

use super::{Collector, read, read_number};
use crate::interpreter::Surroundings;

pub(super) fn collect(
    surroundings: &Surroundings,
    kills_before: Option<u64>,
    collector: &mut Collector<'_>,
) {
    #[cfg(unix)]
    if let Ok(shared) = rustix::fs::statvfs(surroundings.system("dev/shm")) {
        collector.add(
            facts::DEV_SHM_BYTES,
            shared.f_blocks.checked_mul(shared.f_frsize),
        );
        collector.add(
            facts::DEV_SHM_FREE_BYTES,
            shared.f_bavail.checked_mul(shared.f_frsize),
        );
    }
    let machine = read(&surroundings.system("proc/meminfo"))
        .and_then(|text| parse_meminfo(&text, "MemAvailable"));
    let group = Group::of(surroundings);
    let limit = group.as_ref().and_then(Group::limit);
    let left_in_group = group.as_ref().zip(limit).and_then(|(group, limit)| {
        let used = group.used()?;
        Some(limit.saturating_sub(used))
    });
    let available = match (machine, left_in_group) {
        (Some(machine), Some(left)) => Some(machine.min(left)),
        (machine, left) => machine.or(left),
    };
    collector.add(facts::MEMORY_AVAILABLE_BYTES, available);
    collector.add(facts::MEMORY_LIMIT_BYTES, limit);
    let kills = kills_before
        .zip(group.as_ref().and_then(Group::kills))
        .map(|(before, now)| now.saturating_sub(before));
    collector.add(facts::MEMORY_KILLS, kills);
    #[cfg(unix)]
    {
        let locked = rustix::process::getrlimit(rustix::process::Resource::Memlock);
        collector.add(facts::LOCKED_MEMORY_LIMIT_BYTES, locked.current);
    }
}

/// Kills for memory in this process's control group so far; none where that can't be read. Reads no driver's files.
pub fn kills(surroundings: &Surroundings) -> Option<u64> {
    Group::of(surroundings)?.kills()
}

/// The tightest memory limit of this process's control group; none where nothing limits. Reads no driver's files.
pub fn limit(surroundings: &Surroundings) -> Option<u64> {
    Group::of(surroundings)?.limit()
}

/// What bounds the memory of programs that are started here, and a look at how much of it is in use by whomever.
#[derive(Debug)]
pub struct Bound {
    /// In bytes.
    pub limit: u64,
    /// Whether it is the limit of a control group; else it is the machine's own memory.
    pub is_group: bool,
    meter: Meter,
}

#[derive(Debug)]
enum Meter {
    Group(Group),
    /// Path of `meminfo`.
    Machine(PathBuf),
}

impl Bound {
    /// Bytes in use right now, without what the kernel can take back at once.
    pub fn used(&self) -> Option<u64> {
        match &self.meter {
            Meter::Group(group) => group.used(),
            Meter::Machine(path) => {
                let available = parse_meminfo(&read(path)?, "MemAvailable")?;
                Some(self.limit.saturating_sub(available))
            }
        }
    }
}

/// The tighter of control group and machine; none where neither can be read. Reads no driver's files.
pub fn bound(surroundings: &Surroundings) -> Option<Bound> {
    let path = surroundings.system("proc/meminfo");
    let machine = read(&path).and_then(|text| parse_meminfo(&text, "MemTotal"));
    let group = Group::of(surroundings)
        .and_then(|group| group.tightest())
        .filter(|(limit, _)| machine.is_none_or(|machine| *limit < machine));
    match group {
        Some((limit, group)) => Some(Bound {
            limit,
            is_group: true,
            meter: Meter::Group(group),
        }),
        None => Some(Bound {
            limit: machine?,
            is_group: false,
            meter: Meter::Machine(path),
        }),
    }
}

/// `MemAvailable:   14336732 kB`
fn parse_meminfo(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The control group that accounts for this process's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Group {
    One(PathBuf),
    Two { folder: PathBuf, top: PathBuf },
}

impl Group {
    fn of(surroundings: &Surroundings) -> Option<Self> {
        let groups = read(&surroundings.system("proc/self/cgroup"))?;
        let mounts = read(&surroundings.system("proc/self/mountinfo"))?;
        let (version, path) = parse_own_group(&groups)?;
        let (mounted_root, mount) = parse_mount(&mounts, version)?;
        let mount = surroundings.system(mount.trim_start_matches('/'));
        // In a container the path is often the host's while only the container's own part is mounted.
        let below = Path::new(&path)
            .strip_prefix(&mounted_root)
            .map_or_else(|_| PathBuf::new(), Path::to_path_buf);
        let folder = Some(mount.join(below))
            .filter(|folder| folder.is_dir())
            .unwrap_or_else(|| mount.clone());
        Some(match version {
            Version::One => Self::One(folder),
            Version::Two => Self::Two { folder, top: mount },
        })
    }

    /// The tightest limit on the way up; none where nothing limits.
    fn limit(&self) -> Option<u64> {
        self.tightest().map(|(limit, _)| limit)
    }

    /// The tightest limit on the way up, and the group that has it; none where nothing limits.
    fn tightest(&self) -> Option<(u64, Self)> {
        match self {
            // Version 1 writes a huge number where there is no limit.
            Self::One(folder) => read_number(&folder.join("memory.limit_in_bytes"))
                .filter(|limit| *limit < 1 << 60)
                .map(|limit| (limit, self.clone())),
            Self::Two { folder, top } => folder
                .ancestors()
                .take_while(|ancestor| ancestor.starts_with(top))
                .filter_map(|ancestor| {
                    let limit = read_number(&ancestor.join("memory.max"))?;
                    let group = Self::Two {
                        folder: ancestor.to_path_buf(),
                        top: top.clone(),
                    };
                    Some((limit, group))
                })
                .min_by_key(|(limit, _)| *limit),
        }
    }

    /// Used memory without what the kernel can take back at once.
    fn used(&self) -> Option<u64> {
        let (folder, usage, idle) = match self {
            Self::One(folder) => (folder, "memory.usage_in_bytes", "total_inactive_file"),
            Self::Two { folder, .. } => (folder, "memory.current", "inactive_file"),
        };
        let used = read_number(&folder.join(usage))?;
        let idle = read(&folder.join("memory.stat"))
            .and_then(|text| parse_keyed(&text, idle))
            .unwrap_or(0);
        Some(used.saturating_sub(idle))
    }

    fn kills(&self) -> Option<u64> {
        let file = match self {
            Self::One(folder) => folder.join("memory.oom_control"),
            Self::Two { folder, .. } => folder.join("memory.events"),
        };
        parse_keyed(&read(&file)?, "oom_kill")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Reads `/proc/self/cgroup`. Version 1 has a line for memory, version 2 one line for all:
/// ```text
/// 9:memory:/docker/3f1a0c
/// 0::/user.slice/user-1000.slice/session-3.scope
/// ```
fn parse_own_group(text: &str) -> Option<(Version, String)> {
    let mut two = None;
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        if controllers.split(',').any(|name| name == "memory") {
            return Some((Version::One, path.to_owned()));
        }
        if controllers.is_empty() {
            two = Some((Version::Two, path.to_owned()));
        }
    }
    two
}

/// Reads `/proc/self/mountinfo`: which part of the hierarchy is mounted, and where.
/// ```text
/// 34 29 0:30 /docker/3f1a0c /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:14 - cgroup cgroup rw,memory
/// 30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
/// ```
fn parse_mount(text: &str, version: Version) -> Option<(String, String)> {
    text.lines().find_map(|line| {
        let (mount, source) = line.split_once(" - ")?;
        let mut source = source.split_whitespace();
        let kind = source.next()?;
        let options = source.nth(1).unwrap_or_default();
        let wanted = match version {
            Version::One => kind == "cgroup" && options.split(',').any(|name| name == "memory"),
            Version::Two => kind == "cgroup2",
        };
        let mut mount = mount.split_whitespace();
        let root = mount.nth(3)?;
        let point = mount.next()?;
        wanted.then(|| (root.to_owned(), point.to_owned()))
    })
}

/// `oom_kill 1`
fn parse_keyed(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == name).then(|| value.trim().parse().ok())?
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    #[test]
    fn version_2_takes_the_tightest_limit_on_the_way_up() {
        let machine = Machine::new();
        machine.write("proc/self/cgroup", "0::/jobs/one\n");
        machine.write(
            "proc/self/mountinfo",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        machine.write(
            "proc/meminfo",
            "MemTotal: 16384 kB\nMemAvailable: 8192 kB\n",
        );
        machine.write("sys/fs/cgroup/jobs/memory.max", "4194304\n");
        machine.write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
        machine.write("sys/fs/cgroup/jobs/one/memory.current", "3145728\n");
        machine.write(
            "sys/fs/cgroup/jobs/one/memory.stat",
            "anon 5\ninactive_file 1048576\n",
        );
        machine.write(
            "sys/fs/cgroup/jobs/one/memory.events",
            "low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 0\n",
        );
        let found =
            machine.facts(|surroundings, collector| collect(surroundings, Some(2), collector));
        assert_eq!(value(&found, facts::MEMORY_LIMIT_BYTES), "4194304");
        assert_eq!(value(&found, facts::MEMORY_AVAILABLE_BYTES), "2097152");
        assert_eq!(value(&found, facts::MEMORY_KILLS), "1");
    }

    #[test]
    fn version_1_in_a_container_reads_the_part_that_is_mounted() {
        let machine = Machine::new();
        machine.write(
            "proc/self/cgroup",
            "12:cpu,cpuacct:/docker/3f1a\n9:memory:/docker/3f1a\n0::/docker/3f1a\n",
        );
        machine.write(
            "proc/self/mountinfo",
            "34 29 0:30 /docker/3f1a /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:14 - cgroup cgroup rw,memory\n",
        );
        machine.write(
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        );
        machine.write(
            "sys/fs/cgroup/memory/memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
        );
        let found =
            machine.facts(|surroundings, collector| collect(surroundings, Some(0), collector));
        assert!(
            !found
                .iter()
                .any(|fact| fact.fact == facts::MEMORY_LIMIT_BYTES)
        );
        assert_eq!(value(&found, facts::MEMORY_KILLS), "1");
        assert_eq!(kills(&machine.surroundings()), Some(1));
    }

    #[test]
    fn the_bound_is_the_group_that_limits_or_else_the_machine() {
        let machine = Machine::new();
        machine.write(
            "proc/meminfo",
            "MemTotal: 16384 kB\nMemAvailable: 8192 kB\n",
        );
        let whole = bound(&machine.surroundings()).unwrap();
        assert_eq!((whole.limit, whole.is_group), (16384 * 1024, false));
        assert_eq!(whole.used(), Some(8192 * 1024));
        machine.write("proc/self/cgroup", "0::/jobs/one\n");
        machine.write(
            "proc/self/mountinfo",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        machine.write("sys/fs/cgroup/jobs/memory.max", "4194304\n");
        machine.write("sys/fs/cgroup/jobs/memory.current", "3000000\n");
        machine.write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
        machine.write("sys/fs/cgroup/jobs/one/memory.current", "1000000\n");
        let group = bound(&machine.surroundings()).unwrap();
        assert_eq!((group.limit, group.is_group), (4_194_304, true));
        assert_eq!(group.used(), Some(3_000_000));
        machine.write("sys/fs/cgroup/jobs/memory.max", "999999999999\n");
        assert!(!bound(&machine.surroundings()).unwrap().is_group);
    }

    #[test]
    fn memory_is_told_in_bytes() {
        let text = "MemTotal:       24605640 kB\nMemFree:          312444 kB\nMemAvailable:   14336732 kB\n";
        assert_eq!(parse_meminfo(text, "MemAvailable"), Some(14_680_813_568));
        assert_eq!(parse_meminfo(text, "Mem"), None);
    }
}

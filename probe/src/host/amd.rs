//! AMD's compute driver, from its topology in `/sys`, and the groups that its nodes ask for.

#[cfg(unix)]
use std::path::Path;

use firstfault_schema::facts;

use super::{Collector, read};
use crate::interpreter::Surroundings;

/// A node of the topology that can compute on a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Gpu {
    architecture: Option<String>,
    integrated: bool,
}

pub(super) fn topology(surroundings: &Surroundings, collector: &mut Collector<'_>) {
    let folder = surroundings.system("sys/class/kfd/kfd/topology/nodes");
    if !folder.is_dir() {
        return;
    }
    let mut nodes: Vec<(u32, Gpu)> = super::names_in(&folder)
        .into_iter()
        .filter_map(|name| {
            let number = name.to_str()?.parse().ok()?;
            let text = read(&folder.join(name).join("properties"))?;
            Some((number, parse_properties(&text)?))
        })
        .collect();
    nodes.sort_by_key(|(number, _)| *number);
    collector.add(facts::KFD_GPU_COUNT, Some(nodes.len() as u64));
    let Some((_, first)) = nodes.first() else {
        return;
    };
    collector.add(facts::AMD_ARCHITECTURE, first.architecture.clone());
    let discrete_behind = nodes[1..].iter().any(|(_, gpu)| !gpu.integrated);
    collector.add(
        facts::AMD_INTEGRATED_FIRST,
        Some(first.integrated && discrete_behind),
    );
}

/// Reads a node's properties; none for a node that is a CPU alone:
/// ```text
/// cpu_cores_count 0
/// simd_count 192
/// gfx_target_version 110000
/// ```
fn parse_properties(text: &str) -> Option<Gpu> {
    let number = |name: &str| -> Option<u64> {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(' ')?;
            (key == name).then(|| value.trim().parse().ok())?
        })
    };
    if number("simd_count")? == 0 {
        return None;
    }
    let architecture = number("gfx_target_version").and_then(architecture);
    // Older kernels show an integrated GPU as one node with its CPU, newer ones as a node of its own.
    let integrated = number("cpu_cores_count").unwrap_or(0) > 0
        || architecture
            .as_deref()
            .is_some_and(|name| INTEGRATED.contains(&name));
    Some(Gpu {
        architecture,
        integrated,
    })
}

/// Architectures that AMD makes inside of processors only.
const INTEGRATED: &[&str] = &[
    "gfx902", "gfx909", "gfx90c", "gfx1013", "gfx1033", "gfx1035", "gfx1036", "gfx1037", "gfx1103",
    "gfx1150", "gfx1151", "gfx1152", "gfx1153",
];

/// 110000 is gfx1100, 90010 is gfx90a: two digits each for minor and step, the last two written hexadecimally.
fn architecture(version: u64) -> Option<String> {
    let (major, minor, step) = (version / 10_000, version / 100 % 100, version % 100);
    (major > 0 && minor < 16 && step < 16).then(|| format!("gfx{major}{minor:x}{step:x}"))
}

/// Whether this process is in the group that owns `/dev/kfd` or a render node; none where there is no such node.
#[cfg(unix)]
pub(super) fn render_group(surroundings: &Surroundings) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let kfd = surroundings.system("dev/kfd");
    let renders = super::nodes::numbered(&surroundings.system("dev/dri"), "renderD");
    let owner = std::iter::once(kfd)
        .chain(renders)
        .find_map(|node| std::fs::metadata(node).ok())?
        .gid();
    if rustix::process::geteuid().is_root() {
        return Some("root");
    }
    let status = read(&surroundings.system("proc/self/status"))?;
    let groups = parse_groups(&status);
    if groups.contains(&owner) {
        return Some("member");
    }
    let user = rustix::process::getuid().as_raw();
    let listed = is_listed(&surroundings.system("etc"), user, owner);
    // Added to the group, but not logged in again since.
    Some(if listed == Some(true) {
        "not_active"
    } else {
        "not_member"
    })
}

/// `Gid: 1000 1000 1000 1000` and `Groups: 4 24 27 44 109 1000`, with tabs after the names.
#[cfg(unix)]
fn parse_groups(status: &str) -> Vec<u32> {
    status
        .lines()
        .filter_map(|line| line.strip_prefix("Gid:").or(line.strip_prefix("Groups:")))
        .flat_map(str::split_whitespace)
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// Whether the account files put the user into the group.
#[cfg(unix)]
fn is_listed(etc: &Path, user: u32, group: u32) -> Option<bool> {
    let accounts = read(&etc.join("passwd"))?;
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(user)).then_some(name)
    })?;
    let groups = read(&etc.join("group"))?;
    // render:x:109:ada,grace
    groups.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let same = fields.next()?.parse() == Ok(group);
        let members = fields.next()?;
        same.then(|| members.split(',').any(|member| member == name))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    #[test]
    fn an_integrated_gpu_before_a_discrete_one_is_told() {
        let machine = Machine::new();
        let nodes = "sys/class/kfd/kfd/topology/nodes";
        for (node, properties) in [
            (
                "0",
                "cpu_cores_count 16\nsimd_count 0\ngfx_target_version 0\n",
            ),
            (
                "1",
                "cpu_cores_count 0\nsimd_count 4\ngfx_target_version 100306\n",
            ),
            (
                "2",
                "cpu_cores_count 0\nsimd_count 192\ngfx_target_version 110000\n",
            ),
        ] {
            machine.write(&format!("{nodes}/{node}/properties"), properties);
        }
        let found = machine.facts(topology);
        assert_eq!(value(&found, facts::KFD_GPU_COUNT), "2");
        assert_eq!(value(&found, facts::AMD_ARCHITECTURE), "gfx1036");
        assert_eq!(value(&found, facts::AMD_INTEGRATED_FIRST), "true");
    }

    #[test]
    fn architectures_are_named_as_the_compiler_names_them() {
        assert_eq!(architecture(90_010).as_deref(), Some("gfx90a"));
        assert_eq!(architecture(90_402).as_deref(), Some("gfx942"));
        assert_eq!(architecture(120_001).as_deref(), Some("gfx1201"));
        assert_eq!(architecture(0), None);
    }

    #[test]
    fn groups_are_those_of_the_process_and_those_of_the_account() {
        let status = "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nGroups:\t4 24 109 \n";
        assert_eq!(parse_groups(status), [1000, 1000, 1000, 1000, 4, 24, 109]);
        let machine = Machine::new();
        machine.write(
            "etc/passwd",
            "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n",
        );
        machine.write("etc/group", "video:x:44:grace\nrender:x:109:grace,ada\n");
        let etc = machine.root().join("etc");
        assert_eq!(is_listed(&etc, 1000, 109), Some(true));
        assert_eq!(is_listed(&etc, 1000, 44), Some(false));
        assert_eq!(is_listed(&etc, 4242, 44), None);
    }
}

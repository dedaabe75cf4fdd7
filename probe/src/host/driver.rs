//! NVIDIA's kernel driver as `/proc` and the kernel log tell it.

use std::io::Read as _;
use std::path::Path;

/// The loaded kernel module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KernelDriver {
    pub(super) version: String,
    /// `open` or `proprietary`.
    pub(super) flavour: &'static str,
}

/// Reads `/proc/driver/nvidia/version`:
/// ```text
/// NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024
/// NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (dvs-builder@U16-I3-B03-4-3)  ...
/// NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.3.0  Release Build  (buildbrain@mobile-u64-...)  ...
/// GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)
/// ```
pub(super) fn parse_version(text: &str) -> Option<KernelDriver> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("NVRM version:"))?;
    let (_, after) = line.split_once("Kernel Module")?;
    let version = after.split_whitespace().find(|word| {
        word.contains('.')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })?;
    Some(KernelDriver {
        version: version.to_owned(),
        flavour: if line.contains("Open Kernel Module") {
            "open"
        } else {
            "proprietary"
        },
    })
}

/// The newest Xid in the kernel log; none where it holds none or may not be read, which is usual without root.
pub(super) fn newest_xid(kernel_log: &Path) -> Option<u64> {
    const MOST_RECORDS: usize = 64 * 1024;
    #[cfg(unix)]
    let mut log = {
        let flags =
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC | rustix::fs::OFlags::NONBLOCK;
        std::fs::File::from(rustix::fs::open(kernel_log, flags, rustix::fs::Mode::empty()).ok()?)
    };
    #[cfg(not(unix))]
    let mut log = std::fs::File::open(kernel_log).ok()?;
    let mut newest = None;
    let mut record = [0; 8192];
    for _ in 0..MOST_RECORDS {
        match log.read(&mut record) {
            Ok(0) => break,
            Ok(length) => {
                for line in String::from_utf8_lossy(&record[..length]).lines() {
                    newest = parse_xid(line).or(newest);
                }
            }
            // Records that were overwritten while reading: the next call goes on behind them.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            Err(_) => break,
        }
    }
    newest
}

/// ```text
/// 4,1402,81523617,-;NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
/// NVRM: Xid (PCI:0000:3b:00): 31, pid=2137, name=python3, Ch 00000008, intr 10000000. MMU Fault: ...
/// ```
fn parse_xid(line: &str) -> Option<u64> {
    let (_, after) = line.split_once("NVRM: Xid (")?;
    let (_, after) = after.split_once("): ")?;
    let end = after
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(after.len());
    after[..end].parse().ok()
}

/// Names of kernel modules, one at the begin of each line of `/proc/modules`:
/// ```text
/// nvidia_uvm 1540096 0 - Live 0x0000000000000000 (POE)
/// nvidia 56823808 2 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (POE)
/// ```
pub(super) fn holds_module(modules: &str, name: &str) -> bool {
    modules
        .lines()
        .any(|line| line.split_whitespace().next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_flavours_of_the_kernel_module_are_read() {
        let proprietary = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n";
        assert_eq!(
            parse_version(proprietary),
            Some(KernelDriver {
                version: "550.54.14".into(),
                flavour: "proprietary"
            })
        );
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (dvs-builder@U16-I3-B03-4-3)  Wed Feb 26 01:33:59 UTC 2025\n";
        assert_eq!(
            parse_version(open),
            Some(KernelDriver {
                version: "570.124.06".into(),
                flavour: "open"
            })
        );
        assert_eq!(parse_version("GCC version: 12.2.0"), None);
    }

    #[test]
    fn an_xid_is_found_in_a_record_of_the_kernel_log() {
        assert_eq!(
            parse_xid(
                "4,1402,81523617,-;NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
            ),
            Some(79)
        );
        assert_eq!(
            parse_xid("NVRM: loading NVIDIA UNIX x86_64 Kernel Module"),
            None
        );
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("kmsg");
        std::fs::write(
            &log,
            "NVRM: Xid (PCI:0000:41:00): 31, pid=1\nNVRM: Xid (PCI:0000:41:00): 79, pid=2\nusb 1-1: new device\n",
        )
        .unwrap();
        assert_eq!(newest_xid(&log), Some(79));
        assert_eq!(newest_xid(&folder.path().join("none")), None);
    }

    #[test]
    fn a_module_is_known_by_its_whole_name() {
        let modules = "nvidia_uvm 1540096 0 - Live 0x0 (POE)\nnouveau 2764800 1 - Live 0x0\n";
        assert!(holds_module(modules, "nvidia_uvm"));
        assert!(!holds_module(modules, "nvidia"));
        assert!(holds_module(modules, "nouveau"));
    }
}

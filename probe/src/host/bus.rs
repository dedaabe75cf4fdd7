//! The PCI bus and what the kernel says of it, from `/sys`.

use std::path::{Path, PathBuf};

use firstfault_schema::facts;

use super::{Collector, driver, read, read_line};
use crate::interpreter::Surroundings;

const NVIDIA: u32 = 0x10de;
const AMD: u32 = 0x1002;
const INTEL: u32 = 0x8086;

/// A display or compute controller, or an NVSwitch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Controller {
    folder: PathBuf,
    vendor: u32,
}

/// Controllers by vendor, as far as a visibility variable's index can be judged by them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) nvidia: u64,
    pub(super) amd: u64,
}

pub(super) fn collect(surroundings: &Surroundings, collector: &mut Collector<'_>) -> Counts {
    let devices = surroundings.system("sys/bus/pci/devices");
    let mut counts = Counts::default();
    if devices.is_dir() {
        let (controllers, switches) = controllers(&devices);
        let count = |vendor| {
            controllers
                .iter()
                .filter(|found| found.vendor == vendor)
                .count() as u64
        };
        counts = Counts {
            nvidia: count(NVIDIA),
            amd: count(AMD),
        };
        collector.add(facts::PCI_NVIDIA_COUNT, Some(counts.nvidia));
        collector.add(facts::PCI_AMD_COUNT, Some(counts.amd));
        collector.add(facts::PCI_INTEL_COUNT, Some(count(INTEL)));
        collector.add(facts::NVSWITCH, Some(switches > 0));
        // NVIDIA makes no integrated GPU for this bus; those of the others are rarely the one that is meant.
        let discrete = [NVIDIA, AMD, INTEL]
            .iter()
            .find_map(|vendor| controllers.iter().find(|found| found.vendor == *vendor));
        if let Some(found) = discrete {
            collector.add(facts::PCI_DRIVER, Some(driver_of(&found.folder)));
            collector.add(facts::PCI_POWER, power_of(&found.folder));
        }
    }
    modules(surroundings, collector);
    // The variable's last byte is its value, behind four bytes of attributes.
    let secure_boot = std::fs::read(
        surroundings
            .system("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"),
    );
    let secure_boot = secure_boot
        .ok()
        .and_then(|bytes| bytes.last().map(|last| *last == 1));
    collector.add(facts::SECURE_BOOT, secure_boot);
    collector.add(
        facts::IOMMU,
        translates(&surroundings.system("sys/kernel/iommu_groups")),
    );
    counts
}

/// Controllers in the order of their addresses, and the number of NVSwitches.
fn controllers(devices: &Path) -> (Vec<Controller>, usize) {
    let mut found = Vec::new();
    let mut switches = 0;
    for name in super::names_in(devices) {
        let folder = devices.join(name);
        let hex = |file: &str| {
            let text = read_line(&folder.join(file))?;
            u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
        };
        let (Some(class), Some(vendor)) = (hex("class"), hex("vendor")) else {
            continue;
        };
        // 0x0300: VGA, 0x0302: 3D, 0x0380: other display, 0x1200: accelerator, 0x0680: other bridge.
        match class >> 8 {
            0x0300 | 0x0302 | 0x0380 | 0x1200 => found.push(Controller { folder, vendor }),
            0x0680 if vendor == NVIDIA => switches += 1,
            _ => {}
        }
    }
    (found, switches)
}

fn driver_of(folder: &Path) -> &'static str {
    let Ok(link) = std::fs::read_link(folder.join("driver")) else {
        return "none";
    };
    match link.file_name().and_then(|name| name.to_str()) {
        Some("nvidia") => "nvidia",
        Some("nouveau") => "nouveau",
        Some("nova" | "nova_core" | "NovaCore") => "nova",
        Some("amdgpu") => "amdgpu",
        Some("radeon") => "radeon",
        Some("i915") => "i915",
        Some("xe") => "xe",
        Some("vfio-pci") => "vfio",
        _ => "other",
    }
}

fn power_of(folder: &Path) -> Option<&'static str> {
    match read_line(&folder.join("power_state"))?.as_str() {
        "D0" => Some("on"),
        "D1" | "D2" | "D3hot" => Some("suspended"),
        "D3cold" => Some("cold"),
        _ => None,
    }
}

fn modules(surroundings: &Surroundings, collector: &mut Collector<'_>) {
    let Some(listed) = read(&surroundings.system("proc/modules")) else {
        return;
    };
    let state = |name: &str| {
        let built_in = surroundings.system("sys/module").join(name).is_dir();
        if built_in || driver::holds_module(&listed, name) {
            "loaded"
        } else {
            "absent"
        }
    };
    collector.add(facts::NVIDIA_MODULE, Some(state("nvidia")));
    collector.add(facts::NVIDIA_UVM_MODULE, Some(state("nvidia_uvm")));
    collector.add(facts::NOUVEAU_MODULE, Some(state("nouveau")));
    collector.add(facts::AMDGPU_MODULE, Some(state("amdgpu")));
}

/// Whether an IOMMU gives devices addresses of their own; one that passes them through does not.
fn translates(groups: &Path) -> Option<bool> {
    if !groups.is_dir() {
        return None;
    }
    Some(super::names_in(groups).iter().any(|group| {
        read_line(&groups.join(group).join("type")).is_some_and(|kind| kind.starts_with("DMA"))
    }))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    #[test]
    fn the_bus_tells_gpus_and_who_holds_them() {
        let machine = Machine::new();
        let pci = "sys/bus/pci/devices";
        for (address, class, vendor) in [
            ("0000:00:02.0", "0x030000", "0x8086"),
            ("0000:3b:00.0", "0x030200", "0x10de"),
            ("0000:5e:00.0", "0x030200", "0x10de"),
            ("0000:05:00.0", "0x068000", "0x10de"),
            ("0000:00:1f.3", "0x040300", "0x8086"),
        ] {
            machine.write(&format!("{pci}/{address}/class"), &format!("{class}\n"));
            machine.write(&format!("{pci}/{address}/vendor"), &format!("{vendor}\n"));
        }
        machine.write(&format!("{pci}/0000:3b:00.0/power_state"), "D3cold\n");
        machine.link(
            &format!("{pci}/0000:3b:00.0/driver"),
            "../../../bus/pci/drivers/nouveau",
        );
        machine.write("proc/modules", "nouveau 2764800 1 - Live 0x0\n");
        machine.write(
            "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
            "\u{6}\0\0\0\u{1}",
        );
        machine.write("sys/kernel/iommu_groups/0/type", "identity\n");
        let found = machine.facts(|surroundings, collector| {
            collect(surroundings, collector);
        });
        assert_eq!(value(&found, facts::PCI_NVIDIA_COUNT), "2");
        assert_eq!(value(&found, facts::PCI_INTEL_COUNT), "1");
        assert_eq!(value(&found, facts::PCI_DRIVER), "nouveau");
        assert_eq!(value(&found, facts::PCI_POWER), "cold");
        assert_eq!(value(&found, facts::NVSWITCH), "true");
        assert_eq!(value(&found, facts::NVIDIA_MODULE), "absent");
        assert_eq!(value(&found, facts::NOUVEAU_MODULE), "loaded");
        assert_eq!(value(&found, facts::SECURE_BOOT), "true");
        assert_eq!(value(&found, facts::IOMMU), "false");
    }

    #[test]
    fn a_machine_without_these_folders_gives_no_facts() {
        let machine = Machine::new();
        let found = machine.facts(|surroundings, collector| {
            collect(surroundings, collector);
        });
        assert!(found.is_empty(), "{found:?}");
    }
}

//! The state of variables that decide what a program sees: unset, empty, set or odd, never the value.

use std::path::Path;

use firstfault_schema::facts;

use super::Collector;
use crate::interpreter::Surroundings;

/// How many GPUs there are, as far as it is known without asking a driver; none where it isn't.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) nvidia: Option<u64>,
    pub(super) amd: Option<u64>,
}

type Judge = fn(&str, Known, &Surroundings) -> bool;

/// Every fact about one variable, the variables that it may stand for, and what is odd.
const STATES: &[(&str, &[&str], Judge)] = &[
    (
        facts::CUDA_VISIBLE_DEVICES,
        &["CUDA_VISIBLE_DEVICES"],
        odd_cuda_list,
    ),
    (
        facts::NVIDIA_VISIBLE_DEVICES,
        &["NVIDIA_VISIBLE_DEVICES"],
        odd_toolkit_list,
    ),
    (
        facts::NVIDIA_DRIVER_CAPABILITIES,
        &["NVIDIA_DRIVER_CAPABILITIES"],
        odd_capabilities,
    ),
    (
        facts::HIP_VISIBLE_DEVICES,
        &["HIP_VISIBLE_DEVICES"],
        odd_amd_list,
    ),
    (
        facts::ROCR_VISIBLE_DEVICES,
        &["ROCR_VISIBLE_DEVICES"],
        odd_amd_list,
    ),
    (
        facts::GPU_DEVICE_ORDINAL,
        &["GPU_DEVICE_ORDINAL"],
        odd_amd_list,
    ),
    (
        facts::ZE_AFFINITY_MASK,
        &["ZE_AFFINITY_MASK"],
        odd_affinity_mask,
    ),
    (facts::CUDA_DEVICE_ORDER, &["CUDA_DEVICE_ORDER"], odd_order),
    (
        facts::CUDA_LAUNCH_BLOCKING,
        &["CUDA_LAUNCH_BLOCKING"],
        odd_switch,
    ),
    (
        facts::HSA_OVERRIDE_GFX_VERSION,
        &["HSA_OVERRIDE_GFX_VERSION"],
        odd_gfx_version,
    ),
    (
        facts::PYTORCH_ALLOC_CONF,
        &[
            "PYTORCH_CUDA_ALLOC_CONF",
            "PYTORCH_HIP_ALLOC_CONF",
            "PYTORCH_ALLOC_CONF",
        ],
        odd_allocator,
    ),
    (facts::LD_LIBRARY_PATH, &["LD_LIBRARY_PATH"], odd_folders),
    (facts::LD_PRELOAD, &["LD_PRELOAD"], odd_preload),
    (facts::PYTHONPATH, &["PYTHONPATH"], odd_folders),
    (facts::PYTHONHOME, &["PYTHONHOME"], odd_folders),
];

pub(super) fn collect(surroundings: &Surroundings, known: Known, collector: &mut Collector<'_>) {
    for (fact, names, is_odd) in STATES {
        // The state of the one that is set; where several are, the last one counts, as it does for PyTorch.
        let values: Vec<_> = names
            .iter()
            .filter_map(|name| surroundings.raw_variable(name))
            .collect();
        let state = match values.last() {
            None => "unset",
            Some(value) if value.is_empty() => "empty",
            Some(value) if is_odd(&value.to_string_lossy(), known, surroundings) => "odd",
            Some(_) => "set",
        };
        collector.add(fact, Some(state));
    }
    if let Some(value) = surroundings.variable("CUDA_VISIBLE_DEVICES") {
        collector.add(
            facts::CUDA_VISIBLE_DEVICES_FORM,
            form(&value.to_string_lossy()),
        );
    }
}

/// One entry of a list of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry<'a> {
    Index(u64),
    Uuid(&'a str),
    Mig(&'a str),
    /// CUDA stops reading at such an entry and shows nothing behind it.
    Unreadable,
}

pub(super) fn entries(list: &str) -> impl Iterator<Item = Entry<'_>> {
    list.split(',').map(str::trim).map(|entry| {
        if let Ok(index) = entry.parse() {
            Entry::Index(index)
        } else if entry.starts_with("GPU-") {
            Entry::Uuid(entry)
        } else if entry.starts_with("MIG-") {
            Entry::Mig(entry)
        } else {
            Entry::Unreadable
        }
    })
}

fn form(list: &str) -> Option<&'static str> {
    let mut forms = entries(list).map(|entry| match entry {
        Entry::Index(_) => Some("index"),
        Entry::Uuid(_) => Some("uuid"),
        Entry::Mig(_) => Some("mig"),
        Entry::Unreadable => None,
    });
    let first = forms.next()??;
    forms.try_fold(first, |known, form| {
        let form = form?;
        Some(if form == known { known } else { "mixed" })
    })
}

/// A list that names no device, one twice, or one that isn't there.
fn odd_list(list: &str, count: Option<u64>) -> bool {
    let mut seen = Vec::new();
    for entry in entries(list) {
        let outside = match entry {
            Entry::Unreadable => true,
            Entry::Index(index) => count.is_some_and(|count| index >= count),
            Entry::Uuid(_) | Entry::Mig(_) => false,
        };
        if outside || seen.contains(&entry) {
            return true;
        }
        seen.push(entry);
    }
    false
}

fn odd_cuda_list(value: &str, known: Known, _: &Surroundings) -> bool {
    odd_list(value, known.nvidia)
}

fn odd_amd_list(value: &str, known: Known, _: &Surroundings) -> bool {
    odd_list(value, known.amd)
}

fn odd_toolkit_list(value: &str, _: Known, _: &Surroundings) -> bool {
    matches!(value.trim(), "void" | "none")
}

fn odd_capabilities(value: &str, _: Known, _: &Surroundings) -> bool {
    !value
        .split(',')
        .any(|capability| matches!(capability.trim(), "compute" | "all"))
}

/// `0`, `0,1` or `0.1`: a device, or a part of one.
fn odd_affinity_mask(value: &str, _: Known, _: &Surroundings) -> bool {
    !value.split(',').all(|entry| {
        entry
            .trim()
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn odd_order(value: &str, _: Known, _: &Surroundings) -> bool {
    !matches!(value.trim(), "FASTEST_FIRST" | "PCI_BUS_ID")
}

fn odd_switch(value: &str, _: Known, _: &Surroundings) -> bool {
    !matches!(value.trim(), "0" | "1")
}

/// `10.3.0`
fn odd_gfx_version(value: &str, _: Known, _: &Surroundings) -> bool {
    let numbers = value.trim().split('.');
    numbers.clone().count() != 3
        || !numbers
            .into_iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `expandable_segments:True,max_split_size_mb:128`, and lists in square brackets.
fn odd_allocator(value: &str, _: Known, _: &Surroundings) -> bool {
    let mut depth = 0_u32;
    let items = value.split(|letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    !items
        .map(|item| item.trim().split_once(':'))
        .all(|pair| pair.is_some_and(|(name, setting)| !name.is_empty() && !setting.is_empty()))
}

/// Folders of which none is there.
fn odd_folders(value: &str, _: Known, surroundings: &Surroundings) -> bool {
    !std::env::split_paths(value).any(|folder| surroundings.absolute(&folder).exists())
}

/// A file that is named with its path and isn't there: the loader complains at every start.
fn odd_preload(value: &str, _: Known, surroundings: &Surroundings) -> bool {
    value
        .split([' ', ':'])
        .filter(|name| name.contains('/'))
        .any(|name| !surroundings.absolute(Path::new(name)).exists())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    fn state(name: &str, text: &str, fact: &str, known: Known) -> String {
        let mut machine = Machine::new();
        machine.set(name, text);
        let found =
            machine.facts(|surroundings, collector| collect(surroundings, known, collector));
        value(&found, fact)
    }

    #[test]
    fn an_index_outside_the_gpus_is_odd_where_their_number_is_known() {
        let two = Known {
            nvidia: Some(2),
            amd: None,
        };
        for (text, known, expected) in [
            ("0,1", two, "set"),
            ("2", two, "odd"),
            ("2", Known::default(), "set"),
            ("-1", two, "odd"),
            ("", two, "empty"),
            ("0,0", two, "odd"),
            ("none", two, "odd"),
            ("GPU-8a5c,0", two, "set"),
            ("0, 1", two, "set"),
        ] {
            let found = state(
                "CUDA_VISIBLE_DEVICES",
                text,
                facts::CUDA_VISIBLE_DEVICES,
                known,
            );
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn the_form_of_the_list_is_told() {
        assert_eq!(form("0,1"), Some("index"));
        assert_eq!(form("GPU-8a5c"), Some("uuid"));
        assert_eq!(form("MIG-8a5c"), Some("mig"));
        assert_eq!(form("0,GPU-8a5c"), Some("mixed"));
        assert_eq!(form("-1"), None);
    }

    #[test]
    fn each_variable_has_its_own_oddities() {
        let known = Known::default();
        for (name, text, fact, expected) in [
            (
                "NVIDIA_VISIBLE_DEVICES",
                "void",
                facts::NVIDIA_VISIBLE_DEVICES,
                "odd",
            ),
            (
                "NVIDIA_VISIBLE_DEVICES",
                "all",
                facts::NVIDIA_VISIBLE_DEVICES,
                "set",
            ),
            (
                "NVIDIA_DRIVER_CAPABILITIES",
                "utility",
                facts::NVIDIA_DRIVER_CAPABILITIES,
                "odd",
            ),
            (
                "NVIDIA_DRIVER_CAPABILITIES",
                "compute,utility",
                facts::NVIDIA_DRIVER_CAPABILITIES,
                "set",
            ),
            ("CUDA_DEVICE_ORDER", "PCI", facts::CUDA_DEVICE_ORDER, "odd"),
            (
                "HSA_OVERRIDE_GFX_VERSION",
                "10.3.0",
                facts::HSA_OVERRIDE_GFX_VERSION,
                "set",
            ),
            (
                "HSA_OVERRIDE_GFX_VERSION",
                "gfx1030",
                facts::HSA_OVERRIDE_GFX_VERSION,
                "odd",
            ),
            (
                "PYTORCH_CUDA_ALLOC_CONF",
                "expandable_segments:True",
                facts::PYTORCH_ALLOC_CONF,
                "set",
            ),
            (
                "PYTORCH_ALLOC_CONF",
                "expandable_segments",
                facts::PYTORCH_ALLOC_CONF,
                "odd",
            ),
            (
                "PYTORCH_CUDA_ALLOC_CONF",
                "roundup_power2_divisions:[256:1,512:2,>:4]",
                facts::PYTORCH_ALLOC_CONF,
                "set",
            ),
            (
                "LD_LIBRARY_PATH",
                "/nonexistent/lib",
                facts::LD_LIBRARY_PATH,
                "odd",
            ),
            (
                "LD_LIBRARY_PATH",
                "/nonexistent/lib:/",
                facts::LD_LIBRARY_PATH,
                "set",
            ),
            ("LD_PRELOAD", "/nonexistent/x.so", facts::LD_PRELOAD, "odd"),
            ("LD_PRELOAD", "libjemalloc.so.2", facts::LD_PRELOAD, "set"),
            ("ZE_AFFINITY_MASK", "0.1,1", facts::ZE_AFFINITY_MASK, "set"),
            ("ZE_AFFINITY_MASK", "-1", facts::ZE_AFFINITY_MASK, "odd"),
        ] {
            assert_eq!(state(name, text, fact, known), expected, "{name}={text}");
        }
    }
}

//! A false NVIDIA driver library that fails on request.
//!
//! Copied as `libcuda.so.1` or `libnvidia-ml.so.1` into a folder that stands first on `LD_LIBRARY_PATH`, it makes the
//! real CUDA build of PyTorch, with the real CUDA runtime, meet the behaviour of a broken driver on a machine without
//! one. `FAULT_DRIVER` chooses that behaviour: items of the form `name:value`, separated by commas.
//!
//! | item | effect |
//! |---|---|
//! | `init:N` | `cuInit` returns the `CUresult` N; without this item 100, no device |
//! | `init:hang`, `init:abort`, `init:segfault` | `cuInit` never returns, or ends the process |
//! | `driver_version:N` | `cuDriverGetVersion` tells N, for example 12020 for CUDA 12.2; without this item 13000 |
//! | `nvml:N` | `nvmlInit` returns the `nvmlReturn_t` N; without this item 9, driver not loaded |
//! | `nvml:hang`, `nvml:abort`, `nvml:segfault` | `nvmlInit` never returns, or ends the process |
//! | `memory:FILE` | with `nvml:0`: one GPU of 80 GiB, of which the file tells the used bytes |
//!
//! It injects at initialisation only: no context is ever created, so it is no evidence for what fails later.

mod cuda;
mod nvml;

use std::ffi::{CString, c_int};
use std::time::Duration;

/// What an initialising function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    /// Returns this number.
    Returns(c_int),
    /// Never returns.
    Hangs,
    /// Ends the process with SIGABRT.
    Aborts,
    /// Ends the process with SIGSEGV.
    Segfaults,
}

impl Behaviour {
    fn parse(value: &str) -> Option<Self> {
        match value {
            "hang" => Some(Self::Hangs),
            "abort" => Some(Self::Aborts),
            "segfault" => Some(Self::Segfaults),
            number => number.parse().ok().map(Self::Returns),
        }
    }

    fn act(self) -> c_int {
        match self {
            Self::Returns(number) => number,
            Self::Hangs => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            Self::Aborts => std::process::abort(),
            Self::Segfaults => {
                // SAFETY: not sound on purpose. The address is never mapped, so the process ends here and no memory
                // is harmed, as it ends in a broken driver.
                unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(0) };
                c_int::MAX
            }
        }
    }
}

/// The value of one item of `FAULT_DRIVER`.
fn item(name: &str) -> Option<String> {
    item_in(&std::env::var("FAULT_DRIVER").ok()?, name)
}

fn item_in(items: &str, name: &str) -> Option<String> {
    items.split(',').find_map(|item| {
        let (found, value) = item.split_once(':')?;
        (found.trim() == name).then(|| value.trim().to_owned())
    })
}

/// A text for C that lives as long as the process. There are few, so nothing is given back.
fn text_for_c(text: &str) -> *const std::ffi::c_char {
    CString::new(text).map_or(std::ptr::null(), |text| text.into_raw().cast_const())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_by_name() {
        assert_eq!(
            item_in("init:999, nvml:hang", "nvml").as_deref(),
            Some("hang")
        );
        assert_eq!(item_in("init:999", "driver_version"), None);
        assert_eq!(item_in("", "init"), None);
    }

    #[test]
    fn a_behaviour_is_a_word_or_a_number() {
        assert_eq!(Behaviour::parse("hang"), Some(Behaviour::Hangs));
        assert_eq!(Behaviour::parse("802"), Some(Behaviour::Returns(802)));
        assert_eq!(Behaviour::parse("never"), None);
    }
}

//! The few functions of NVML that are called before its users give up.

use std::ffi::{c_char, c_int, c_uint};

use crate::{Behaviour, item, text_for_c};

/// Numbers and texts as NVML's own `nvmlErrorString` gives them.
const ERRORS: [(c_int, &str); 8] = [
    (0, "The operation was successful"),
    (1, "Uninitialized"),
    (4, "Insufficient Permissions"),
    (9, "Driver Not Loaded"),
    (12, "Shared Library Not Found"),
    (15, "GPU is lost"),
    (17, "GPU requires restart"),
    (18, "Driver/library version mismatch"),
];
const UNINITIALIZED: c_int = 1;
const DRIVER_NOT_LOADED: c_int = 9;

fn initialize() -> c_int {
    item("nvml")
        .and_then(|value| Behaviour::parse(&value))
        .unwrap_or(Behaviour::Returns(DRIVER_NOT_LOADED))
        .act()
}

/// # Safety
/// As NVML demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlInit() -> c_int {
    initialize()
}

/// # Safety
/// As NVML demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlInit_v2() -> c_int {
    initialize()
}

/// # Safety
/// As NVML demands; the argument is not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlInitWithFlags(_flags: c_uint) -> c_int {
    initialize()
}

/// # Safety
/// As NVML demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlShutdown() -> c_int {
    UNINITIALIZED
}

/// # Safety
/// As NVML demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlErrorString(error: c_int) -> *const c_char {
    text_for_c(
        ERRORS
            .iter()
            .find(|(number, _)| *number == error)
            .map_or("Unknown Error", |(_, text)| *text),
    )
}

/// # Safety
/// As NVML demands; the argument is not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetCount_v2(_count: *mut c_uint) -> c_int {
    UNINITIALIZED
}

/// # Safety
/// As NVML demands; the arguments are not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlSystemGetDriverVersion(_text: *mut c_char, _length: c_uint) -> c_int {
    UNINITIALIZED
}

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
const INVALID_ARGUMENT: c_int = 2;
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

/// Whole memory of the one GPU that there is with `memory:FILE`.
const MEMORY_BYTES: u64 = 80 << 30;

/// Used memory, as the file tells it.
fn used_bytes() -> Option<u64> {
    let file = item("memory")?;
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Memory as NVML's header has it, in its second version.
#[repr(C)]
struct Memory {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// # Safety
/// As NVML demands: a place for the number.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> c_int {
    if item("memory").is_none() {
        return UNINITIALIZED;
    }
    // SAFETY: the caller gives a place for the number.
    unsafe { count.write(1) };
    0
}

/// # Safety
/// As NVML demands: a place for the handle.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, handle: *mut *mut u8) -> c_int {
    if item("memory").is_none() || index > 0 {
        return INVALID_ARGUMENT;
    }
    // SAFETY: the caller gives a place for the handle, which nobody looks behind.
    unsafe { handle.write(std::ptr::dangling_mut()) };
    0
}

/// # Safety
/// As NVML demands: a place for a text of this length.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetName(_: *mut u8, name: *mut c_char, length: c_uint) -> c_int {
    let text = c"false GPU".to_bytes_with_nul();
    if text.len() > length as usize {
        return INVALID_ARGUMENT;
    }
    // SAFETY: the caller gives a place for that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), text.len()) };
    0
}

/// # Safety
/// As NVML demands: a place for the answer.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(_: *mut u8, memory: *mut Memory) -> c_int {
    let Some(used) = used_bytes() else {
        return UNINITIALIZED;
    };
    // SAFETY: the caller gives a place for the answer, whose version it has written already.
    unsafe {
        (*memory).total = MEMORY_BYTES;
        (*memory).reserved = 0;
        (*memory).free = MEMORY_BYTES.saturating_sub(used);
        (*memory).used = used;
    }
    0
}

/// # Safety
/// As NVML demands; the arguments are not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlSystemGetDriverVersion(_text: *mut c_char, _length: c_uint) -> c_int {
    UNINITIALIZED
}

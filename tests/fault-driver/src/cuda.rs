//! The few functions of the CUDA driver API that the CUDA runtime calls before it gives up.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::{Behaviour, item, text_for_c};

/// Numbers, names and texts as the driver's own `cuGetErrorName` and `cuGetErrorString` give them.
const ERRORS: [(c_int, &str, &str); 14] = [
    (0, "CUDA_SUCCESS", "no error"),
    (1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    (3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"),
    (
        34,
        "CUDA_ERROR_STUB_LIBRARY",
        "CUDA driver is a stub library",
    ),
    (
        46,
        "CUDA_ERROR_DEVICE_UNAVAILABLE",
        "CUDA-capable device(s) is/are busy or unavailable",
    ),
    (
        100,
        "CUDA_ERROR_NO_DEVICE",
        "no CUDA-capable device is detected",
    ),
    (101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"),
    (
        304,
        "CUDA_ERROR_OPERATING_SYSTEM",
        "OS call failed or operation not supported on this OS",
    ),
    (500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"),
    (
        802,
        "CUDA_ERROR_SYSTEM_NOT_READY",
        "system not yet initialized",
    ),
    (
        803,
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        "system has unsupported display driver / cuda driver combination",
    ),
    (
        804,
        "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        "forward compatibility was attempted on non supported HW",
    ),
    (999, "CUDA_ERROR_UNKNOWN", "unknown error"),
];
const SUCCESS: c_int = 0;
const INVALID_VALUE: c_int = 1;
const NOT_INITIALIZED: c_int = 3;
const NO_DEVICE: c_int = 100;
const NOT_FOUND: c_int = 500;
const CUDA_13_0: c_int = 13000;

/// A driver function that the runtime asked for by name, whatever its arguments.
type Function = unsafe extern "C" fn();

/// # Safety
/// As the driver API demands; the argument is not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuInit(_flags: c_uint) -> c_int {
    item("init")
        .and_then(|value| Behaviour::parse(&value))
        .unwrap_or(Behaviour::Returns(NO_DEVICE))
        .act()
}

/// # Safety
/// `version` must be null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    let value = item("driver_version")
        .and_then(|value| value.parse().ok())
        .unwrap_or(CUDA_13_0);
    // SAFETY: the caller gives null or a place for one number.
    unsafe { put(version, value) }
}

/// # Safety
/// `count` must be null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    // SAFETY: the caller gives null or a place for one number.
    unsafe { put(count, 0) }
}

/// # Safety
/// `text` must be null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: c_int, text: *mut *const c_char) -> c_int {
    // SAFETY: the caller gives null or a place for one pointer.
    unsafe {
        put_text(
            text,
            ERRORS
                .iter()
                .find(|(number, ..)| *number == error)
                .map(|(_, _, text)| *text),
        )
    }
}

/// # Safety
/// `name` must be null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: c_int, name: *mut *const c_char) -> c_int {
    // SAFETY: the caller gives null or a place for one pointer.
    unsafe {
        put_text(
            name,
            ERRORS
                .iter()
                .find(|(number, ..)| *number == error)
                .map(|(_, name, _)| *name),
        )
    }
}

/// The private tables that the runtime asks for: there are none.
///
/// # Safety
/// As the driver API demands; the arguments are not used.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetExportTable(_table: *mut *const c_void, _id: *const c_void) -> c_int {
    NOT_FOUND
}

/// # Safety
/// `name` must be a string, `function` null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    function: *mut Option<Function>,
    _version: c_int,
    _flags: u64,
) -> c_int {
    // SAFETY: the caller gives a string and null or a place for one pointer.
    unsafe { put(function, Some(function_named(CStr::from_ptr(name)))) }
}

/// # Safety
/// `name` must be a string, `function` and `status` null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    function: *mut Option<Function>,
    _version: c_int,
    _flags: u64,
    status: *mut c_int,
) -> c_int {
    // SAFETY: the caller gives a string and null or places for one number and one pointer.
    unsafe {
        put(status, 0);
        put(function, Some(function_named(CStr::from_ptr(name))))
    }
}

/// Any other function of the driver: it fails because nothing was initialised.
///
/// # Safety
/// It takes no argument and so may be called with any, as C calls work on the supported systems.
unsafe extern "C" fn not_initialized() -> c_int {
    NOT_INITIALIZED
}

fn function_named(name: &CStr) -> Function {
    // SAFETY (of every transmute): the runtime calls the function with the signature that belongs to its name.
    macro_rules! as_function {
        ($function:expr, $signature:ty) => {
            // SAFETY: see above.
            unsafe { std::mem::transmute::<$signature, Function>($function) }
        };
    }
    match name.to_bytes() {
        b"cuInit" => as_function!(cuInit, unsafe extern "C" fn(c_uint) -> c_int),
        b"cuDriverGetVersion" => as_function!(
            cuDriverGetVersion,
            unsafe extern "C" fn(*mut c_int) -> c_int
        ),
        b"cuDeviceGetCount" => {
            as_function!(cuDeviceGetCount, unsafe extern "C" fn(*mut c_int) -> c_int)
        }
        b"cuGetErrorString" => {
            as_function!(
                cuGetErrorString,
                unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int
            )
        }
        b"cuGetErrorName" => as_function!(
            cuGetErrorName,
            unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int
        ),
        b"cuGetExportTable" => {
            as_function!(
                cuGetExportTable,
                unsafe extern "C" fn(*mut *const c_void, *const c_void) -> c_int
            )
        }
        b"cuGetProcAddress" => as_function!(
            cuGetProcAddress_v2,
            unsafe extern "C" fn(
                *const c_char,
                *mut Option<Function>,
                c_int,
                u64,
                *mut c_int,
            ) -> c_int
        ),
        _ => as_function!(not_initialized, unsafe extern "C" fn() -> c_int),
    }
}

/// # Safety
/// `place` must be null or writable.
unsafe fn put<T>(place: *mut T, value: T) -> c_int {
    if place.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: not null, and writable as the caller promises.
    unsafe { place.write(value) };
    SUCCESS
}

/// # Safety
/// `place` must be null or writable.
unsafe fn put_text(place: *mut *const c_char, text: Option<&str>) -> c_int {
    // SAFETY: as the caller promises.
    let put = unsafe { put(place, text.map_or(std::ptr::null(), text_for_c)) };
    if text.is_some() { put } else { INVALID_VALUE }
}

//! The user-space driver itself: what `cuInit` returns. It may hang, or crash: only for a process of its own.

use std::ffi::c_int;

use firstfault_schema::facts;

use super::Collector;

const LIBRARY: &str = if cfg!(windows) {
    "nvcuda.dll"
} else {
    "libcuda.so.1"
};

type GetInt = unsafe extern "C" fn(*mut c_int) -> c_int;
type Init = unsafe extern "C" fn(u32) -> c_int;

/// Loads the library as PyTorch would and asks it. `built_for` is the CUDA version of the PyTorch build.
pub(super) fn collect(built_for: Option<&str>, collector: &mut Collector<'_>) {
    // SAFETY: loading runs the library's initialisers, as loading by PyTorch would; this process is there for that.
    let Ok(library) = (unsafe { libloading::Library::new(LIBRARY) }) else {
        return;
    };
    let ask = |name: &[u8]| -> Option<c_int> {
        let mut answer: c_int = 0;
        // SAFETY: both functions that are asked this way have the signature `CUresult f(int *)` in cuda.h, and the
        // pointer is valid during the call.
        let result = unsafe { library.get::<GetInt>(name).ok()?(&raw mut answer) };
        (result == 0).then_some(answer)
    };
    let version = ask(b"cuDriverGetVersion\0").and_then(|version| u64::try_from(version).ok());
    collector.add(facts::DRIVER_CUDA_VERSION, version.map(cuda_version));
    if let (Some(version), Some(built_for)) = (version, built_for) {
        collector.add(facts::DRIVER_NEW_ENOUGH, is_new_enough(version, built_for));
    }
    // SAFETY: `CUresult cuInit(unsigned int Flags)` in cuda.h; the flags must be 0.
    let initialised = unsafe {
        match library.get::<Init>(b"cuInit\0") {
            Ok(init) => init(0),
            Err(_) => return,
        }
    };
    collector.add(facts::CUDA_INIT_RESULT, u64::try_from(initialised).ok());
    if initialised == 0 {
        let count = ask(b"cuDeviceGetCount\0").and_then(|count| u64::try_from(count).ok());
        collector.add(facts::CUDA_DEVICE_COUNT, count);
    }
    // Unloading a driver's library may hang as well; the process ends soon.
    std::mem::forget(library);
}

/// 12040 is 12.4.
fn cuda_version(number: u64) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// A driver serves every build of its own major version and of older ones.
fn is_new_enough(driver: u64, built_for: &str) -> Option<bool> {
    let major: u64 = built_for.split('.').next()?.parse().ok()?;
    Some(driver / 1000 >= major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_written_as_people_write_them() {
        assert_eq!(cuda_version(12_040), "12.4");
        assert_eq!(cuda_version(11_080), "11.8");
        assert_eq!(cuda_version(13_000), "13.0");
    }

    #[test]
    fn within_a_major_version_an_older_driver_is_enough() {
        assert_eq!(is_new_enough(12_020, "12.4"), Some(true));
        assert_eq!(is_new_enough(12_020, "13.0"), Some(false));
        assert_eq!(is_new_enough(13_000, "12.6"), Some(true));
        assert_eq!(is_new_enough(13_000, "x"), None);
    }
}

//! Which libtorch this process runs on, and its GPU library, which nothing links.
//!
//! libtorch looks its GPU hooks up once, at the first use. A program that does not link `libtorch_cuda.so` therefore
//! reports "no CUDA" on every GPU host, unless the library is loaded before the first call into libtorch.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW, Symbol};

use crate::fault::Fault;

/// A GPU library of libtorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GpuLibrary {
    /// `libtorch_cuda.so`.
    Cuda,
    /// `libtorch_hip.so`.
    Hip,
}

impl GpuLibrary {
    const ALL: [Self; 2] = [Self::Cuda, Self::Hip];

    const fn file_name(self) -> &'static str {
        match self {
            Self::Cuda => "libtorch_cuda.so",
            Self::Hip => "libtorch_hip.so",
        }
    }

    /// The word for it in events.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Hip => "hip",
        }
    }

    /// The backend that it brings, as a report names it.
    pub(crate) const fn backend(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Hip => "rocm",
        }
    }

    /// Loads it from `folder` for the whole process. The error is the loader's own sentence.
    pub(crate) fn load(self, folder: &Path) -> Result<(), Fault> {
        let path = folder.join(self.file_name());
        // SAFETY: the library's initialisers register its hooks with the libtorch that is already loaded; it comes
        // from the same folder, so both are of one build, and no other thread uses libtorch yet.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|error| {
                let text = match error {
                    libloading::Error::DlOpen { source } => source.to_string(),
                    other => other.to_string(),
                };
                Fault::new("LoaderError", text)
            })?;
        // The hooks stay registered, so the library must stay as well.
        std::mem::forget(library);
        Ok(())
    }
}

/// The folder of the libtorch that the loader chose, by the loader's own name for it: libraries find each other
/// relative to that name, which the kernel's list of mapped files, with links followed, no longer holds.
pub(crate) fn libtorch_folder() -> Option<PathBuf> {
    loaded_libraries()
        .into_iter()
        .find(|path| path.file_name() == Some("libtorch_cpu.so".as_ref()))?
        .parent()
        .map(Path::to_owned)
}

/// Every library of this process, in the order in which they were loaded.
fn loaded_libraries() -> Vec<PathBuf> {
    unsafe extern "C" fn add(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        paths: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid entry, whose name is null or a string that lives as long as the library,
        // and hands the pointer through that the call below gives it.
        unsafe {
            let name = (*info).dlpi_name;
            if !name.is_null() {
                let path = Path::new(OsStr::from_bytes(CStr::from_ptr(name).to_bytes()));
                (*paths.cast::<Vec<PathBuf>>()).push(path.to_owned());
            }
        }
        0
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    // SAFETY: `add` has the signature that is asked for, and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut paths).cast()) };
    paths
}

/// The GPU library that lies beside the loaded libtorch; none for a CPU build.
pub(crate) fn gpu_library_in(folder: &Path) -> Option<GpuLibrary> {
    GpuLibrary::ALL
        .into_iter()
        .find(|library| folder.join(library.file_name()).exists())
}

/// Version of the libtorch that runs; none for one that does not tell (before 2.9).
pub(crate) fn libtorch_version() -> Option<String> {
    let this = Library::this();
    // SAFETY: libtorch's stable C interface declares `uint64_t aoti_torch_abi_version()`, which returns a constant.
    let packed = unsafe {
        let version: Symbol<unsafe extern "C" fn() -> u64> =
            this.get(b"aoti_torch_abi_version\0").ok()?;
        version()
    };
    Some(unpack_version(packed))
}

/// Major, minor and patch stand in the three highest bytes.
fn unpack_version(packed: u64) -> String {
    let [major, minor, patch, ..] = packed.to_be_bytes();
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_loaded_libtorch_from_one_folder() {
        let folder = libtorch_folder().unwrap();
        assert!(folder.join("libc10.so").exists(), "{}", folder.display());
    }

    #[test]
    fn a_version_is_unpacked() {
        assert_eq!(unpack_version(0x020d_0000_0000_0000), "2.13.0");
        assert_eq!(unpack_version(0x0209_0100_0000_0007), "2.9.1");
    }
}

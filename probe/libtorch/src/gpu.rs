//! Calls that tch offers only in a form that panics, with their errors as errors.

use std::ffi::CStr;

use tch::{Device, TchError};

/// Number of GPUs that the runtime counts. libtorch turns every driver error into 0 here and says why on standard
/// error at most.
pub(crate) fn device_count() -> Result<u32, TchError> {
    // SAFETY: no arguments; a C++ exception is caught on the other side and kept for `last_error`.
    let count = unsafe { torch_sys::cuda::atc_cuda_device_count() };
    last_error()?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// Waits until the device has done everything that was asked of it. The CPU works synchronously.
pub(crate) fn synchronize(device: Device) -> Result<(), TchError> {
    if let Device::Cuda(index) = device {
        // SAFETY: an index that is no device is an error on the other side, kept for `last_error`.
        unsafe { torch_sys::cuda::atc_synchronize(i64::try_from(index).unwrap_or(-1)) };
    }
    last_error()
}

/// Whether a GPU library has registered itself with libtorch. Touches no driver.
pub(crate) fn has_hooks() -> bool {
    tch::utils::has_cudart()
}

fn last_error() -> Result<(), TchError> {
    // SAFETY: the function returns null or a string from `strdup`, which is copied and then freed once.
    unsafe {
        let text = torch_sys::get_and_reset_last_err();
        if text.is_null() {
            return Ok(());
        }
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        Err(TchError::Torch(message))
    }
}

//! A failed stage: what libtorch, the loader or this worker says.

use tch::TchError;

/// The most bytes of a message; what is longer is cut.
const MAX_MESSAGE_BYTES: usize = 8 * 1024;

/// Why a stage failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The exception class by which a Python user knows this error, or one of this worker's own:
    /// `LoaderError`, `ControlError`, `NoBackend`, `IndexError`.
    pub(crate) exception: &'static str,
    /// The message, without the native stack frames that libtorch appends.
    pub(crate) message: String,
}

impl Fault {
    /// A fault with a message that is cut to its limit.
    pub(crate) fn new(exception: &'static str, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        Self { exception, message }
    }
}

impl From<TchError> for Fault {
    fn from(error: TchError) -> Self {
        let text = match error {
            TchError::Torch(text) => text,
            other => other.to_string(),
        };
        // PyTorch's Python layer leaves the frames out as well; they hold addresses and paths, and explain nothing.
        let text = text
            .split("\nException raised from ")
            .next()
            .unwrap_or_default()
            .trim_end();
        Self::new(class_of(text), text)
    }
}

/// PyTorch raises these three classes in Python; in C++ only the text is left of them.
fn class_of(text: &str) -> &'static str {
    let first_line = text.lines().next().unwrap_or_default();
    if first_line.contains("out of memory. Tried to allocate") {
        "OutOfMemoryError"
    } else if first_line.starts_with("CUDA error: ") || first_line.starts_with("HIP error: ") {
        "AcceleratorError"
    } else {
        "RuntimeError"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_frames_are_left_out() {
        let text = "Found no NVIDIA driver on your system.\nException raised from device_count_ensure_non_zero at \
                    /c10/cuda/CUDAFunctions.cpp:121 (most recent call first):\nframe #0: c10::Error";
        let fault = Fault::from(TchError::Torch(text.to_owned()));
        assert_eq!(
            fault,
            Fault::new("RuntimeError", "Found no NVIDIA driver on your system.")
        );
    }

    #[test]
    fn classes_are_those_that_python_raises() {
        for (text, class) in [
            (
                "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has",
                "OutOfMemoryError",
            ),
            (
                "CUDA error: no kernel image is available for execution on the device",
                "AcceleratorError",
            ),
            ("HIP error: invalid device function", "AcceleratorError"),
            ("No CUDA GPUs are available", "RuntimeError"),
        ] {
            assert_eq!(class_of(text), class, "{text}");
        }
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let fault = Fault::new("RuntimeError", "ü".repeat(5000));
        assert_eq!(fault.message.len(), MAX_MESSAGE_BYTES);
        let fault = Fault::new("RuntimeError", format!("a{}", "ü".repeat(5000)));
        assert_eq!(fault.message.len(), MAX_MESSAGE_BYTES - 1);
    }
}

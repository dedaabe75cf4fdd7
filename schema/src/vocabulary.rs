//! Words that may be shown: names of libraries and words of the field, as data in `catalogue/`.

use crate::catalogue::{LIBRARIES, WORDS};

/// Whether a word, in any case, belongs to the field.
pub fn is_word(word: &str) -> bool {
    WORDS
        .binary_search(&word.to_ascii_lowercase().as_str())
        .is_ok()
}

/// The part of a file name that may be shown: base name and version numbers of a library out of `catalogue/libraries.txt`,
/// such as `libcudnn.so.9`, `cublas64_12.dll` or `libc10.dylib`. Folders before it are dropped. None for any other name.
pub fn known_library(name: &str) -> Option<&str> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if base.len() > 60 || !base.is_ascii() {
        return None;
    }
    let number = |text: &str| {
        text.len() <= 12
            && text
                .split(['.', '_'])
                .all(|part| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let stem = if let Some(at) = base.find(".so") {
        let (stem, suffix) = (&base[..at], &base[at + 3..]);
        if !suffix.is_empty() && !suffix.strip_prefix('.').is_some_and(number) {
            return None;
        }
        stem.strip_prefix("lib")?
    } else if let Some(stem) = base.strip_suffix(".dylib") {
        stem.strip_prefix("lib")?
    } else {
        base.strip_suffix(".dll")
            .or_else(|| base.strip_suffix(".DLL"))?
    };
    let bare = stem.split_once(['_', '-']).map_or(stem, |_| {
        // A version may follow the name (cublas64_12, libcudart-110), and names may hold both marks themselves.
        let end = stem
            .rfind(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '_' | '-' | '.'))
            .map_or(0, |at| at + 1);
        if number(stem[end..].trim_start_matches(['_', '-'])) {
            &stem[..end]
        } else {
            stem
        }
    });
    let known = |name: &str| {
        LIBRARIES
            .binary_search(&name.to_ascii_lowercase().as_str())
            .is_ok()
    };
    (known(stem) || known(bare)).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_field_pass_as_libraries() {
        for name in [
            "libcudnn.so.9",
            "libcublasLt.so.12",
            "/opt/x/libc10.so",
            "cublas64_12.dll",
            "c10.dll",
            "libc10.dylib",
            "libcudart-110.so.11.0",
            "nvrtc64_120_0.dll",
            "libcudnn_ops_infer.so.8.9.2",
            "libstdc++.so.6",
            "libtorch_cuda.so",
            "libnvrtc-builtins.so.12.4",
            "libhsa-runtime64.so.1",
        ] {
            assert_eq!(known_library(name), name.rsplit('/').next(), "{name}");
        }
        for name in [
            "libsecret.so",
            "libmallory-token.so.1",
            "libcuda.so.123456789",
            "libcudnn.so.9.alice",
            "alice.dll",
            "libc10",
            "c10.so",
            "",
            "libcuda.so.1/alice",
            "lib.so",
            "libcudaxyz.so",
            "libcuda-7f3a.so",
            "libcuda_4111111111111111.so",
        ] {
            assert_eq!(known_library(name), None, "{name}");
        }
    }
}

//! What may enter a report of a message: nothing that somebody planted, wherever it stands and whatever it looks like.

use firstfault_schema::clean::{GAP, clean};
use firstfault_schema::explain::explain_text;
use proptest::prelude::*;

/// Messages with a place for something foreign.
const FRAMES: &[&str] = &[
    "{}",
    "RuntimeError: {}",
    "{}: CUDA out of memory. Tried to allocate 2.00 GiB",
    "CUDA out of memory {} Tried to allocate",
    "CUDA out of memory{}",
    "{}CUDA out of memory",
    "ImportError: {}/lib/libcudnn.so.9: cannot open shared object file: No such file or directory",
    "ImportError: /home/{}/venv/lib/libtorch_cpu.so: undefined symbol: {}",
    "undefined symbol: _ZN3c10{}",
    "undefined symbol: {}",
    "OSError: lib{}.so.1: cannot open shared object file",
    "OSError: libcudnn.so.{}: cannot open shared object file",
    "OSError: libcudnn_{}.so: cannot open shared object file",
    "[WinError 126] Error loading \"C:\\Users\\{}\\torch\\lib\\c10.dll\" or one of its dependencies.",
    "CUDA_VISIBLE_DEVICES={} no CUDA-capable device is detected",
    "CUDA_VISIBLE_DEVICES: {}",
    "export TOKEN={}",
    "password={}",
    "Connection to https://{}@host.example:443/{} refused",
    "{}@example.org wrote: the driver is too old",
    "Error 802: system not yet initialized ({})",
    "Error {}: system not yet initialized",
    "version {} of cuDNN",
    "device {} is busy",
    "found version {}",
    "rank{} failed",
    "torch.{}.cuda",
    "at::native::{}",
    "cuda:{}",
    "sm_{}",
    "gfx{}",
    "GLIBC_{}",
    "2.4.0+cu{}",
    "NVRM: Xid (PCI:{}): 79, pid={}, name={}, GPU has fallen off the bus.",
    "Unable to open /dev/kfd read-write: Permission denied {}",
    "someone{} is not member of \"{}\" group",
    "nvidia-container-cli: device error: {}: unknown device: unknown",
    "Unsupported global: GLOBAL {}.{} was not an allowed global",
    "operator {}::nms does not exist",
    "size mismatch for {}: copying a param with shape torch.Size([{}])",
];

fn shows(text: &str, planted: &str) -> bool {
    // What is left of a planted value must be shorter than a word: also when marks or cases around it changed.
    text.to_lowercase().contains(&planted.to_lowercase())
}

fn planted() -> impl Strategy<Value = String> {
    prop_oneof![
        // Words, identifiers and mixed ones that nobody in the field uses.
        "zq[a-z]{4,12}",
        "Zq[A-Z][a-z]{3,8}[A-Z][a-z]{3,8}",
        "zq_[a-z]{3,8}_[a-z]{3,8}",
        "ZQ[A-Z0-9]{6,20}",
        "zq[0-9a-f]{8,40}",
        // Digits: account numbers, phone numbers, card numbers.
        "[1-9][0-9]{6,24}",
        "[1-9][0-9]{3}-[0-9]{4}-[0-9]{4}-[0-9]{4}",
        // Hexadecimal and base 64.
        "0x[0-9a-f]{8,16}",
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
        "hf_[A-Za-z0-9]{20,34}",
        "[A-Za-z0-9+/]{30,40}==",
        // Addresses.
        "zq[a-z]{3,8}@zq[a-z]{3,8}\\.org",
        "https://zq[a-z]{3,8}\\.example/[a-z]{3,8}",
        "zq[a-z]{3,8}\\.internal\\.example",
        // Letters that look like others, and marks that hide.
        "zq[а-я]{4,8}",
        "z\u{200b}q[a-z]{4,8}",
        "\u{202e}zq[a-z]{4,8}",
        "ｚｑ[ａ-ｚ]{4,8}",
        // Like libraries and symbols.
        "libzq[a-z]{3,8}\\.so\\.[0-9]",
        "zq[a-z]{3,8}\\.dll",
        "_ZN3c1012zq[a-z]{10}E",
        "cudaZq[a-z]{4,8}",
        "/home/zq[a-z]{3,8}/[a-z]{3,8}\\.py",
        "C:\\\\Users\\\\zq[a-z]{3,8}",
        "\\\\\\\\zq[a-z]{4,8}\\\\share",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_planted_gets_through(value in planted(), frame in 0..FRAMES.len()) {
        let message = FRAMES[frame].replace("{}", &value);
        let cleaned = clean(&message);
        prop_assert!(!shows(&cleaned, &value), "{message:?} became {cleaned:?}");
        // Not a part of it either: every stretch of letters of five and more is looked for on its own.
        for part in value.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.starts_with("zq") && part.len() >= 5) {
            prop_assert!(!shows(&cleaned, part), "{message:?} became {cleaned:?}");
        }
        for fault in explain_text(&message) {
            prop_assert!(!shows(&fault.message, &value), "{message:?} was explained as {:?}", fault.message);
        }
    }

    #[test]
    fn nothing_planted_gets_through_between_any_words(value in planted(), before in "[ -~]{0,40}", after in "[ -~]{0,40}") {
        let message = format!("{before}{value}{after}");
        let cleaned = clean(&message);
        prop_assert!(!shows(&cleaned, &value), "{message:?} became {cleaned:?}");
    }

    #[test]
    fn a_cleaned_message_is_bounded_and_clean_already(message in ".{0,3000}") {
        let cleaned = clean(&message);
        prop_assert!(cleaned.chars().count() <= 500);
        prop_assert!(!cleaned.chars().any(firstfault_schema::visible::is_hidden), "{cleaned:?}");
    }
}

#[test]
fn what_the_field_says_stays_readable() {
    for (raw, cleaned) in [
        (
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading it from alice's site",
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by",
        ),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.21 GiB is free.",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.21 GiB is free.",
        ),
        (
            "ImportError: /home/alice/venv/lib/libcudnn.so.9: cannot open shared object file: No such file or directory",
            "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
        ),
        (
            "ImportError: flash_attn_2_cuda.so: undefined symbol: _ZN3c105ErrorC2Ev",
            "ImportError: flash_attn ‹…› undefined symbol: c10::Error",
        ),
        (
            "ValueError: alice has no horse in /home/alice/stable",
            "ValueError: ‹…› has no ‹…› in ‹…›",
        ),
        (
            "RuntimeError: CUDA error: invalid device ordinal",
            "RuntimeError: CUDA error: invalid device ordinal",
        ),
        (
            "Expected cuda:0 and got cpu with torch.float16",
            "Expected cuda:0 and got cpu with torch.float16",
        ),
        ("", ""),
        ("   \n  ", ""),
    ] {
        let found = clean(raw);
        assert!(
            found.starts_with(cleaned),
            "{raw:?}\n became {found:?}\n not    {cleaned:?}"
        );
    }
    assert_eq!(clean("alice bob carol"), GAP);
}

//! Which versions, product names and other short words of software may enter a report: those that have the form of what
//! they claim to be. A version's own label or a device's name could hold anybody's words, so every piece has to be known,
//! and each that is not becomes a gap.

use firstfault_schema::clean::GAP;
use firstfault_schema::facts::is_architecture;

const IMPLEMENTATIONS: &[&str] = &[
    "CPython",
    "PyPy",
    "GraalVM",
    "IronPython",
    "Jython",
    "Pyston",
    "RustPython",
];
const SYSTEMS: &[&str] = &["Linux", "Windows", "Darwin", "FreeBSD"];
const MACHINES: &[&str] = &[
    "x86_64",
    "AMD64",
    "amd64",
    "aarch64",
    "arm64",
    "ARM64",
    "armv7l",
    "i386",
    "i686",
    "x86",
    "ppc64le",
    "riscv64",
    "s390x",
    "loongarch64",
];
const DTYPES: &[&str] = &[
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "bool",
];
const DEVICE_TYPES: &[&str] = &["cpu", "cuda", "hip", "xpu", "mps", "meta"];
/// What stands in product names beside model numbers.
const PRODUCT_WORDS: &[&str] = &[
    "ada",
    "amd",
    "ampere",
    "arc",
    "blackwell",
    "center",
    "compute",
    "data",
    "design",
    "device",
    "edition",
    "embedded",
    "firepro",
    "geforce",
    "generation",
    "gpu",
    "grace",
    "graphics",
    "gre",
    "grid",
    "gt",
    "gtx",
    "hbm",
    "hopper",
    "instinct",
    "integrated",
    "intel",
    "jetson",
    "laptop",
    "lovelace",
    "ls",
    "max",
    "mig",
    "mobile",
    "mx",
    "nano",
    "nvgpu",
    "nvidia",
    "nvl",
    "nx",
    "oam",
    "orin",
    "pcie",
    "pro",
    "quadro",
    "radeon",
    "rtx",
    "rubin",
    "rx",
    "server",
    "spark",
    "super",
    "superchip",
    "sxm",
    "tesla",
    "thor",
    "ti",
    "titan",
    "tm",
    "ultra",
    "vega",
    "vf",
    "vii",
    "virtual",
    "with",
    "workstation",
    "wx",
    "xavier",
    "xl",
    "xt",
    "xtx",
];

/// A version such as `2.13.0+cu130`, `1.13.0a0+gitc263bd4`, `2.6.0.dev20241112` or `6.2.41133-dd7f95766`; of a label
/// that is not known only the gap is left.
pub(crate) fn version(text: &str) -> String {
    let end = text.find(['+', '-']).unwrap_or(text.len());
    let (public, label) = text.split_at(end);
    if !is_public_version(public) {
        return GAP.to_owned();
    }
    let Some(mark) = label.chars().next() else {
        return text.to_owned();
    };
    let pieces = &label[1..];
    let known = pieces.is_empty() || pieces.split(['.', '_', '-']).all(is_version_label);
    if known && pieces.len() <= 60 {
        text.to_owned()
    } else {
        format!("{public}{mark}{GAP}")
    }
}

/// Numbers with dots between them, then `a0`, `rc1`, `.post3`, `.dev20241112`.
fn is_public_version(text: &str) -> bool {
    let mut parts = text.split('.');
    text.len() <= 40
        && parts.next().is_some_and(|first| is_digits(first, 4))
        && parts.all(|part| {
            let suffix = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let number = &part[..part.len() - suffix.len()];
            let word = suffix.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let known = ["", "a", "b", "rc", "post", "dev"].contains(&word);
            number.len() <= 5 && known && suffix.len() - word.len() <= 8 && !part.is_empty()
        })
}

fn is_version_label(piece: &str) -> bool {
    let known = |prefix: &str| {
        piece
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || is_digits(rest, 4))
    };
    let hash = piece.strip_prefix("git").unwrap_or(piece);
    let is_hash = (7..=12).contains(&hash.len())
        && hash
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    is_hash
        || is_digits(piece, 4)
        || [
            "cpu", "cu", "rocm", "xpu", "nv", "post", "abi", "cxx", "debug",
        ]
        .into_iter()
        .any(known)
}

fn is_digits(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The most bytes of a product's name.
const MAX_PRODUCT_BYTES: usize = 80;

/// A GPU's name, such as `NVIDIA A100-SXM4-80GB` or `AMD Instinct MI250X/MI250`, with a gap for every unknown word.
pub(crate) fn product(text: &str) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for word in text.split_whitespace() {
        bytes += word.len() + 1;
        if bytes > MAX_PRODUCT_BYTES {
            break;
        }
        let known = word
            .split(['-', '/', '(', ')', '[', ']', '.', '_'])
            .filter(|piece| !piece.is_empty())
            .all(is_product_word);
        let marks = word
            .bytes()
            .filter(|byte| !byte.is_ascii_alphanumeric())
            .count();
        if known && marks <= 4 {
            shown.push(word);
        } else if shown.last() != Some(&GAP) {
            shown.push(GAP);
        }
    }
    shown.join(" ")
}

/// A known word, one letter, or a model number: `H100`, `MI300X`, `80GB`, `1g`.
fn is_product_word(piece: &str) -> bool {
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if letters(piece) {
        return piece.len() == 1 || PRODUCT_WORDS.contains(&piece.to_ascii_lowercase().as_str());
    }
    let is_digit = |letter: char| letter.is_ascii_digit();
    let (Some(begin), Some(end)) = (piece.find(is_digit), piece.rfind(is_digit)) else {
        return false;
    };
    begin <= 4
        && piece.len() - end <= 5
        && letters(&piece[..begin])
        && letters(&piece[end + 1..])
        && is_digits(&piece[begin..=end], 5)
}

/// `sm_90`, `9.0` or `gfx1100`.
pub(crate) fn architecture(text: &str) -> String {
    one(text, is_architecture)
}

/// `cpu` or `cuda:0`.
pub(crate) fn device(text: &str) -> String {
    one(text, |text| {
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        DEVICE_TYPES.contains(&kind) && is_digits(index, 3)
    })
}

/// `float32`.
pub(crate) fn dtype(text: &str) -> String {
    one(text, |text| DTYPES.contains(&text))
}

/// `CPython`.
pub(crate) fn implementation(text: &str) -> String {
    one(text, |text| IMPLEMENTATIONS.contains(&text))
}

/// `Linux`.
pub(crate) fn system(text: &str) -> String {
    one(text, |text| SYSTEMS.contains(&text))
}

/// `x86_64`.
pub(crate) fn machine(text: &str) -> String {
    one(text, |text| MACHINES.contains(&text))
}

fn one(text: &str, known: impl Fn(&str) -> bool) -> String {
    if known(text) { text } else { GAP }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_real_builds_stay() {
        for kept in [
            "2.13.0+cu130",
            "2.13.0",
            "1.13.0a0+gitc263bd4",
            "1.13.0a0",
            "2.6.0.dev20241112+cu126",
            "2.5.0a0+872d972e41.nv24.08",
            "2.4.1.post2",
            "2.3.0+rocm6.2",
            "6.2.41133-dd7f95766",
            "3.14.0a1+",
            "3.11.7",
            "12.4",
            "2.8.0+cpu",
        ] {
            assert_eq!(version(kept), kept);
        }
    }

    #[test]
    fn other_words_in_a_version_leave_a_gap() {
        assert_eq!(version("2.13.0+jane"), "2.13.0+‹…›");
        assert_eq!(version("2.13.0+cu130.jane"), "2.13.0+‹…›");
        for gone in [
            "jane",
            "2.13.jane",
            "2.13.379285264",
            "",
            "/home/jane",
            "2..1",
        ] {
            assert_eq!(version(gone), "‹…›", "{gone}");
        }
    }

    #[test]
    fn names_of_real_devices_stay() {
        for kept in [
            "NVIDIA H100 80GB HBM3",
            "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
            "NVIDIA GeForce RTX 4090 Laptop GPU",
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            "NVIDIA RTX 6000 Ada Generation",
            "Quadro P2000 with Max-Q Design",
            "Tesla V100-SXM2-32GB-LS",
            "GRID T4-16Q",
            "NVIDIA GH200 480GB",
            "NVIDIA TITAN V",
            "AMD Instinct MI250X/MI250",
            "AMD Radeon RX 7900 XTX",
            "AMD Radeon(TM) Graphics",
            "Radeon 8060S Graphics",
            "NVIDIA Graphics Device",
        ] {
            assert_eq!(product(kept), kept);
        }
    }

    #[test]
    fn other_words_in_a_devices_name_leave_a_gap() {
        assert_eq!(product("NVIDIA Zanzibar secret 80GB"), "NVIDIA ‹…› 80GB");
        for gone in [
            "/home/jane/gpu",
            "a\u{202e}bc",
            "C:\\Users\\jane",
            "jane@host",
        ] {
            assert_eq!(product(gone), "‹…›");
        }
    }

    #[test]
    fn a_word_that_is_not_of_its_list_is_a_gap() {
        assert_eq!(device("cuda:1"), "cuda:1");
        assert_eq!(device("cuda:jane"), "‹…›");
        assert_eq!(dtype("float64"), "float64");
        assert_eq!(machine("jane"), "‹…›");
        assert_eq!(architecture("sm_90a"), "sm_90a");
        assert_eq!(architecture("sm_jane"), "‹…›");
    }
}

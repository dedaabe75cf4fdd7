//! What of a message may enter a report: tokens of the catalogue, typed values, and words of the field.
//!
//! Nothing is scrubbed: a piece stays only when it is known, and everything else becomes `‹…›`. So no path, name,
//! address, value of a variable or token can get through, whatever it looks like.

use crate::facts::is_architecture;
use crate::index;
use crate::matching::{Hit, Line};
use crate::report::MAX_MESSAGE_CHARS;
use crate::vocabulary::{is_word, known_library};

/// What stands for everything that is not known.
pub const GAP: &str = "‹…›";
/// The most bytes of a message that are looked at.
const MAX_RAW_BYTES: usize = 4000;

/// Cleans a message: of several lines, the one that the catalogue knows best, else the first that says something.
pub fn clean(raw: &str) -> String {
    let mut end = raw.len().min(MAX_RAW_BYTES);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let mut first = None;
    for text in raw[..end].lines().filter(|text| !text.trim().is_empty()) {
        let candidate = Line::new(text.as_bytes());
        let hits = index::hits(&candidate, &[], None);
        if !hits.is_empty() {
            return line(&candidate, &hits);
        }
        first.get_or_insert(candidate);
    }
    first
        .map(|candidate| line(&candidate, &[]))
        .unwrap_or_default()
}

/// Cleans one line; tokens of the catalogue stay as they are.
pub(crate) fn line(line: &Line, hits: &[Hit]) -> String {
    let text = line.text.as_str();
    let mut spans: Vec<(usize, usize)> = hits
        .iter()
        .flat_map(|hit| hit.spans.iter().copied())
        .collect();
    let chunk_at = |at: usize| {
        let end = text[at..]
            .find(char::is_whitespace)
            .map_or(text.len(), |length| at + length);
        core_of(&text[chunk_begin(text, at)..end])
    };
    // A library's name is shown whole, with its version, and a symbol by its names, rather than the part that was looked for.
    spans.retain(|(begin, end)| {
        text[*begin..*end].contains(char::is_whitespace)
            || known_library(chunk_at(*begin)).is_none()
    });
    for (begin, end) in &mut spans {
        let last = chunk_begin(text, *end);
        if last > *begin && demangled(chunk_at(last)).is_some() {
            *end = last;
        }
    }
    spans.sort_unstable();
    let mut out = Writer::default();
    let mut at = 0;
    for (begin, end) in spans {
        let begin = begin.max(at);
        if begin >= end {
            continue;
        }
        let mut before = &text[at..begin];
        let folders = before.len();
        if before.ends_with(['/', '\\']) {
            // Folders before a known name are dropped.
            before = &before[..chunk_begin(before, before.len())];
        }
        pieces(before, &text[begin..end], &mut out);
        let token = &text[begin..end];
        out.known(
            token,
            before.len() < folders
                || token.starts_with(char::is_whitespace)
                || text[..begin].ends_with(char::is_whitespace),
        );
        at = end;
    }
    pieces(&text[at..], "", &mut out);
    out.finish()
}

/// Where the word around or before `at` begins.
fn chunk_begin(text: &str, at: usize) -> usize {
    text[..at]
        .char_indices()
        .rev()
        .find(|(_, letter)| letter.is_whitespace())
        .map_or(0, |(place, letter)| place + letter.len_utf8())
}

/// A word without the marks around it.
fn core_of(chunk: &str) -> &str {
    chunk.trim_start_matches(OPENING).trim_end_matches(CLOSING)
}

/// Collects the cleaned text; gaps next to each other become one.
#[derive(Default)]
struct Writer {
    text: String,
    gap: bool,
    /// The last known word, which may say what a number after it is.
    last: String,
}

impl Writer {
    fn known(&mut self, text: &str, apart: bool) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if (apart || self.gap) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.gap = false;
        self.last = text
            .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
            .find(|word| !word.is_empty())
            .unwrap_or_default()
            .to_ascii_lowercase();
    }

    fn unknown(&mut self) {
        if !self.gap {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(GAP);
        }
        self.gap = true;
        self.last.clear();
    }

    fn finish(self) -> String {
        if self.text.chars().count() <= MAX_MESSAGE_CHARS {
            return self.text;
        }
        let mut text: String = self.text.chars().take(MAX_MESSAGE_CHARS - 1).collect();
        text.push('…');
        text
    }
}

const OPENING: [char; 6] = ['(', '[', '{', '\'', '<', ','];
const CLOSING: [char; 10] = [')', ']', '}', '\'', '>', ',', ';', ':', '.', '!'];

/// Writes what is known of `text`; `following` is what stands after it.
fn pieces(text: &str, following: &str, out: &mut Writer) {
    let coming = following
        .split(char::is_whitespace)
        .find(|chunk| !chunk.is_empty());
    let mut chunks = text
        .split(char::is_whitespace)
        .filter(|chunk| !chunk.is_empty())
        .peekable();
    let mut apart = text.starts_with(char::is_whitespace);
    while let Some(chunk) = chunks.next() {
        let core = chunk.trim_start_matches(OPENING).trim_end_matches(CLOSING);
        let next = chunks
            .peek()
            .copied()
            .or(coming)
            .map(|next| next.trim_end_matches(CLOSING));
        if core.is_empty() {
            // Punctuation alone says nothing that could be anybody's, but may not carry a pattern either.
            if chunk.len() == 1 && !out.gap {
                out.known(chunk, apart);
            }
        } else if let Some(shown) = shown(core, &out.last, next) {
            let begin = core.as_ptr() as usize - chunk.as_ptr() as usize;
            let (before, after) = (&chunk[..begin], &chunk[begin + core.len()..]);
            let mut text = String::with_capacity(chunk.len());
            text.extend(before.chars().next_back());
            text.push_str(&shown);
            text.extend(after.chars().take(2));
            out.known(&text, apart);
        } else {
            out.unknown();
        }
        apart = true;
    }
}

/// What of a piece may be shown; none where nothing of it is known.
fn shown(core: &str, last: &str, next: Option<&str>) -> Option<String> {
    if !core.is_ascii() || core.len() > 120 || core.contains('@') || core.contains("://") {
        return None;
    }
    if let Some(library) = known_library(core) {
        return Some(library.to_owned());
    }
    if core.starts_with("_Z") {
        return demangled(core);
    }
    if let Some((name, _)) = core.split_once('=') {
        // What a name is set to is a value, whatever it looks like.
        return is_identifier(name).then(|| format!("{name}={GAP}"));
    }
    if core.contains(['/', '\\']) {
        return None;
    }
    let plain = is_number(core, last, next) || is_typed(core) || is_identifier(core);
    plain.then(|| core.to_owned())
}

/// Words that say that a number follows, and how many digits it may have.
const BEFORE_NUMBERS: &[&str] = &[
    "error",
    "code",
    "device",
    "devices",
    "gpu",
    "gpus",
    "rank",
    "cuda",
    "hip",
    "rocm",
    "version",
    "versions",
    "capability",
    "signal",
    "xid",
    "driver",
    "python",
    "pytorch",
    "torch",
    "torchvision",
    "torchaudio",
    "cudnn",
    "nccl",
    "runtime",
    "toolkit",
    "least",
    "status",
    "found",
    "got",
    "level",
    "arch",
    "index",
];

/// Units that may stand after a number.
const UNITS: &[&str] = &[
    "gib",
    "mib",
    "kib",
    "gb",
    "mb",
    "kb",
    "bytes",
    "ms",
    "s",
    "seconds",
    "gpus",
    "gpu",
    "devices",
    "device",
    "gpu(s",
    "processes",
    "ranks",
    "%",
];

fn is_number(core: &str, last: &str, next: Option<&str>) -> bool {
    let numeric = core.trim_end_matches('%');
    let percent = numeric.len() < core.len();
    let digits_end = numeric
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(numeric.len());
    let (number, unit) = numeric.split_at(digits_end);
    let parts: Vec<&str> = number.split('.').collect();
    let whole = parts.iter().all(|part| !part.is_empty());
    if !whole {
        return false;
    }
    let attached = !unit.is_empty() && UNITS.contains(&unit.to_ascii_lowercase().as_str());
    if !unit.is_empty() && !attached {
        return false;
    }
    let measured = attached
        || percent
        || next.is_some_and(|next| UNITS.contains(&next.to_ascii_lowercase().as_str()));
    if measured {
        return parts.len() <= 2
            && parts[0].len() <= 6
            && parts.get(1).is_none_or(|part| part.len() <= 2);
    }
    if !BEFORE_NUMBERS.contains(&last) {
        return false;
    }
    let longest = parts.iter().map(|part| part.len()).max().unwrap_or(0);
    parts.len() <= 3
        && if parts.len() == 1 && last.starts_with("version") {
            longest <= 5
        } else {
            longest <= 4
        }
}

/// Values whose form alone says what they are: dtypes, devices, architectures, symbol versions, build tags.
fn is_typed(core: &str) -> bool {
    let lower = core.to_ascii_lowercase();
    let bare = lower
        .strip_prefix("torch.")
        .or_else(|| lower.strip_prefix("c10::"))
        .unwrap_or(&lower);
    if matches!(
        bare,
        "float"
            | "float16"
            | "float32"
            | "float64"
            | "bfloat16"
            | "half"
            | "double"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint8"
            | "long"
            | "bool"
            | "fp16"
            | "fp32"
            | "fp64"
            | "bf16"
            | "tf32"
            | "fp8"
            | "int4"
            | "float8_e4m3fn"
            | "float8_e5m2"
            | "complex64"
            | "complex128"
            | "mat1"
            | "mat2"
    ) {
        return true;
    }
    let short_number = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if [
        "cuda:", "hip:", "xpu:", "mps:", "cpu:", "rank", "gpu", "device=",
    ]
    .iter()
    .any(|prefix| {
        lower
            .strip_prefix(prefix)
            .is_some_and(|rest| short_number(rest, 3))
    }) {
        return true;
    }
    if ["sm_", "compute_", "gfx"]
        .iter()
        .any(|prefix| lower.starts_with(prefix))
    {
        return is_architecture(&lower);
    }
    if let Some(version) = ["glibc_", "glibcxx_", "cxxabi_"]
        .iter()
        .find_map(|prefix| lower.strip_prefix(prefix))
    {
        return crate::facts::is_version(version) && version.len() <= 10;
    }
    if let Some((version, tag)) = lower.split_once('+') {
        let tag_fits = tag == "cpu"
            || ["cu", "rocm", "xpu"].iter().any(|prefix| {
                tag.strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || is_short_version(rest))
            });
        return is_short_version(version) && tag_fits;
    }
    lower
        .strip_prefix("cu")
        .is_some_and(|rest| short_number(rest, 3))
}

fn is_short_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() <= 3
        && parts.iter().all(|part| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Whether every part of an identifier is a word of the field: `torch.cuda.is_available()`, `CUBLAS_STATUS_NOT_INITIALIZED`,
/// `cudaErrorNoDevice`, `OutOfMemoryError`.
fn is_identifier(core: &str) -> bool {
    let mut words = 0;
    for part in core.split(|letter: char| {
        matches!(
            letter,
            '_' | '.'
                | '-'
                | ':'
                | '('
                | ')'
                | '['
                | ']'
                | ','
                | '\''
                | '<'
                | '>'
                | '*'
                | '&'
                | '+'
                | '!'
                | '?'
        )
    }) {
        if part.is_empty() {
            continue;
        }
        if !(is_word(part) || is_typed(part) || is_camel(part)) {
            return false;
        }
        words += 1;
    }
    // Marks between words could carry a pattern of their own.
    let marks = core
        .bytes()
        .filter(|byte| !byte.is_ascii_alphanumeric())
        .count();
    words > 0 && marks <= 3 * words + 2
}

/// Splits at changes of case: `cublasLtMatmul`, `RuntimeError`, `NCCLError`.
fn is_camel(part: &str) -> bool {
    if !part.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let bytes = part.as_bytes();
    let mut begin = 0;
    for at in 1..=bytes.len() {
        let boundary = at == bytes.len()
            || (bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase())
            || (bytes[at].is_ascii_uppercase()
                && bytes[at - 1].is_ascii_uppercase()
                && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase));
        if boundary {
            if !is_word(&part[begin..at]) {
                return false;
            }
            begin = at;
        }
    }
    true
}

/// The names inside a mangled C++ symbol, `c10::Error` for `_ZN3c105ErrorC2Ev`; none unless all of them are words of the field.
fn demangled(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_Z")?;
    let mut names: Vec<&str> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            // The scope ends where its letters do; what follows describes parameters.
            if !names.is_empty() {
                break;
            }
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let length: usize = rest[..digits].parse().ok()?;
        let name = rest.get(digits..digits.checked_add(length)?)?;
        if name.is_empty() || !is_identifier(name) {
            return None;
        }
        names.push(name);
        rest = &rest[digits + length..];
    }
    (!names.is_empty()).then(|| names.join("::"))
}

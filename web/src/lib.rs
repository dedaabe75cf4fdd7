//! The page around the viewer, and the packer that makes it one HTML file.
//!
//! [`pack`] is a pure function from the parts that a build leaves to the whole page. The page that was built
//! before this crate is compiled lies in [`BUILT_PAGE`], so that `firstfault page` needs no files beside it.

mod dense;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use firstfault_schema::carry;
pub use firstfault_schema::carry::Carried;
use sha2::{Digest as _, Sha256};

/// The page as `cargo xtask page` built it; none where this crate was compiled without one.
pub const BUILT_PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Rounds of the search for a smaller encoding; more of them gain next to nothing, and half a minute is enough.
const ROUNDS: std::num::NonZeroU64 = std::num::NonZeroU64::new(25).unwrap();
/// Parts of the program with their own statistics: beyond this many there is nothing left to gain.
const PARTS_APART: u16 = 60;
const TEMPLATE: &str = include_str!("../template.html");
const STYLE: &str = include_str!("../style.css");
/// What is drawn before the program is unpacked.
const FIRST: &str = include_str!("../first.css");
const BOOT: &str = include_str!("../boot.js");

/// What a build of the viewer leaves.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The WebAssembly module, as wasm-bindgen left it.
    pub wasm: &'a [u8],
    /// wasm-bindgen's JavaScript of the kind "no-modules", which defines `wasm_bindgen`.
    pub glue: &'a str,
}

/// Why no page can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// This program was compiled without the page.
    #[error("this build of firstfault does not hold the page")]
    NotBuilt,
    /// The page that was built lacks the place for reports.
    #[error("the page in this build of firstfault is damaged")]
    Damaged,
}

/// One HTML file that holds the viewer and `reports`, and loads nothing.
pub fn pack(parts: &Parts<'_>, reports: &[Carried]) -> String {
    // A glue that held the end of its own element would be cut there.
    let script = format!("{}\n{}", lean(parts.glue), lean(BOOT)).replace("</script", "<\\/script");
    let style = lean(STYLE);
    let packed = gzip(&payload(style.as_bytes(), parts.wasm));
    let size = packed.len().to_string();
    let program = dense::encode(&packed);
    let first = lean(FIRST);
    let policy = policy(&script);
    let values = [
        ("policy", policy.as_str()),
        ("style", first.as_str()),
        ("size", size.as_str()),
        ("program", program.as_str()),
        ("script", script.as_str()),
    ];
    let mut page = TEMPLATE.to_owned();
    for (name, value) in values {
        page = page.replacen(&format!("{{{{{name}}}}}"), value, 1);
    }
    page.replacen("{{reports}}", &carry::element(reports), 1)
}

/// The built page with `reports` inside.
///
/// # Errors
/// [`PageError::NotBuilt`] where this program was compiled without the page.
pub fn page(reports: &[Carried]) -> Result<String, PageError> {
    let page = BUILT_PAGE.ok_or(PageError::NotBuilt)?;
    carry::with_reports(page, reports).map_err(|carry::NotAPage| PageError::Damaged)
}

/// The page's Content Security Policy for the one script that may run.
pub fn policy(script: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; \
         base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

/// Source without what only its readers need: indentation, empty lines, and comments that have lines of their own.
///
/// Neither wasm-bindgen's glue nor the files here have texts of several lines, which this would change.
fn lean(source: &str) -> String {
    let mut lines = Vec::new();
    let mut in_comment = false;
    for line in source.lines().map(str::trim) {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The style sheet's length in four bytes, the style sheet, the program: `boot.js` takes them apart.
fn payload(style: &[u8], wasm: &[u8]) -> Vec<u8> {
    let length = u32::try_from(style.len()).unwrap_or_default();
    [&length.to_le_bytes(), style, wasm].concat()
}

/// As small as gzip can be: the page is packed once and passed on often.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let options = zopfli::Options {
        iteration_count: ROUNDS,
        maximum_block_splits: PARTS_APART,
        ..zopfli::Options::default()
    };
    let mut packed = Vec::new();
    // Writing into memory can't fail.
    let _ = zopfli::compress(options, zopfli::Format::Gzip, bytes, &mut packed);
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: Parts<'_> = Parts {
        wasm: b"\0asm {{script}}",
        glue: "let wasm_bindgen; // </script> {{reports}}",
    };

    fn one(name: &str, text: &str) -> Vec<Carried> {
        vec![Carried {
            name: name.to_owned(),
            text: text.to_owned(),
        }]
    }

    #[test]
    fn the_policy_allows_exactly_the_script_in_the_page() {
        let page = pack(&PARTS, &[]);
        let begin = page.rfind("<script>").unwrap() + "<script>".len();
        let length = page[begin..].find("</script>").unwrap();
        assert!(page.contains(&format!(
            "content=\"{}\"",
            policy(&page[begin..begin + length])
        )));
    }

    #[test]
    fn a_hostile_report_stays_data_and_comes_out_again() {
        let reports = one(
            "</script>{{style}}",
            "</script><script>alert(1)</script>\u{2028}",
        );
        let page = pack(&PARTS, &reports);
        assert_eq!(page.matches("</script>").count(), 3);
        assert_eq!(carry::reports_in(&page).unwrap(), reports);
        assert_eq!(
            page.replace(&carry::data(&reports), "[]"),
            pack(&PARTS, &[])
        );
    }

    #[test]
    fn comments_and_indentation_are_left_out() {
        let source = "/** a\n * b\n */\n  one(); // kept\n\n  // gone\n/* gone */\ntwo();";
        assert_eq!(lean(source), "one(); // kept\ntwo();");
    }

    #[test]
    fn the_page_names_no_place_to_load_from() {
        let page = pack(&PARTS, &[]);
        for word in ["http://", "https://", "src=", "@import", "url("] {
            let found = page.matches(word).count();
            // The name space of SVG in the icon is a name, not a place.
            let names = usize::from(word == "http://") * page.matches("http://www.w3.org/").count();
            assert_eq!(found, names, "{word}");
        }
    }
}

//! Reports carried inside a page: how they are written into its HTML, and how they are taken out again.
//!
//! The data stand between two marks that the page's template brings, in a script element of a type that no
//! browser runs. `<` and the two line separators are escaped, so nothing in a report can end that element.

use serde::{Deserialize, Serialize};

/// Where the data begin.
const BEGIN: &str = "<script type=\"application/json\" id=\"firstfault-reports\">";
/// Where they end.
const END: &str = "</script>";

/// A file that a page carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The file's name, for people.
    pub name: String,
    /// Its text, as it was read: the page judges it like any opened file.
    pub text: String,
}

/// The text is no FirstFault page, or its data are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a FirstFault page, or one that is damaged")]
pub struct NotAPage;

/// The element that holds `reports`, for a template.
pub fn element(reports: &[Carried]) -> String {
    format!("{BEGIN}{}{END}", data(reports))
}

/// The data alone, as they stand in that element.
pub fn data(reports: &[Carried]) -> String {
    let json = serde_json::to_string(reports).unwrap_or_default();
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// `page` with `reports` in the place of those that it carries.
///
/// # Errors
/// [`NotAPage`] where the marks are missing.
pub fn with_reports(page: &str, reports: &[Carried]) -> Result<String, NotAPage> {
    let (before, _, after) = split(page)?;
    Ok([before, data(reports).as_str(), after].concat())
}

/// The reports that `page` carries, which may be none.
///
/// # Errors
/// [`NotAPage`] where the marks are missing or the data can't be read.
pub fn reports_in(page: &str) -> Result<Vec<Carried>, NotAPage> {
    let (_, data, _) = split(page)?;
    parse(data)
}

/// Reads the data of the element.
///
/// # Errors
/// [`NotAPage`] where they are damaged.
pub fn parse(data: &str) -> Result<Vec<Carried>, NotAPage> {
    serde_json::from_str(data).map_err(|_| NotAPage)
}

/// Whether a text looks like a page rather than a report.
pub fn looks_like_a_page(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    start
        .get(..9)
        .is_some_and(|head| head.eq_ignore_ascii_case("<!doctype"))
}

fn split(page: &str) -> Result<(&str, &str, &str), NotAPage> {
    let begin = page.find(BEGIN).ok_or(NotAPage)? + BEGIN.len();
    let length = page[begin..].find(END).ok_or(NotAPage)?;
    let (before, rest) = page.split_at(begin);
    let (data, after) = rest.split_at(length);
    Ok((before, data, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> Vec<Carried> {
        vec![Carried {
            name: "</script><img src=x onerror=alert(1)>.json".to_owned(),
            text: "<!-- <script> \u{2028}\u{2029} </SCRIPT> \\u003c \"quoted\"".to_owned(),
        }]
    }

    #[test]
    fn what_is_carried_comes_out_again_and_cannot_end_the_element() {
        let page = format!("<!doctype html><p>{}<p>after", element(&[]));
        let full = with_reports(&page, &hostile()).unwrap();
        assert_eq!(full.matches("</script>").count(), 1);
        assert!(!full.contains("<img") && !full.contains('\u{2028}'));
        assert_eq!(reports_in(&full).unwrap(), hostile());
        assert_eq!(with_reports(&full, &[]).unwrap(), page);
    }

    #[test]
    fn other_html_is_not_a_page() {
        assert_eq!(
            reports_in("<!doctype html><script></script>"),
            Err(NotAPage)
        );
        assert!(looks_like_a_page("\u{feff}\n<!DOCTYPE html>"));
        assert!(!looks_like_a_page("{}"));
    }
}

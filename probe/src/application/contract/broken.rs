//! Items that break a point: how many, and the first few of them.

use crate::settings::{self, Variables};

/// The most examples that a point names.
pub(super) const MAX_EXAMPLES: usize = 5;
/// The most characters of an example in a report.
const MAX_EXAMPLE_CHARS: usize = 40;
/// The most bytes of an example that are kept for the local evidence.
const MAX_KEPT_BYTES: usize = 200;
/// Stands for an example that may not enter a report.
const WITHHELD: &str = "‹…›";

/// Where a record stands: which file, and its offset or row there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Position in the list of files.
    pub(super) file: u32,
    /// Byte offset in text, row number in arrays.
    pub(super) at: u64,
}

/// One item that breaks a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) place: Place,
    /// Its identifier as it stands in the file; none where it has none.
    pub(super) id: Option<String>,
}

/// How many items break a point, and the first of them in the order of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) count: u64,
    pub(super) first: Vec<Example>,
}

impl Broken {
    /// Counts one more. One visitor's places grow, so its first are the lowest.
    pub(super) fn add(&mut self, place: Place, id: Option<&[u8]>) {
        self.count += 1;
        if self.first.len() < MAX_EXAMPLES {
            let id = id.map(kept);
            self.first.push(Example { place, id });
        }
    }

    /// Counts one more that has a name of its own.
    pub(super) fn name(&mut self, name: &str) {
        self.add(
            Place {
                file: 0,
                at: self.count,
            },
            Some(name.as_bytes()),
        );
    }

    /// Takes in what another visitor found.
    pub(super) fn join(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort_by_key(|example| example.place);
        self.first.truncate(MAX_EXAMPLES);
    }
}

fn kept(id: &[u8]) -> String {
    let text = String::from_utf8_lossy(&id[..id.len().min(MAX_KEPT_BYTES)]);
    text.into_owned()
}

/// An identifier as it may stand in a report: short, plain, and neither path nor secret.
pub(super) fn presentable(id: &str, variables: &Variables) -> String {
    if id.chars().count() <= MAX_EXAMPLE_CHARS && settings::own_words(id, variables).is_ok() {
        id.to_owned()
    } else {
        WITHHELD.to_owned()
    }
}

/// Examples as they may stand in a report. Withheld ones look alike, so one of them is enough.
pub(super) fn presentable_all(
    ids: impl IntoIterator<Item = String>,
    variables: &Variables,
) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    for id in ids {
        let example = presentable(&id, variables);
        if !examples.contains(&example) {
            examples.push(example);
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_five_in_the_order_of_the_files_are_kept() {
        let mut ours = Broken::default();
        let mut theirs = Broken::default();
        for at in 0..20 {
            let broken = if at % 3 == 0 { &mut ours } else { &mut theirs };
            broken.add(Place { file: 0, at }, Some(format!("doc-{at}").as_bytes()));
        }
        ours.join(theirs);
        let first: Vec<u64> = ours.first.iter().map(|example| example.place.at).collect();
        assert_eq!(ours.count, 20);
        assert_eq!(first, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn only_plain_identifiers_enter_a_report() {
        let variables = [("USER".to_owned(), "jane".to_owned())];
        for id in ["doc-0117", "42", "#17", "Zeile über 3"] {
            assert_eq!(presentable(id, &variables), id);
        }
        for id in [
            "/home/jane/a.png",
            "images/cat.jpg",
            "jane@example.org",
            "d41d8cd98f00b204e9800998ecf8427e",
            "a\u{202e}b",
            "",
            "jane-7",
            "hf_abcdefghijkl",
        ] {
            assert_eq!(presentable(id, &variables), WITHHELD, "{id}");
        }
        assert_eq!(presentable(&"ab ".repeat(14), &[]), WITHHELD);
        let all = ["a/b", "c/d", "doc-1"].map(str::to_owned);
        assert_eq!(presentable_all(all, &[]), [WITHHELD, "doc-1"]);
    }
}

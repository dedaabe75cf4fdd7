//! Examples inside the page: a newcomer sees what it does before having a report.

use crate::state::{Loaded, judge};

/// An example of the start.
pub struct Example {
    /// Fluent identifier of its title.
    pub title: &'static str,
    /// Fluent identifier of what it shows.
    pub about: &'static str,
    /// The files that it opens.
    pub names: &'static [&'static str],
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// One report per first failing layer, and passes; each costs space, so none shows what another does.
        pub const GALLERY: &[&str] = &[$($name),*];

        fn text(name: &str) -> &'static str {
            match name {
                $($name => include_str!(concat!("../../schema/fixtures/valid/", $name, ".json")),)*
                _ => "",
            }
        }
    };
}

files!(
    "gpu-check-passed",
    "interpreter-failed",
    "torch-import-failed",
    "gpu-backend-absent",
    "gpu-unavailable",
    "device-index-invalid",
    "out-of-memory",
    "check-failed",
    "application-passed",
    "application-passed-bfloat16",
    "application-failed",
    "contract-failed",
    "resume-training-diverged",
    "sweep-margin",
);

/// The examples of the start.
pub const SHOWN_FIRST: [Example; 4] = [
    Example {
        title: "example-fault",
        about: "example-fault-about",
        names: &["gpu-unavailable"],
    },
    Example {
        title: "example-compare",
        about: "example-compare-about",
        names: &["application-passed", "application-passed-bfloat16"],
    },
    Example {
        title: "example-application",
        about: "example-application-about",
        names: &["contract-failed"],
    },
    Example {
        title: "example-limit",
        about: "example-limit-about",
        names: &["sweep-margin"],
    },
];

/// Opens examples like files.
pub fn load(names: &[&str]) -> Vec<Loaded> {
    names
        .iter()
        .map(|name| judge(format!("{name}.json"), text(name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_opens() {
        for one in load(GALLERY) {
            assert!(matches!(one, Loaded::Report(..)), "{one:?}");
        }
    }
}

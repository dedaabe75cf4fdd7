//! The one door into the schema: version, then shape, then rules.

mod tree;

use serde::Deserialize;

use crate::report::{FORMAT, Report, VERSION};
use crate::rules;

/// The largest text that is looked at at all; a larger one cannot be a report.
pub const MAX_INPUT_BYTES: usize = 2 * 1024 * 1024;

/// Why a text is not a report that this version can read. Fields, not sentences: the callers word them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReportError {
    /// The text has no content.
    #[error("the file is empty")]
    Empty,
    /// The text is larger than any report.
    #[error("the file has {found} bytes; a report has at most {limit}")]
    TooLarge {
        /// Bytes found.
        found: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The text ends in the middle.
    #[error("the file ends in the middle (line {line}): it was cut off")]
    Truncated {
        /// Line, from 1.
        line: usize,
    },
    /// The text is not JSON.
    #[error("not JSON (line {line}, column {column})")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// JSON, but from somewhere else.
    #[error("JSON, but no FirstFault report: `format` is not \"firstfault-report\"")]
    Foreign,
    /// Written by a newer version.
    #[error(
        "made by a newer version of FirstFault: format version {found}, this one reads up to {supported}"
    )]
    TooNew {
        /// Version found.
        found: u64,
        /// Newest version that can be read.
        supported: u32,
    },
    /// `version` is not a version.
    #[error("`version` is not a positive whole number")]
    BadVersion,
    /// A field is missing or has the wrong type.
    #[error("{field}: {problem}")]
    Shape {
        /// Path of the field, for example `decisions[2].outcome`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The report contradicts itself.
    #[error("{field}: {problem}")]
    Rule {
        /// Path of the field.
        field: String,
        /// What it contradicts.
        problem: String,
    },
}

impl ReportError {
    /// The Fluent identifier that words this error, with its variables.
    pub fn message(&self) -> (&'static str, Vec<(&'static str, String)>) {
        match self {
            Self::Empty => ("report-error-empty", vec![]),
            Self::TooLarge { found, limit } => {
                let mib = |bytes: &usize| bytes.div_ceil(1024 * 1024).to_string();
                (
                    "report-error-too-large",
                    vec![("found", mib(found)), ("limit", mib(limit))],
                )
            }
            Self::Truncated { line } => {
                ("report-error-truncated", vec![("line", line.to_string())])
            }
            Self::NotJson { line, column } => (
                "report-error-not-json",
                vec![("line", line.to_string()), ("column", column.to_string())],
            ),
            Self::Foreign => ("report-error-foreign", vec![]),
            Self::TooNew { found, supported } => (
                "report-error-too-new",
                vec![
                    ("found", found.to_string()),
                    ("supported", supported.to_string()),
                ],
            ),
            Self::BadVersion => ("report-error-bad-version", vec![]),
            Self::Shape { field, problem } => (
                "report-error-shape",
                vec![("field", field.clone()), ("problem", problem.clone())],
            ),
            Self::Rule { field, problem } => (
                "report-error-rule",
                vec![("field", field.clone()), ("problem", problem.clone())],
            ),
        }
    }
}

impl Report {
    /// Reads a report: its version, then its shape, then whether it contradicts itself.
    ///
    /// Unknown fields are accepted. A byte order mark before the text is accepted too.
    ///
    /// # Errors
    /// A [`ReportError`] that names the field, or says what the text is instead of a report.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.len() > MAX_INPUT_BYTES {
            return Err(ReportError::TooLarge {
                found: text.len(),
                limit: MAX_INPUT_BYTES,
            });
        }
        if text.trim().is_empty() {
            return Err(ReportError::Empty);
        }
        if !text.trim_start().starts_with('{') {
            // Whole JSON of another kind is foreign; anything else is no JSON.
            return match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => Err(ReportError::Foreign),
                Err(error) => Err(json_error(&error)),
            };
        }
        let tree: serde_json::Value =
            serde_json::from_str(text).map_err(|error| json_error(&error))?;
        if tree["format"].as_str() != Some(FORMAT) {
            return Err(ReportError::Foreign);
        }
        match tree["version"].as_u64() {
            Some(found) if found > u64::from(VERSION) => {
                return Err(ReportError::TooNew {
                    found,
                    supported: VERSION,
                });
            }
            // Version 1 is the first; an upgrade from an older one would stand here, step by step.
            Some(found) if found >= 1 => {}
            _ => return Err(ReportError::BadVersion),
        }
        let report = Self::deserialize(tree::Node(tree)).map_err(|failure| ReportError::Shape {
            field: failure.path(),
            problem: failure.problem,
        })?;
        rules::check(&report)?;
        Ok(report)
    }

    /// The report as JSON text with a final line break, as it is saved and printed.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The JSON Schema (2020-12) of the report, generated from the types.
pub fn json_schema() -> String {
    let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Report)).unwrap_or_default();
    text.push('\n');
    text
}

fn json_error(error: &serde_json::Error) -> ReportError {
    if error.is_eof() {
        ReportError::Truncated { line: error.line() }
    } else {
        ReportError::NotJson {
            line: error.line(),
            column: error.column(),
        }
    }
}

//! One table of a contract, read key by key.

use toml::{Table, Value};

use super::text::{
    ContractError, ContractProblem, Count, Format, InputPlan, MAX_ENTRIES, Read, Records, error,
};
use crate::settings;

/// One table of the contract; remembers which keys were asked for, so that every other one is unknown.
pub(super) struct Section {
    path: String,
    table: Table,
    known: Vec<&'static str>,
}

impl Section {
    pub(super) const fn new(path: String, table: Table) -> Self {
        Self {
            path,
            table,
            known: Vec::new(),
        }
    }

    pub(super) fn error(&self, key: &str, problem: ContractProblem) -> ContractError {
        let dot = if self.path.is_empty() || key.is_empty() {
            ""
        } else {
            "."
        };
        error(&format!("{}{dot}{key}", self.path), problem)
    }

    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    pub(super) fn end(self) -> Read<()> {
        let Some(key) = self.table.keys().next() else {
            return Ok(());
        };
        let known = self.known.join(", ");
        Err(self.error(key, ContractProblem::UnknownKey { known }))
    }

    pub(super) fn section(&mut self, key: &'static str) -> Read<Option<Self>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(Self::new(key.to_owned(), table))),
            Some(_) => Err(self.error(key, ContractProblem::WrongType { wanted: "table" })),
        }
    }

    /// `[[output]]`, or a single `[output]`.
    pub(super) fn sections(&mut self, key: &'static str) -> Read<Vec<Self>> {
        let wrong = ContractProblem::WrongType { wanted: "tables" };
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Table(table)) => Ok(vec![Self::new(key.to_owned(), table)]),
            Some(Value::Array(entries)) => {
                if entries.len() > MAX_ENTRIES {
                    return Err(self.error(key, ContractProblem::TooLarge { most: MAX_ENTRIES }));
                }
                let sections = entries
                    .into_iter()
                    .enumerate()
                    .map(|(at, entry)| match entry {
                        Value::Table(table) => Ok(Self::new(format!("{key}[{at}]"), table)),
                        _ => Err(self.error(key, wrong.clone())),
                    });
                sections.collect()
            }
            Some(_) => Err(self.error(key, wrong)),
        }
    }

    pub(super) fn text(&mut self, key: &'static str) -> Read<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.is_empty() => {
                Err(self.error(key, ContractProblem::Missing))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(key, ContractProblem::WrongType { wanted: "text" })),
        }
    }

    pub(super) fn needed(&mut self, key: &'static str) -> Read<String> {
        self.text(key)?
            .ok_or_else(|| self.error(key, ContractProblem::Missing))
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, key: &'static str) -> Read<Option<Vec<String>>> {
        let wrong = ContractProblem::WrongType { wanted: "texts" };
        let texts: Vec<String> = match self.take(key) {
            None => return Ok(None),
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(entries)) => {
                let texts = entries.into_iter().map(|entry| match entry {
                    Value::String(text) => Ok(text),
                    _ => Err(self.error(key, wrong.clone())),
                });
                texts.collect::<Read<_>>()?
            }
            Some(_) => return Err(self.error(key, wrong)),
        };
        if texts.len() > MAX_ENTRIES {
            return Err(self.error(key, ContractProblem::TooLarge { most: MAX_ENTRIES }));
        }
        if texts.is_empty() || texts.iter().any(String::is_empty) {
            return Err(self.error(key, ContractProblem::Missing));
        }
        Ok(Some(texts))
    }

    pub(super) fn truth(&mut self, key: &'static str) -> Read<Option<bool>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Boolean(truth)) => Ok(Some(truth)),
            Some(_) => Err(self.error(key, ContractProblem::WrongType { wanted: "truth" })),
        }
    }

    /// A finite number.
    pub(super) fn number(&mut self, key: &'static str) -> Read<Option<f64>> {
        #[allow(clippy::cast_precision_loss, reason = "bounds are doubles")]
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(whole)) => Ok(Some(whole as f64)),
            Some(Value::Float(number)) if number.is_finite() => Ok(Some(number)),
            Some(Value::Float(_)) => Err(self.error(key, ContractProblem::OutOfRange)),
            Some(_) => Err(self.error(key, ContractProblem::WrongType { wanted: "number" })),
        }
    }

    pub(super) fn whole(&mut self, key: &'static str) -> Read<Option<u64>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(whole)) => match u64::try_from(whole) {
                Ok(whole) if whole > 0 => Ok(Some(whole)),
                _ => Err(self.error(key, ContractProblem::OutOfRange)),
            },
            Some(_) => Err(self.error(key, ContractProblem::WrongType { wanted: "whole" })),
        }
    }

    /// A part of a whole: above 0, up to 1.
    pub(super) fn share(&mut self, key: &'static str) -> Read<Option<f64>> {
        let share = self.number(key)?;
        if share.is_some_and(|share| share <= 0.0 || share > 1.0) {
            return Err(self.error(key, ContractProblem::OutOfRange));
        }
        Ok(share)
    }

    pub(super) fn bounds(&mut self) -> Read<(Option<f64>, Option<f64>)> {
        let (min, max) = (self.number("min")?, self.number("max")?);
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(self.error("min", ContractProblem::OutOfRange));
        }
        Ok((min, max))
    }

    /// A name that will stand in the report.
    pub(super) fn plain_name(&mut self, key: &'static str) -> Read<Option<String>> {
        let Some(name) = self.text(key)? else {
            return Ok(None);
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        // `eval/accuracy` is how many loggers name a metric; a single one is no path.
        let looks_plain = settings::own_words(&name.replacen('/', "-", 1), &[]).is_ok();
        if name.len() > 64
            || !name.chars().all(plain)
            || name.starts_with(['/', '.'])
            || !looks_plain
        {
            return Err(self.error(key, ContractProblem::BadName));
        }
        Ok(Some(name))
    }

    /// What an empty cell is in a table; no other format has cells.
    pub(super) fn skip_blank(&mut self, format: Option<Format>, other: &'static str) -> Read<bool> {
        match self.text("blank")?.as_deref() {
            None | Some("not_finite") => return Ok(false),
            Some("skip") => {}
            Some(_) => {
                let known = "skip, not_finite";
                return Err(self.error("blank", ContractProblem::NotOneOf { known }));
            }
        }
        match format {
            None => Err(self.error("blank", ContractProblem::Needs { other })),
            Some(Format::Csv(_)) => Ok(true),
            Some(_) => Err(self.error("blank", ContractProblem::DoesNotFit { other })),
        }
    }

    /// A text that may hold `*` and `?`.
    pub(super) fn pattern(&mut self, key: &'static str) -> Read<Option<String>> {
        let text = self.text(key)?;
        self.patterns_of(key, text.iter())?;
        Ok(text)
    }

    /// A text that may hold `*` and `?`, or a list of such.
    pub(super) fn patterns(&mut self, key: &'static str) -> Read<Option<Vec<String>>> {
        let texts = self.texts(key)?;
        self.patterns_of(key, texts.iter().flatten())?;
        Ok(texts)
    }

    pub(super) fn patterns_of<'a>(
        &self,
        key: &str,
        texts: impl Iterator<Item = &'a String>,
    ) -> Read<()> {
        for text in texts {
            if glob::Pattern::new(text).is_err() {
                return Err(self.error(key, ContractProblem::BadPattern));
            }
        }
        Ok(())
    }

    pub(super) fn count(&mut self, input: Option<&InputPlan>) -> Read<Option<Count>> {
        let known = "same as input";
        match self.take("count") {
            None => Ok(None),
            Some(Value::Integer(count)) => match u64::try_from(count) {
                Ok(count) => Ok(Some(Count::Exactly(count))),
                Err(_) => Err(self.error("count", ContractProblem::OutOfRange)),
            },
            Some(Value::String(text)) if text == known && input.is_none() => {
                Err(self.error("count", ContractProblem::Needs { other: "input" }))
            }
            Some(Value::String(text)) if text == known => Ok(Some(Count::SameAsInput)),
            Some(Value::String(_)) => Err(self.error("count", ContractProblem::NotOneOf { known })),
            Some(_) => Err(self.error("count", ContractProblem::WrongType { wanted: "whole" })),
        }
    }

    pub(super) fn records(&mut self, formats: &'static [&'static str]) -> Read<Records> {
        let Some(paths) = self.patterns("path")? else {
            return Err(self.error("path", ContractProblem::Missing));
        };
        let format = self.format(&paths[0], formats)?;
        Ok(Records {
            id: self.text("id")?,
            paths,
            format,
        })
    }

    pub(super) fn format(&mut self, path: &str, formats: &'static [&'static str]) -> Read<Format> {
        self.format_named("format", path, formats)
    }

    /// The format that is written, else the one that the file's ending tells.
    pub(super) fn format_named(
        &mut self,
        key: &'static str,
        path: &str,
        formats: &'static [&'static str],
    ) -> Read<Format> {
        let written = self.text(key)?;
        let ending = path
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
        let given = written.is_some();
        let name = match written.or(ending).as_deref() {
            Some("jsonl" | "ndjson") => "jsonl",
            Some("json") => "json",
            Some("csv") => "csv",
            Some("tsv") => "tsv",
            Some("npy") => "npy",
            Some("npz") => "npz",
            Some("safetensors") => "safetensors",
            Some("parquet" | "pq") => "parquet",
            Some("files") if given => "files",
            Some("lines") if given => "lines",
            Some("txt") if !given => "lines",
            _ => "",
        };
        if !formats.contains(&name) {
            let problem = if given {
                ContractProblem::NotOneOf {
                    known: KNOWN_FORMATS,
                }
            } else {
                ContractProblem::NoFormat {
                    known: formats.join(", "),
                }
            };
            return Err(self.error(key, problem));
        }
        Ok(match name {
            "jsonl" => Format::JsonLines,
            "json" => Format::Json,
            "csv" => Format::Csv(b','),
            "tsv" => Format::Csv(b'\t'),
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "safetensors" => Format::Safetensors,
            "parquet" => Format::Parquet,
            "files" => Format::Files,
            _ => Format::Lines,
        })
    }
}

/// Every format that any key takes; the documentation says which takes which.
const KNOWN_FORMATS: &str =
    "jsonl, csv, tsv, npy, npz, safetensors, parquet; input: files, lines; metric: json";

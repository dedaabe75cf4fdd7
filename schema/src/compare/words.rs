//! Reasons and names of fields, worded.

use fluent_bundle::FluentValue;

use super::Standing;
use super::fields::{Unit, Value, word_id};
use crate::format;
use crate::guidance::Guidance;

/// One reason, not yet worded.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Its Fluent identifier.
    pub id: &'static str,
    /// Whether its point is met.
    pub standing: Standing,
    /// Its arguments.
    pub values: Vec<(&'static str, Argument)>,
}

/// An argument of a reason: typed, worded in the reader's language.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value as it is.
    Value(Value),
    /// A number in its unit.
    Amount(Unit, f64),
    /// A value of a field, in the unit of the field.
    OfField(Value, Unit),
    /// A share, 0.06 for 6 %.
    Share(f64),
    /// From one number to another, in percent with its sign.
    Shift(f64, f64),
    /// A field's name, by its path.
    Field(String),
}

impl From<Value> for Argument {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl Reason {
    pub(super) const fn plain(id: &'static str) -> Self {
        Self::new(id, Standing::Note)
    }

    pub(super) const fn new(id: &'static str, standing: Standing) -> Self {
        Self {
            id,
            standing,
            values: Vec::new(),
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Argument>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Whether a row tells the same in full.
    pub fn is_about_a_field(&self) -> bool {
        self.field().is_some()
    }

    /// Whether it is about the outcome of a decision.
    pub fn is_about_a_decision(&self) -> bool {
        self.field()
            .is_some_and(|path| path.starts_with("decisions."))
    }

    fn field(&self) -> Option<&str> {
        self.values.iter().find_map(|(_, value)| match value {
            Argument::Field(path) => Some(path.as_str()),
            _ => None,
        })
    }

    /// The reason in words.
    pub fn text(&self, guidance: &Guidance) -> String {
        let values: Vec<_> = self
            .values
            .iter()
            .map(|(name, value)| (*name, value.words(guidance)))
            .collect();
        guidance.text_with(self.id, &values)
    }
}

impl Argument {
    fn words(&self, guidance: &Guidance) -> FluentValue<'static> {
        let language = guidance.language();
        FluentValue::from(match self {
            Self::Value(value) => return value.argument(guidance),
            Self::Amount(unit, number) => format::value(&Value::Number(*number), *unit, guidance),
            Self::OfField(value, unit) => format::value(value, *unit, guidance),
            Self::Share(share) => format::share(*share, language),
            Self::Shift(before, after) => {
                format::change(*before, *after, language).unwrap_or_default()
            }
            Self::Field(path) => field_name(path, guidance).unwrap_or_else(|| path.clone()),
        })
    }
}

impl Value {
    /// The value as a Fluent argument.
    fn argument(&self, guidance: &Guidance) -> FluentValue<'static> {
        match self {
            Self::Number(number) => FluentValue::from(*number),
            Self::Text(text) => FluentValue::from(text.clone()),
            Self::Truth(truth) => FluentValue::from(if *truth { "true" } else { "false" }),
            Self::Word(prefix, name) => FluentValue::from(guidance.text(&word_id(prefix, name))),
            Self::Missing => FluentValue::from("–"),
        }
    }
}

/// The name of a compared field for people; none where only its path tells it.
pub fn field_name(path: &str, words: &Guidance) -> Option<String> {
    if let Some(fact) = path.strip_prefix("diagnosis.evidence.") {
        return words.find(&word_id("fact", fact), &[]);
    }
    if let Some(point) = path.strip_prefix("application.outputs.") {
        return words.contract_point(point);
    }
    if let Some(decision) = path.strip_prefix("decisions.") {
        return words.find(&word_id("decision", decision), &[]);
    }
    if let Some(name) = path.strip_prefix("attempt.parameters.") {
        return Some(format!("{} {name}", words.text("compared-parameter")));
    }
    let compared =
        |name: &str| words.find(&format!("compared-{}", name.replace(['.', '_'], "-")), &[]);
    if let Some((of, name)) = path
        .strip_prefix("application.sweep.")
        .and_then(|rest| rest.rsplit_once('.'))
    {
        // An axis is the user's own word; a step is the axis with its value.
        return match of.split_once(".steps.") {
            Some((axis, value)) => Some(format!(
                "{}: {axis} {value}",
                compared(&format!("application.sweep.steps.{name}"))?
            )),
            None => Some(format!(
                "{}: {of}",
                compared(&format!("application.sweep.{name}"))?
            )),
        };
    }
    // One of several, such as a GPU or a checkpoint.
    if let Some(at) = path
        .split('.')
        .find(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        let name: Vec<&str> = path.split('.').filter(|part| *part != at).collect();
        return Some(format!("{} {at}", compared(&name.join("."))?));
    }
    compared(path)
}

//! The axis of a sweep: which values, in which order, and what lies between two of them. Pure.

use std::ffi::OsString;

use firstfault_schema::report::Scalar;

use crate::error::UsageProblem;
use crate::settings::{self, Variables};

/// The most values that an axis may have; what is refined comes on top.
pub(crate) const MAX_VALUES: usize = 200;
/// A longer number is no batch and no length.
const MAX_DIGITS: usize = 15;

/// One value: as it is given to the command, and as a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) number: f64,
}

impl Value {
    /// `12` or `0.25`: digits, and at most one point between them.
    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if text.len() > MAX_DIGITS || !digits(whole) || !digits(fraction) {
            return None;
        }
        Some(Self {
            text: text.to_owned(),
            number: text.parse().ok()?,
        })
    }

    fn decimals(&self) -> usize {
        self.text.split_once('.').map_or(0, |(_, rest)| rest.len())
    }

    /// Halfway to `other`, a whole number between whole numbers; none where nothing lies between.
    pub(crate) fn halfway(&self, other: &Self) -> Option<Self> {
        let middle = f64::midpoint(self.number, other.number);
        let decimals = self.decimals().max(other.decimals());
        let text = if decimals == 0 {
            format!("{:.0}", middle.floor())
        } else {
            // Half of the last decimal needs one more.
            let text = format!("{middle:.*}", decimals + 1);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        Self::parse(&text).filter(|value| value.number > self.number && value.number < other.number)
    }

    /// As a declared parameter.
    pub(crate) fn scalar(&self) -> Scalar {
        serde_json::from_str(&self.text)
            .map_or_else(|_| Scalar::Text(self.text.clone()), Scalar::Number)
    }
}

/// The axis as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) name: String,
    /// Increasing, never empty.
    pub(crate) values: Vec<Value>,
}

impl Axis {
    /// `batch=1,2,4,8`, or `batch=1..64`: 1, 2, 4, up to 64.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(typed: &str, variables: &Variables) -> Result<Self, UsageProblem> {
        let (name, list) = typed.split_once('=').ok_or(UsageProblem::Axis)?;
        // An axis is a parameter of each attempt, so it is named like one.
        settings::parameters(&[format!("{name}=1")], variables).map_err(
            |problem| match problem {
                UsageProblem::Parameter => UsageProblem::Axis,
                other => other,
            },
        )?;
        let values = match list.split_once("..") {
            Some((first, last)) => doubling(first, last),
            None => list.split(',').map(Value::parse).collect(),
        };
        let values: Vec<Value> = values.ok_or(UsageProblem::Axis)?;
        if values.len() > MAX_VALUES {
            return Err(UsageProblem::Axis);
        }
        if values
            .windows(2)
            .any(|pair| pair[0].number >= pair[1].number)
        {
            return Err(UsageProblem::AxisOrder);
        }
        Ok(Self {
            name: name.to_owned(),
            values,
        })
    }

    fn place(&self) -> String {
        format!("{{{}}}", self.name)
    }

    /// Whether the command says where the value goes.
    pub(crate) fn is_in(&self, command: &[OsString]) -> bool {
        let place = self.place();
        command
            .iter()
            .any(|word| word.to_str().is_some_and(|text| text.contains(&place)))
    }

    /// The command with this value in its place.
    pub(crate) fn command(&self, command: &[OsString], value: &Value) -> Vec<OsString> {
        let place = self.place();
        command
            .iter()
            .map(|word| match word.to_str() {
                Some(text) => text.replace(&place, &value.text).into(),
                None => word.clone(),
            })
            .collect()
    }
}

/// From the first value, each twice the one before; the last one is always there.
fn doubling(first: &str, last: &str) -> Option<Vec<Value>> {
    let (first, last) = (Value::parse(first)?, Value::parse(last)?);
    if first.number <= 0.0 || first.number > last.number {
        return None;
    }
    let decimals = first.decimals();
    let mut values = vec![first.clone()];
    let mut number = first.number * 2.0;
    while number < last.number {
        values.push(Value::parse(&format!("{number:.decimals$}"))?);
        number *= 2.0;
    }
    if first.number < last.number {
        values.push(last);
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(typed: &str) -> Result<Vec<String>, UsageProblem> {
        Axis::parse(typed, &[])
            .map(|axis| axis.values.into_iter().map(|value| value.text).collect())
    }

    #[test]
    fn a_list_stays_as_it_was_typed_and_a_range_doubles_up_to_its_cap() {
        assert_eq!(texts("batch=1,2,4,8").unwrap(), ["1", "2", "4", "8"]);
        assert_eq!(texts("scale=0.5,1,1.25").unwrap(), ["0.5", "1", "1.25"]);
        assert_eq!(texts("batch=1..8").unwrap(), ["1", "2", "4", "8"]);
        assert_eq!(texts("batch=3..20").unwrap(), ["3", "6", "12", "20"]);
        assert_eq!(texts("scale=0.25..1").unwrap(), ["0.25", "0.50", "1"]);
        assert_eq!(texts("batch=8").unwrap(), ["8"]);
        assert_eq!(texts("batch=8..8").unwrap(), ["8"]);
    }

    #[test]
    fn what_is_no_axis_is_refused() {
        for typed in [
            "batch",
            "batch=",
            "batch=1,,2",
            "batch=a",
            "batch=-1,2",
            "batch=1e3",
            "=1,2",
            "ba tch=1",
            "batch=8..4",
            "batch=0..4",
            "batch=1.",
            "batch=.5",
            "batch=1..",
            "batch=1..2..4",
            "batch=1234567890123456",
        ] {
            assert_eq!(texts(typed), Err(UsageProblem::Axis), "{typed}");
        }
        for typed in ["batch=2,1", "batch=1,1", "batch=1,1.0"] {
            assert_eq!(texts(typed), Err(UsageProblem::AxisOrder), "{typed}");
        }
        assert_eq!(texts("api_token=1"), Err(UsageProblem::LooksSecret));
    }

    #[test]
    fn whole_numbers_are_halved_to_whole_numbers_until_they_are_neighbours() {
        let value = |text| Value::parse(text).unwrap();
        let halfway = |low, high| value(low).halfway(&value(high)).map(|value| value.text);
        assert_eq!(halfway("8", "16").as_deref(), Some("12"));
        assert_eq!(halfway("12", "13"), None);
        assert_eq!(halfway("13", "16").as_deref(), Some("14"));
        assert_eq!(halfway("0.1", "0.2").as_deref(), Some("0.15"));
        assert_eq!(halfway("1", "1.5").as_deref(), Some("1.25"));
        assert_eq!(halfway("0.5", "1.5").as_deref(), Some("1"));
    }

    #[test]
    fn the_value_takes_its_place_in_the_command() {
        let axis = Axis::parse("batch=4", &[]).unwrap();
        let command: Vec<OsString> = [
            "python",
            "a.py",
            "--batch={batch}",
            "{other}",
            "{batch}/{batch}",
        ]
        .map(OsString::from)
        .to_vec();
        assert!(axis.is_in(&command) && !axis.is_in(&command[..2]));
        assert_eq!(
            axis.command(&command, &axis.values[0]),
            ["python", "a.py", "--batch=4", "{other}", "4/4"]
        );
    }
}

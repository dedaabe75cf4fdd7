//! What a reader hands on: one record at a time, as its identifier and the statistics of its numbers.

use std::borrow::Cow;

use super::broken::Place;
use super::points::Word;

/// What is wanted of each record.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish<'a> {
    /// Field, column or array of the identifier.
    pub(super) id: Option<&'a str>,
    /// Field, column or array of the numbers.
    pub(super) vector: Option<&'a str>,
    /// Field or column whose length is wanted.
    pub(super) length: Option<&'a str>,
    /// Whether the values themselves matter, or only whether they are finite.
    pub(super) values: bool,
    /// The bounds that values must keep, so that a reader which rounds can look again near them.
    pub(super) min: Option<f64>,
    /// The same above.
    pub(super) max: Option<f64>,
    /// A table's cell with nothing in it is no value, instead of one that is not finite.
    pub(super) skip_blank: bool,
}

/// The numbers of one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    /// How many there are.
    pub(super) count: u64,
    /// Whether all are finite.
    pub(super) finite: bool,
    /// Lowest of the finite ones; infinity where values were not wanted.
    pub(super) min: f64,
    /// Highest of the finite ones; minus infinity where values were not wanted.
    pub(super) max: f64,
    /// Sum of the squares of the finite ones; 0 where values were not wanted.
    pub(super) squares: f64,
}

impl Numbers {
    /// No numbers.
    pub(super) const NONE: Self = Self {
        count: 0,
        finite: true,
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        squares: 0.0,
    };

    /// Takes in one number.
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        if value.is_finite() {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
            self.squares += value * value;
        } else {
            self.finite = false;
        }
    }
}

/// One record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record<'a> {
    /// Its identifier, where one was wanted and found.
    pub(super) id: Option<Cow<'a, [u8]>>,
    /// Its numbers, where they were wanted and found.
    pub(super) vector: Option<Vector>,
    /// Its length, where that was wanted and found.
    pub(super) length: Option<u64>,
    /// There was nothing in the cell of its number.
    pub(super) blank: bool,
}

/// What stands where the numbers should.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Vector {
    /// `null` in the place of all numbers.
    Null,
    /// Numbers.
    Numbers(Numbers),
}

/// Takes records from readers. Readers that work on several threads fork it, and join it again.
pub(super) trait Visitor: Send {
    /// A record.
    fn record(&mut self, place: Place, record: &Record<'_>);
    /// A record that can't be used, with what could be read of it.
    fn flawed(&mut self, place: Place, flaw: Word, record: &Record<'_>);
    /// Whether nothing more is wanted.
    fn is_content(&self) -> bool {
        false
    }
    /// A visitor for another thread.
    fn fork(&self) -> Self;
    /// Takes in what another thread's visitor saw.
    fn join(&mut self, other: Self);
}

/// A number's text as an identifier: `7.0` and `7` are the same.
pub(super) fn number_id(token: &str) -> Cow<'_, [u8]> {
    if token.contains(['.', 'e', 'E'])
        && let Ok(value) = token.parse::<f64>()
        && value.fract() == 0.0
        && value.abs() < 9e15
    {
        return Cow::Owned(format!("{value:.0}").into_bytes());
    }
    Cow::Borrowed(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_one_identifier_however_they_are_written() {
        for (token, id) in [
            ("7", "7"),
            ("7.0", "7"),
            ("7e0", "7"),
            ("7.5", "7.5"),
            ("-0.0", "-0"),
            ("12345678901234567890", "12345678901234567890"),
        ] {
            assert_eq!(number_id(token), id.as_bytes(), "{token}");
        }
    }

    #[test]
    fn values_that_are_not_finite_stay_out_of_the_statistics() {
        let mut numbers = Numbers::NONE;
        for value in [1.0, f64::NAN, -2.0, f64::INFINITY] {
            numbers.add(value);
        }
        let expected = Numbers {
            count: 4,
            finite: false,
            min: -2.0,
            max: 1.0,
            squares: 5.0,
        };
        assert_eq!(numbers, expected);
    }
}

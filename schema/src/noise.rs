//! The noise floor: how far the measures of one attempt lie apart when nothing is changed (A/A), and what follows for a
//! difference between two attempts.
//!
//! # The rule
//!
//! A difference is a change only where two things hold: the ranges of the two sides do not overlap, and their medians
//! differ by more than a multiple of the larger range. The first needs no assumption about how the values are
//! distributed: that two ranges of `n` and `m` values of one and the same thing lie apart has the probability
//! `2 n! m! / (n + m)!`, which is 0.8 % for five against five, but 10 % for three against three. The second makes up for
//! few runs, whose range is too narrow by chance, and for runs made in a row: these share a temperature, a clock rate and
//! warm caches, and lie closer together than runs of two different days. The multiples are chosen so that a false alarm
//! stays below 1 % for a measure where both sides were repeated five times, even where the two sides differ by an offset of
//! their own that is as large as the noise within each. `schema/tests/noise.rs` measures the rates.

use crate::code::Status;
use crate::compare::{Field, Kind, Value, fields};
use crate::report::{Measure, Noise, Report};

/// The least number of runs that tells anything about noise.
const LEAST_RUNS: u32 = 2;
/// No difference of durations or throughput below this share of the baseline's median is called a change.
const LEAST_SHARE: f64 = 0.01;
/// What a duration in ms can be trusted to.
const CLOCK_MS: f64 = 0.05;
/// The allocator's own granularity in bytes.
const ALLOCATOR_BYTES: f64 = 2.0 * 1024.0 * 1024.0;

/// The spread of an attempt that was made `reports.len()` times. Only runs that passed are measured: what a failed run
/// took says nothing about the others.
pub fn of(reports: &[Report]) -> Noise {
    let passing: Vec<Vec<Field>> = reports
        .iter()
        .filter(|report| passed(report))
        .map(fields)
        .collect();
    let measures = match passing.split_first() {
        Some((first, others)) if !others.is_empty() => first
            .iter()
            .filter(|field| is_measured(field.kind))
            .filter_map(|field| {
                let number = |field: &Field| match field.value {
                    Value::Number(number) if number.is_finite() => Some(number),
                    _ => None,
                };
                let mut values = vec![number(field)?];
                for other in others {
                    values.push(number(
                        other.iter().find(|known| known.path == field.path)?,
                    )?);
                }
                Some(measure(&field.path, values))
            })
            .collect(),
        _ => Vec::new(),
    };
    Noise {
        runs: count(reports.len()),
        passed: count(passing.len()),
        measures,
    }
}

/// Whether an attempt passed, whether or not its report could be saved.
pub fn passed(report: &Report) -> bool {
    report.unsaved_code.unwrap_or(report.code).status() == Status::Passed
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Whether a field is a measurement, which differs from run to run by itself.
pub const fn is_measured(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Single | Kind::Repeated | Kind::Memory | Kind::Throughput
    )
}

fn measure(field: &str, mut values: Vec<f64>) -> Measure {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    };
    Measure {
        field: field.to_owned(),
        min: rounded(values[0]),
        median: rounded(median),
        max: rounded(values[values.len() - 1]),
    }
}

/// To ten significant digits, which every reader of JSON gives back as they are.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// One measure of one side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// How many runs it was measured in.
    pub runs: u32,
    /// Lowest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Highest.
    pub max: f64,
}

impl Range {
    /// A value that was measured in one run.
    pub const fn once(value: f64) -> Self {
        Self {
            runs: 1,
            min: value,
            median: value,
            max: value,
        }
    }

    /// The range of a field, where a report tells its noise.
    pub fn of(report: &Report, path: &str) -> Option<Self> {
        let noise = report.noise.as_ref()?;
        if noise.passed < LEAST_RUNS {
            return None;
        }
        let measure = noise
            .measures
            .iter()
            .find(|measure| measure.field == path)?;
        Some(Self {
            runs: noise.passed,
            min: measure.min,
            median: measure.median,
            max: measure.max,
        })
    }

    /// From the lowest to the highest.
    pub fn width(&self) -> f64 {
        self.max - self.min
    }
}

/// What a difference is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// The baseline's runs.
    pub baseline: Range,
    /// The candidate's runs.
    pub candidate: Range,
    /// Differences of the medians up to this one are no change, in the field's unit.
    pub least: f64,
}

impl Floor {
    /// The floor for a measure of this kind.
    pub fn new(kind: Kind, baseline: Range, candidate: Range) -> Self {
        let width = baseline.width().max(candidate.width());
        let resolution = match kind {
            Kind::Memory => ALLOCATOR_BYTES,
            Kind::Throughput => LEAST_SHARE * baseline.median.abs(),
            _ => CLOCK_MS.max(LEAST_SHARE * baseline.median.abs()),
        };
        Self {
            baseline,
            candidate,
            least: (multiple(baseline.runs, candidate.runs) * width).max(resolution),
        }
    }

    /// Whether the two sides differ by more than the noise.
    pub fn is_exceeded(&self) -> bool {
        let (before, after) = (&self.baseline, &self.candidate);
        let apart = before.max < after.min || after.max < before.min;
        apart && (after.median - before.median).abs() > self.least
    }

    /// The floor as a share of the baseline's median; none where that is zero.
    pub fn share(&self) -> Option<f64> {
        let median = self.baseline.median.abs();
        (median > 0.0).then(|| self.least / median)
    }
}

/// How many times the larger range a difference has to exceed, by the runs of the two sides.
fn multiple(one: u32, other: u32) -> f64 {
    let (few, many) = (one.min(other), one.max(other));
    match (few, many) {
        (10.., _) => 1.5,
        (5.., _) => 2.0,
        (3.., _) => 3.0,
        (2, _) => 6.0,
        // Against a single run, whose own spread nobody knows.
        (_, 20..) => 2.0,
        (_, 10..) => 3.0,
        (_, 5..) => 4.0,
        (_, 3..) => 6.0,
        _ => 12.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(values: &[f64]) -> Range {
        let measure = measure("x", values.to_vec());
        Range {
            runs: count(values.len()),
            min: measure.min,
            median: measure.median,
            max: measure.max,
        }
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let measure = measure("x", vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!((measure.min, measure.median, measure.max), (1.0, 2.5, 4.0));
    }

    #[test]
    fn ranges_that_overlap_are_never_a_change() {
        let before = range(&[1.0, 1.0, 1.0, 1.0, 100.0]);
        let after = range(&[50.0, 500.0, 500.0, 500.0, 500.0]);
        assert!(!Floor::new(Kind::Single, before, after).is_exceeded());
    }

    #[test]
    fn more_runs_need_less_of_a_difference() {
        let (few, many) = (
            range(&[100.0, 101.0, 102.0]),
            range(&[100.0, 100.5, 101.0, 101.5, 102.0]),
        );
        let shifted = |range: Range, by: f64| Range {
            min: range.min + by,
            median: range.median + by,
            max: range.max + by,
            ..range
        };
        assert!(!Floor::new(Kind::Single, few, shifted(few, 5.0)).is_exceeded());
        assert!(Floor::new(Kind::Single, many, shifted(many, 5.0)).is_exceeded());
        let once = Range::once(106.0);
        assert!(!Floor::new(Kind::Single, many, once).is_exceeded());
        assert!(Floor::new(Kind::Single, many, Range::once(110.0)).is_exceeded());
    }

    #[test]
    fn without_any_spread_the_resolution_of_the_measurement_is_left() {
        let exact = range(&[1000.0; 5]);
        assert!(!Floor::new(Kind::Single, exact, range(&[1009.0; 5])).is_exceeded());
        assert!(Floor::new(Kind::Single, exact, range(&[1011.0; 5])).is_exceeded());
        let memory = range(&[8.0e9; 5]);
        assert!(!Floor::new(Kind::Memory, memory, range(&[8.001e9; 5])).is_exceeded());
        assert!(Floor::new(Kind::Memory, memory, range(&[8.01e9; 5])).is_exceeded());
    }
}

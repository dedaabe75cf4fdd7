//! The course of a sweep: which value comes next, and what is known so far. Pure.

use firstfault_schema::Report;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{SweepEnd, SweepStep};
use serde::{Deserialize, Serialize};

use super::axis::Value;
use super::predict::predict;

/// No step takes longer, and no machine has more.
const MOST_MS: f64 = 1e12;
const MOST_BYTES: u64 = 1 << 50;

/// A step as it is kept on disk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The value as it was given to the command.
    pub(super) value: String,
    pub(super) step: SweepStep,
    /// In use before it.
    pub(super) before_bytes: Option<u64>,
    /// What it needed itself.
    pub(super) own_bytes: Option<u64>,
    /// None for a step that was refused.
    pub(super) report: Option<Report>,
}

impl Kept {
    /// Whether it can be one that was written here. What was changed by hand is tried again.
    #[allow(clippy::float_cmp, reason = "the same number, written twice")]
    pub(super) fn is_sound(&self) -> bool {
        let is_known = |why: &str| SweepEnd::ALL.iter().any(|end| end.name() == why);
        let is_time = |ms: f64| (0.0..=MOST_MS).contains(&ms);
        let step = &self.step;
        self.value.parse() == Ok(step.value)
            && step.wall_ms.is_none_or(is_time)
            && step.why.as_deref().is_none_or(is_known)
            && (step.why.is_some() || step.outcome == Outcome::Passed)
            && [step.peak_bytes, self.before_bytes, self.own_bytes]
                .iter()
                .flatten()
                .all(|bytes| *bytes <= MOST_BYTES)
            && self
                .report
                .as_ref()
                .is_none_or(|report| Report::from_json(&report.to_json()).is_ok())
    }

    /// Whether it need not be tried again: it was neither cut off by Ctrl-C nor by the end of the budget.
    pub(super) fn is_finished(&self) -> bool {
        let cut = |why: &str| {
            [SweepEnd::Interrupted, SweepEnd::Budget]
                .iter()
                .any(|end| end.name() == why)
        };
        !self.step.why.as_deref().is_some_and(cut)
    }
}

/// What is known so far.
#[derive(Debug)]
pub(super) struct Course<'a> {
    values: &'a [Value],
    /// How many of them had their turn.
    had: usize,
    /// How often the gap may still be halved.
    refine: u32,
    pub(super) steps: Vec<SweepStep>,
    /// How many of them stem from an earlier start.
    pub(super) continued: u32,
    /// The largest good value.
    pub(super) low: Option<Value>,
    /// The smallest one that is no good, and why.
    pub(super) bad: Option<(Value, String)>,
    /// The report of the largest good value.
    pub(super) good: Option<Report>,
    /// The first report that is no good.
    pub(super) first: Option<Report>,
    /// Value and own memory of every good step.
    measured: Vec<(f64, f64)>,
    /// In use before the last step.
    before_bytes: u64,
    pub(super) fastest_ms: Option<f64>,
    /// What ended it, as a name of [`SweepEnd`]; none where every value was good.
    pub(super) ended_by: Option<String>,
}

impl<'a> Course<'a> {
    pub(super) const fn new(values: &'a [Value], refine: u32) -> Self {
        Self {
            values,
            had: 0,
            refine,
            steps: Vec::new(),
            continued: 0,
            low: None,
            bad: None,
            good: None,
            first: None,
            measured: Vec::new(),
            before_bytes: 0,
            fastest_ms: None,
            ended_by: None,
        }
    }

    /// The value that comes next; none where the course has come to its own end, which is then noted.
    pub(super) fn next(&mut self) -> Option<Value> {
        let next = match (&self.low, &self.bad) {
            (_, None) => self.values.get(self.had).cloned(),
            (Some(low), Some((bad, _))) if self.refine > 0 => low.halfway(bad),
            _ => None,
        };
        if next.is_none() {
            self.ended_by = self.bad.as_ref().map(|(_, why)| why.clone());
        }
        next
    }

    /// Takes what came of a value.
    pub(super) fn take(&mut self, value: &Value, kept: Kept, continued: bool) {
        let finished = kept.is_finished();
        let Kept {
            step,
            before_bytes,
            own_bytes,
            report,
            ..
        } = kept;
        if self.bad.is_none() {
            self.had += 1;
        } else {
            self.refine -= 1;
        }
        self.continued += u32::from(continued);
        self.before_bytes = before_bytes.unwrap_or(self.before_bytes);
        if finished && let Some(ms) = step.wall_ms {
            self.fastest_ms = Some(self.fastest_ms.map_or(ms, |fastest| fastest.min(ms)));
        }
        if step.outcome == Outcome::Passed {
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            self.measured
                .extend(own_bytes.map(|own| (value.number, own as f64)));
            self.low = Some(value.clone());
            self.good = report;
        } else {
            self.first = self.first.take().or(report);
            let why = step.why.clone().unwrap_or_default();
            if finished {
                self.bad = Some((value.clone(), why));
            } else {
                self.ended_by = Some(why);
            }
        }
        self.steps.push(step);
    }

    /// Something from outside ends it.
    pub(super) fn end(&mut self, why: SweepEnd) {
        self.ended_by = Some(why.name().to_owned());
    }

    /// Memory that will be in use with `value`, in bytes: what is in use before, and what the steps so far foretell.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bytes are above 0 and below 2^52"
    )]
    pub(super) fn predict(&self, value: f64, before: Option<u64>) -> Option<u64> {
        let own = predict(&self.measured, value)?.max(0.0).ceil();
        Some(before.unwrap_or(self.before_bytes) + own as u64)
    }

    /// Whether nothing is left to continue.
    pub(super) fn is_complete(&self) -> bool {
        match &self.ended_by {
            None => true,
            Some(why) => ![SweepEnd::Interrupted, SweepEnd::Budget, SweepEnd::Attempts]
                .iter()
                .any(|end| end.name() == why),
        }
    }

    /// Planned values that never had their turn.
    pub(super) fn not_tried(&self) -> Vec<f64> {
        self.values[self.had..]
            .iter()
            .map(|value| value.number)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::*;

    /// Goes along the axis, good up to `limit`, and tells the values in the order in which they were tried.
    fn tried(
        axis: &str,
        refine: u32,
        limit: f64,
    ) -> (Vec<f64>, Option<f64>, Option<f64>, Option<String>) {
        let axis = Axis::parse(axis, &[]).unwrap();
        let mut course = Course::new(&axis.values, refine);
        while let Some(value) = course.next() {
            let good = value.number <= limit;
            let mut kept = super::super::refused_step(&value, None);
            if good {
                kept.step.outcome = Outcome::Passed;
                kept.step.why = None;
            }
            course.take(&value, kept, false);
        }
        let steps = course.steps.iter().map(|step| step.value).collect();
        let number = |value: &Value| value.number;
        (
            steps,
            course.low.as_ref().map(number),
            course.bad.as_ref().map(|(value, _)| value.number),
            course.ended_by,
        )
    }

    #[test]
    fn the_first_bad_step_ends_it() {
        let (steps, good, bad, why) = tried("batch=1,2,4,8,16", 0, 5.0);
        assert_eq!(steps, [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(
            (good, bad, why.as_deref()),
            (Some(4.0), Some(8.0), Some("margin"))
        );
        assert_eq!(tried("batch=1,2", 3, 5.0).3, None);
    }

    #[test]
    fn the_gap_is_halved_until_its_ends_are_neighbours() {
        let (steps, good, bad, _) = tried("batch=1..16", 9, 13.0);
        assert_eq!(steps, [1.0, 2.0, 4.0, 8.0, 16.0, 12.0, 14.0, 13.0]);
        assert_eq!((good, bad), (Some(13.0), Some(14.0)));
        let (steps, good, bad, _) = tried("batch=1..16", 1, 13.0);
        assert_eq!(steps.len(), 6);
        assert_eq!((good, bad), (Some(12.0), Some(16.0)));
    }

    #[test]
    fn a_record_that_was_changed_by_hand_is_not_believed() {
        let axis = Axis::parse("batch=8", &[]).unwrap();
        let kept = || super::super::refused_step(&axis.values[0], None);
        assert!(kept().is_sound());
        let changes: [fn(&mut Kept); 6] = [
            |kept| kept.step.value = 9.0,
            |kept| kept.step.wall_ms = Some(-5.0),
            |kept| kept.step.wall_ms = Some(f64::NAN),
            |kept| kept.step.why = Some("a word of somebody".to_owned()),
            |kept| kept.step.why = None,
            |kept| kept.before_bytes = Some(u64::MAX),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let mut changed = kept();
            change(&mut changed);
            assert!(!changed.is_sound(), "{at}");
        }
    }

    #[test]
    fn without_a_good_step_there_is_nothing_to_halve() {
        let (steps, good, bad, _) = tried("batch=8,16", 3, 1.0);
        assert_eq!(steps, [8.0]);
        assert_eq!((good, bad), (None, Some(8.0)));
    }
}

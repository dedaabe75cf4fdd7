//! The loss of a training after it was resumed, beside that of one without a stop, and what the shape of the difference hints at.

use firstfault_schema::report::{LossPoint, MAX_LOSS_POINTS, ResumedTraining};

use crate::application::contract::compare::is_close;
use crate::application::contract::resumed::Loss;

/// How far a curve may be shifted and still be found.
const MOST_SHIFT: usize = 64;
/// Fewer steps prove no shift.
const LEAST_SHIFTED: usize = 3;
/// A difference that begins within so many steps began with the second start.
const AT_ONCE: usize = 3;
/// Fewer changes from step to step tell nothing of the batches.
const LEAST_CHANGES: usize = 3;
/// So many tell even against a first loss that agrees.
const CONVINCING: usize = 8;
/// Half-way between curves over the same batches and curves over others.
const OTHER_BATCHES: f64 = 0.5;
/// A difference above so many of the reference's own steps is no other batch.
const MOST_SPREADS: f64 = 8.0;
/// A difference below this share of the reference's own steps is no other batch either.
const LEAST_SPREADS: f64 = 0.25;

/// The logs of three moments.
pub(super) struct Logs {
    /// Without a stop.
    pub(super) reference: Vec<Loss>,
    /// At the stop.
    pub(super) before: Vec<Loss>,
    /// After resuming.
    pub(super) after: Vec<Loss>,
    /// Whether they count steps.
    pub(super) by_step: bool,
}

/// One step of both curves.
#[derive(Clone, Copy, Debug)]
struct Pair {
    step: f64,
    reference: f64,
    resumed: f64,
}

impl Pair {
    /// How far they are apart; infinite where one of them alone is not finite.
    fn difference(self) -> f64 {
        if self.reference.is_nan() && self.resumed.is_nan() {
            return 0.0;
        }
        let difference = (self.reference - self.resumed).abs();
        if difference.is_nan() {
            f64::INFINITY
        } else {
            difference
        }
    }
}

/// Holds the loss after resuming against that of the reference.
pub(super) fn compare(logs: Logs, tolerance: f64) -> ResumedTraining {
    let Logs {
        reference,
        before,
        after,
        by_step,
    } = logs;
    let same = before
        .iter()
        .zip(&after)
        .take_while(|(one, other)| is_same(one, other))
        .count();
    let mut resumed = after[same..].to_vec();
    let mut last_before = None;
    let (reference, resumed_steps) = if by_step {
        resumed = by_steps(resumed);
        let all = by_steps(before.iter().chain(&after).copied().collect());
        last_before = all.last().map(|last| last.step);
        (by_steps(reference), all.len() as u64)
    } else {
        // Without steps, both ended at the same one.
        let total = reference.len().max(before.len().max(same) + resumed.len());
        let first = total.saturating_sub(resumed.len());
        let numbered = |losses: Vec<Loss>, first: usize| -> Vec<Loss> {
            (first + 1..)
                .zip(losses)
                .map(|(step, loss)| Loss {
                    #[allow(clippy::cast_precision_loss, reason = "no log has 2^52 lines")]
                    step: step as f64,
                    loss: loss.loss,
                })
                .collect()
        };
        let end = reference.len();
        let first = if first + resumed.len() > end {
            end.saturating_sub(resumed.len())
        } else {
            first
        };
        resumed = numbered(resumed, first);
        let total = if resumed.is_empty() {
            before.len().max(same)
        } else {
            first + resumed.len()
        } as u64;
        (numbered(reference, 0), total)
    };
    let pairs = pairs(&reference, &resumed);
    let differs = |pair: &Pair| !is_close(pair.reference, pair.resumed, tolerance);
    let differing = pairs.iter().filter(|pair| differs(pair)).count() as u64;
    let finite = pairs
        .iter()
        .map(|pair| pair.difference())
        .filter(|difference| difference.is_finite())
        .reduce(f64::max);
    let first_matches = pairs
        .first()
        .filter(|pair| resumed.first().is_some_and(|first| first.step == pair.step));
    let ends_elsewhere = if by_step {
        let last = |losses: &[Loss]| losses.last().map(|last| last.step);
        last(&reference) != last(&resumed).or(last_before)
    } else {
        resumed.is_empty() && resumed_steps < reference.len() as u64
    };
    let shape = (differing > 0 || ends_elsewhere).then(|| {
        if ends_elsewhere || is_shifted(&reference, &resumed, tolerance) {
            "offset"
        } else {
            shape(&pairs, &reference, tolerance)
        }
    });
    ResumedTraining {
        steps_reference: reference.len() as u64,
        steps_resumed: resumed_steps,
        resumed_at: resumed.first().map(|first| first.step),
        differing,
        largest_difference: finite.map(short),
        first_step_differs: first_matches.map(differs),
        shape: shape.map(str::to_owned),
        reference: thinned(&reference),
        resumed: thinned(&resumed),
    }
}

/// Steps of the reference that are in no log, although later ones are. What is missing at the end is told by the shape.
pub(super) fn missing(logs: &Logs) -> u64 {
    let Logs {
        reference,
        before,
        after,
        by_step,
    } = logs;
    if !by_step {
        let both = before.iter().zip(after);
        let same = both.take_while(|(one, other)| is_same(one, other)).count();
        let resumed = after.len() - same;
        if resumed == 0 {
            return 0;
        }
        let known = before.len().max(same) + resumed;
        return reference.len().saturating_sub(known) as u64;
    }
    let all = by_steps(before.iter().chain(after).copied().collect());
    let Some(last) = all.last() else {
        return 0;
    };
    let mut expected = by_steps(reference.clone());
    expected.retain(|loss| loss.step <= last.step);
    (expected.len() - pairs(&expected, &all).len()) as u64
}

fn is_same(one: &Loss, other: &Loss) -> bool {
    one.step.to_bits() == other.step.to_bits() && one.loss.to_bits() == other.loss.to_bits()
}

/// Each step once: what was logged last counts.
fn by_steps(mut losses: Vec<Loss>) -> Vec<Loss> {
    losses.sort_by(|one, other| one.step.total_cmp(&other.step));
    let mut once: Vec<Loss> = Vec::with_capacity(losses.len());
    for loss in losses {
        match once.last_mut() {
            #[allow(clippy::float_cmp, reason = "the same number, written twice")]
            Some(last) if last.step == loss.step => *last = loss,
            _ => once.push(loss),
        }
    }
    once
}

/// The steps that both have. Both are sorted.
fn pairs(reference: &[Loss], resumed: &[Loss]) -> Vec<Pair> {
    let mut rest = reference.iter().peekable();
    let mut pairs = Vec::new();
    for one in resumed {
        while rest.next_if(|known| known.step < one.step).is_some() {}
        #[allow(clippy::float_cmp, reason = "the same number, written twice")]
        if let Some(known) = rest.next_if(|known| known.step == one.step) {
            pairs.push(Pair {
                step: one.step,
                reference: known.loss,
                resumed: one.loss,
            });
        }
    }
    pairs
}

/// Whether the resumed curve is the reference some steps earlier or later.
fn is_shifted(reference: &[Loss], resumed: &[Loss], tolerance: f64) -> bool {
    let Some(first) = resumed.first() else {
        return false;
    };
    let Some(at) = reference.iter().position(|loss| loss.step >= first.step) else {
        return false;
    };
    let fits = |begin: usize| {
        let both = reference[begin..].iter().zip(resumed);
        let count = both.len();
        let equal = both
            .filter(|(one, other)| is_close(one.loss, other.loss, tolerance))
            .count();
        count >= LEAST_SHIFTED && equal * 10 >= count * 9
    };
    let lowest = at.saturating_sub(MOST_SHIFT);
    let highest = (at + MOST_SHIFT).min(reference.len().saturating_sub(LEAST_SHIFTED));
    (lowest..=highest).any(|begin| begin != at && fits(begin))
}

/// `jump` or `drift`. After a restart of the optimiser or of the random state the batches are the same as without a stop,
/// so that both curves go up and down together; the first loss even agrees after the former, since the weights have
/// not moved yet. Other batches show in the first loss that they are used for, by as much as losses differ from batch to
/// batch, and then the curves go up and down each for itself.
fn shape(pairs: &[Pair], reference: &[Loss], tolerance: f64) -> &'static str {
    let Some(onset) = pairs
        .iter()
        .position(|pair| !is_close(pair.reference, pair.resumed, tolerance))
    else {
        return "drift";
    };
    let spreads = pairs[onset].difference() / spread(reference);
    let is_one_batch = spreads <= MOST_SPREADS;
    let apart = Apart::of(pairs, onset, reference);
    let drifts = if onset == 0 {
        is_one_batch
            && match apart.tells() {
                Some((changes, levels)) => f64::midpoint(changes, levels.min(1.0)) > OTHER_BATCHES,
                None => spreads >= LEAST_SPREADS,
            }
    } else if onset <= AT_ONCE {
        // The first loss says that the batches are the same, so that much is needed to say that they are not.
        let convinces = apart.count >= CONVINCING;
        is_one_batch
            && convinces
            && apart
                .tells()
                .is_some_and(|(changes, _)| changes > OTHER_BATCHES)
    } else {
        spreads >= LEAST_SPREADS
    };
    if drifts { "drift" } else { "jump" }
}

/// How much the loss of the reference usually changes from one step to the next.
fn spread(reference: &[Loss]) -> f64 {
    let mut changes: Vec<f64> = reference
        .windows(2)
        .map(|two| (two[1].loss - two[0].loss).abs())
        .filter(|change| change.is_finite())
        .collect();
    changes.sort_by(f64::total_cmp);
    changes
        .get(changes.len() / 2)
        .copied()
        .unwrap_or(0.0)
        .max(f64::MIN_POSITIVE)
}

/// How far two curves are apart, in their changes from step to step and in themselves.
#[derive(Default)]
struct Apart {
    /// How many changes there are, from the last step that both have in common.
    count: usize,
    changes: f64,
    levels: f64,
    /// What both are measured on.
    together: f64,
}

impl Apart {
    fn of(pairs: &[Pair], onset: usize, reference: &[Loss]) -> Self {
        let common = match onset.checked_sub(1) {
            Some(before) => Some(pairs[before]),
            None => reference
                .iter()
                .rfind(|loss| loss.step < pairs[0].step)
                .map(|loss| Pair {
                    step: loss.step,
                    reference: loss.loss,
                    resumed: loss.loss,
                }),
        };
        let points: Vec<Pair> = common
            .into_iter()
            .chain(pairs[onset..].iter().copied())
            .collect();
        let mut found = Self::default();
        for two in points.windows(2) {
            let one = two[1].reference - two[0].reference;
            let other = two[1].resumed - two[0].resumed;
            let level = two[1].reference - two[1].resumed;
            if one.is_finite() && other.is_finite() && level.is_finite() {
                found.count += 1;
                found.changes += (one - other) * (one - other);
                found.levels += 2.0 * level * level;
                found.together += one * one + other * other;
            }
        }
        found
    }

    /// 0 for the same curves, about 1 where neither knows of the other; none where too few steps tell.
    fn tells(&self) -> Option<(f64, f64)> {
        let tells = self.count >= LEAST_CHANGES && self.together > 0.0;
        tells.then(|| (self.changes / self.together, self.levels / self.together))
    }
}

/// Eight digits are more than single precision has.
fn short(value: f64) -> f64 {
    format!("{value:.7e}").parse().unwrap_or(value)
}

/// At most as many points as a report holds, with the first and the last.
fn thinned(losses: &[Loss]) -> Vec<LossPoint> {
    let point = |loss: &Loss| LossPoint {
        step: loss.step,
        loss: loss.loss.is_finite().then(|| short(loss.loss)),
    };
    if losses.len() <= MAX_LOSS_POINTS {
        return losses.iter().map(point).collect();
    }
    (0..MAX_LOSS_POINTS)
        .map(|at| point(&losses[at * (losses.len() - 1) / (MAX_LOSS_POINTS - 1)]))
        .collect()
}

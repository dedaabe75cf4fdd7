//! Passes: their times, the first apart, and whether memory grows from one to the next.

use firstfault_schema::report::FollowingPasses;

/// The most times that are kept; of more, every second one is.
const MOST_TIMES: usize = 1 << 17;
/// The most memory points that are kept, and those that the estimate looks at.
const MOST_POINTS: usize = 512;
/// Fewer passes tell nothing about growth.
const LEAST_PASSES: usize = 6;
/// Growth that stays below this over all passes is noise of the allocator.
const LEAST_GROWTH_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
/// And below this share of the memory.
const LEAST_GROWTH_SHARE: f64 = 0.02;

/// A stage that may repeat.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) begun: u32,
    pub(crate) ended: u64,
    pub(crate) is_compute: bool,
    pub(crate) total_ms: f64,
    first_ms: Option<f64>,
    times: Thinned<f64>,
    min: f64,
    max: f64,
    synchronized: Option<bool>,
    /// Pass and bytes at its end.
    memory: Thinned<(f64, f64)>,
}

impl Series {
    /// A pass that ended.
    pub(crate) fn add(&mut self, ms: f64, synchronized: Option<bool>, memory: Option<u64>) {
        self.ended += 1;
        self.total_ms += ms;
        if self.first_ms.is_none() {
            self.first_ms = Some(ms);
            self.synchronized = synchronized;
        } else {
            (self.min, self.max) = if self.times.is_empty() {
                (ms, ms)
            } else {
                (self.min.min(ms), self.max.max(ms))
            };
            self.times.add(ms, MOST_TIMES);
            self.synchronized = match (self.synchronized, synchronized) {
                (None, None) => None,
                (so_far, this) => Some(so_far == Some(true) && this == Some(true)),
            };
        }
        if let Some(bytes) = memory {
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            self.memory
                .add((self.ended as f64, bytes as f64), MOST_POINTS);
        }
    }

    /// Time of the first pass; none where none ended.
    pub(crate) const fn first_ms(&self) -> Option<f64> {
        self.first_ms
    }

    /// Whether every pass was synchronised at both ends; none where there is no device.
    pub(crate) const fn synchronized(&self) -> Option<bool> {
        self.synchronized
    }

    /// The passes after the first one; none where there was no other.
    pub(crate) fn following(&self) -> Option<FollowingPasses> {
        let mut times = self.times.kept.clone();
        times.sort_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        let middle = times.len() / 2;
        let median = if times.len() % 2 == 1 {
            times[middle]
        } else {
            f64::midpoint(times[middle - 1], times[middle])
        };
        // The nearest rank.
        let rank = (times.len() * 95).div_ceil(100);
        Some(FollowingPasses {
            count: self.ended - 1,
            min: self.min,
            median,
            p95: times[rank.saturating_sub(1).min(last)],
            max: self.max,
        })
    }

    /// Bytes that memory grows by from one pass to the next; none for a plateau, or where too few passes tell.
    pub(crate) fn growth(&self) -> Option<f64> {
        growth(&self.memory.kept)
    }
}

/// A list that stays short: when it is full, every second one goes.
#[derive(Debug)]
struct Thinned<T> {
    kept: Vec<T>,
    stride: u64,
    seen: u64,
}

impl<T> Default for Thinned<T> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            stride: 1,
            seen: 0,
        }
    }
}

impl<T> Thinned<T> {
    fn add(&mut self, value: T, most: usize) {
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(value);
            if self.kept.len() >= most {
                let mut at = 0;
                self.kept.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.stride *= 2;
            }
        }
        self.seen += 1;
    }

    const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// The Theil-Sen slope of (pass, bytes), where the growth is real: the first quarter is warming up and does not count, three
/// of four pairs of passes must show growth, and together it must be more than an allocator's noise.
fn growth(points: &[(f64, f64)]) -> Option<f64> {
    let warm = &points[points.len() / 4..];
    if points.len() < LEAST_PASSES {
        return None;
    }
    let mut slopes: Vec<f64> = Vec::with_capacity(warm.len() * warm.len() / 2);
    for (at, one) in warm.iter().enumerate() {
        for other in &warm[at + 1..] {
            slopes.push((other.1 - one.1) / (other.0 - one.0));
        }
    }
    slopes.sort_by(f64::total_cmp);
    let median = *slopes.get(slopes.len() / 2)?;
    let lower_quarter = *slopes.get(slopes.len() / 4)?;
    let passes = warm.last()?.0 - warm.first()?.0;
    let least = LEAST_GROWTH_BYTES.max(LEAST_GROWTH_SHARE * warm.first()?.1);
    (lower_quarter > 0.0 && median * passes >= least).then_some(median)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1024.0 * 1024.0;

    fn of(values: impl IntoIterator<Item = f64>) -> Option<f64> {
        let points: Vec<(f64, f64)> = values
            .into_iter()
            .enumerate()
            .map(|(at, bytes)| (f64::from(u32::try_from(at).unwrap() + 1), bytes))
            .collect();
        growth(&points)
    }

    #[test]
    fn steady_growth_is_told_from_a_plateau() {
        let grows = (0..30).map(|pass| 500.0 * MIB + f64::from(pass) * 2.0 * MIB);
        assert!((of(grows).unwrap() - 2.0 * MIB).abs() < 1.0);
        assert_eq!(of((0..30).map(|_| 500.0 * MIB)), None);
    }

    #[test]
    fn warming_up_is_no_growth() {
        let warms = (0..40).map(|pass| 500.0 * MIB + f64::from(pass.min(8)) * 20.0 * MIB);
        assert_eq!(of(warms), None);
    }

    #[test]
    fn a_saw_tooth_of_a_garbage_collector_is_no_growth() {
        let teeth = (0..60).map(|pass| 500.0 * MIB + f64::from(pass % 7) * 10.0 * MIB);
        assert_eq!(of(teeth), None);
    }

    #[test]
    fn growth_shows_through_noise_and_outliers() {
        let noisy = (0..40).map(|pass: i32| {
            let noise = f64::from((pass * 7919) % 11) * 0.3 * MIB;
            let outlier = if pass == 20 { -300.0 * MIB } else { 0.0 };
            500.0 * MIB + f64::from(pass) * 3.0 * MIB + noise + outlier
        });
        let slope = of(noisy).unwrap();
        assert!((slope - 3.0 * MIB).abs() < 0.2 * MIB, "{slope}");
    }

    #[test]
    fn few_passes_tell_nothing() {
        assert_eq!(of((0..5).map(|pass| f64::from(pass) * 100.0 * MIB)), None);
        assert_eq!(of([]), None);
    }

    #[test]
    fn the_first_pass_stands_apart_from_the_following_ones() {
        let mut series = Series::default();
        series.add(900.0, None, None);
        assert_eq!(series.following(), None);
        for ms in 1..=100 {
            series.add(f64::from(ms), None, None);
        }
        let following = series.following().unwrap();
        assert_eq!(series.first_ms(), Some(900.0));
        assert_eq!(
            (following.count, following.min, following.max),
            (100, 1.0, 100.0)
        );
        assert_eq!((following.median, following.p95), (50.5, 95.0));
    }

    #[test]
    fn one_unsynchronised_pass_makes_the_times_unsynchronised() {
        let mut series = Series::default();
        series.add(1.0, Some(true), None);
        assert_eq!(series.synchronized(), Some(true));
        series.add(1.0, Some(false), None);
        assert_eq!(series.synchronized(), Some(false));
    }

    #[test]
    fn a_million_passes_are_counted_and_few_are_kept() {
        let mut series = Series::default();
        for at in 0..1_000_000_u32 {
            series.add(f64::from(at % 1000), None, Some(1));
        }
        let following = series.following().unwrap();
        assert_eq!(following.count, 999_999);
        assert!((following.median - 499.5).abs() < 5.0);
        assert!(series.times.kept.len() <= MOST_TIMES && series.memory.kept.len() <= MOST_POINTS);
    }
}

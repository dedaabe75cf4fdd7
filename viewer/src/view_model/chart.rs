//! A chart as data: where lines, levels and points stand, as shares of its width and height. Pure; a component draws it.

use super::Tone;

/// The least share of the width between two ticks.
const APART: f64 = 0.12;

/// A chart. Every place is a share: 0 is left or bottom, 1 is right or top.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Its height in pixels.
    pub height: f64,
    /// Places and texts along the bottom.
    pub across: Vec<(f64, String)>,
    /// Places and texts at the left.
    pub up: Vec<(f64, String)>,
    /// Lines, each with its name in the legend.
    pub lines: Vec<Line>,
    /// Limits: lines from left to right, the highest first.
    pub levels: Vec<(f64, String)>,
    /// A place along the bottom that matters.
    pub moment: Option<(f64, String)>,
    /// Points that are marked.
    pub points: Vec<Point>,
}

impl Chart {
    /// Whether the name of `point` stands under it: the lowest of the named points has its name below, the others above,
    /// so that two that stand close never run into one another. A good one alone has it below: a rising curve leaves room.
    pub fn names_below(&self, point: &Point) -> bool {
        let mut others = self
            .points
            .iter()
            .filter(|other| other.label.is_some() && *other != point);
        match others.next() {
            Some(other) if other.at.1 != point.at.1 => other.at.1 > point.at.1,
            _ => point.tone == Tone::Passed,
        }
    }
}

/// A line through measured or predicted points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Whether it is only a help beside the measured line: drawn dashed.
    pub dashed: bool,
    /// Its points; none where there is a gap.
    pub points: Vec<Option<(f64, f64)>>,
}

/// A marked point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place.
    pub at: (f64, f64),
    /// Its shape and colour.
    pub tone: Tone,
    /// What it is, in words.
    pub title: String,
    /// A name that stands beside it.
    pub label: Option<String>,
}

/// An axis: values become shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    doubling: bool,
}

impl Scale {
    /// From `low` to `high`.
    pub const fn new(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            doubling: false,
        }
    }

    /// From the lowest to the highest of `values`, with a little air. Where they double from one to the next, each
    /// doubling is as wide as any other.
    pub fn of(values: &[f64]) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let doubled = |pair: &[f64]| (pair[1] - 2.0 * pair[0]).abs() < 1e-9 * pair[0].abs();
        let doublings = values.windows(2).filter(|pair| doubled(pair)).count();
        let doubling = low > 0.0 && doublings > 1;
        let air = if doubling {
            0.0
        } else {
            ((high - low) * 0.04).max(if high > low { 0.0 } else { 1.0 })
        };
        Self {
            low: low - air,
            high: high + air,
            doubling,
        }
    }

    /// The share at which `value` stands.
    pub fn at(self, value: f64) -> f64 {
        let share = if self.doubling {
            // Half a doubling of air at both ends.
            let (low, high) = (self.low.log2() - 0.5, self.high.log2() + 0.5);
            (value.log2() - low) / (high - low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // An axis without length has no share to give.
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Those of `values` whose texts stand far enough from those before them.
    pub fn apart(self, values: &[f64]) -> Vec<f64> {
        let mut shown: Vec<f64> = Vec::new();
        for value in values {
            let near = |other: &f64| (self.at(*other) - self.at(*value)).abs() < APART;
            if !shown.iter().any(near) {
                shown.push(*value);
            }
        }
        shown
    }

    /// About `count` round values of the axis, in multiples of `unit`.
    pub fn round(self, unit: f64, count: f64) -> Vec<f64> {
        let step = step((self.high - self.low) / unit, count) * unit;
        if !(step.is_finite() && step > 0.0) {
            return Vec::new();
        }
        let first = (self.low / step).ceil() * step;
        (0..32)
            .map(|at| first + f64::from(at) * step)
            .take_while(|tick| *tick <= self.high + step * 1e-6)
            .collect()
    }
}

/// A round step that divides `length` into about `count` parts.
fn step(length: f64, count: f64) -> f64 {
    let rough = length / count;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

/// The unit in which bytes have round values: bytes, KiB, MiB, GiB.
pub fn byte_unit(high: f64) -> f64 {
    let mut unit = 1.0;
    while high / unit >= 1024.0 && unit < 1e12 {
        unit *= 1024.0;
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_axis() {
        let round = |low, high| Scale::new(low, high).round(1.0, 4.0);
        assert_eq!(round(0.0, 950.0), [0.0, 250.0, 500.0, 750.0]);
        assert_eq!(round(0.4, 2.2), [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(round(1.0, 1.0), [] as [f64; 0]);
        assert_eq!(round(0.0, f64::NAN), [] as [f64; 0]);
        let gib = byte_unit(85e9);
        assert_eq!(gib, 1024.0 * 1024.0 * 1024.0);
        let ticks = Scale::new(0.0, 85.0 * gib).round(gib, 4.0);
        assert_eq!(ticks[1], 25.0 * gib);
    }

    #[test]
    fn names_of_close_points_stand_apart() {
        let point = |at, tone| Point {
            at,
            tone,
            title: String::new(),
            label: Some(String::new()),
        };
        let below = |good: f64, bad: f64| {
            let points = vec![
                point((0.6, good), Tone::Passed),
                point((0.7, bad), Tone::Failed),
            ];
            let chart = Chart {
                title: String::new(),
                height: 240.0,
                across: Vec::new(),
                up: Vec::new(),
                lines: Vec::new(),
                levels: Vec::new(),
                moment: None,
                points,
            };
            [0, 1].map(|at| chart.names_below(&chart.points[at]))
        };
        assert_eq!(below(0.5, 0.8), [true, false]);
        assert_eq!(below(0.5, 0.5), [true, false]);
        // Memory ran out before the step came as far as the good one.
        assert_eq!(below(0.8, 0.5), [false, true]);
    }

    #[test]
    fn an_axis_whose_values_double_gives_each_doubling_the_same_width() {
        let doubling = Scale::of(&[32.0, 64.0, 128.0, 256.0, 512.0, 384.0]);
        assert!((doubling.at(64.0) - 0.3).abs() < 1e-9);
        assert!((doubling.at(256.0) - doubling.at(128.0) - 0.2).abs() < 1e-9);
        assert_eq!(doubling.apart(&[256.0, 512.0, 480.0]), [256.0, 512.0]);
        let even = Scale::of(&[10.0, 20.0, 30.0, 40.0]);
        assert!((even.at(30.0) - even.at(20.0) - (even.at(20.0) - even.at(10.0))).abs() < 1e-9);
        let one = Scale::of(&[8.0]);
        assert!((one.at(8.0) - 0.5).abs() < 1e-9);
    }
}

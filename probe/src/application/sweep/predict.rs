//! How much memory the next step of a sweep will need, from those that were measured. Pure, and rather too much than too
//! little: whoever refuses a step that would have fitted loses less than whoever crashes a host.

/// What two measurements of the same may differ by: this many bytes, or this share.
const NOISE_BYTES: f64 = 16.0 * 1024.0 * 1024.0;
const NOISE_SHARE: f64 = 0.02;

/// Bytes at `value`, from `(value, bytes)` of the steps before it; none with fewer than two.
pub(super) fn predict(measured: &[(f64, f64)], value: f64) -> Option<f64> {
    let mut points = measured.to_vec();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points.dedup_by(|one, other| one.0 == other.0);
    let (&last, before) = points.split_last()?;
    let &previous = before.last()?;
    let at_end = last.1 + slope(previous, last).max(0.0) * (value - last.0);
    let mut most = at_end.max(theil_sen(&points, value)?);
    if let [.., earlier, _, _] = points[..] {
        // Growth that speeds up is believed once a step needed more than a straight line had said.
        let said = previous.1 + slope(earlier, previous) * (last.0 - previous.0);
        let noise = NOISE_BYTES.max(NOISE_SHARE * last.1);
        if last.1 > said + noise {
            most = most.max(quadratic([earlier, previous, last], value));
        }
    }
    // More work never needs less.
    Some(points.iter().map(|(_, bytes)| *bytes).fold(most, f64::max))
}

fn slope(one: (f64, f64), other: (f64, f64)) -> f64 {
    (other.1 - one.1) / (other.0 - one.0)
}

/// The median of all slopes, through the median of all points: one stray step does not turn it.
fn theil_sen(points: &[(f64, f64)], value: f64) -> Option<f64> {
    let slopes = points
        .iter()
        .enumerate()
        .flat_map(|(at, one)| points[..at].iter().map(|other| slope(*other, *one)));
    let slope = median(slopes.collect())?;
    let base = median(points.iter().map(|(x, y)| y - slope * x).collect())?;
    Some(base + slope * value)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 {
        upper
    } else {
        f64::midpoint(values[middle - 1], upper)
    })
}

/// The parabola through three points.
fn quadratic(points: [(f64, f64); 3], value: f64) -> f64 {
    let [one, two, three] = points;
    let bend = (slope(two, three) - slope(one, two)) / (three.0 - one.0);
    three.1 + slope(two, three) * (value - three.0) + bend * (value - three.0) * (value - two.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1024.0 * 1024.0;

    fn predicted(points: &[(f64, f64)], value: f64) -> f64 {
        let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, y * MIB)).collect();
        (predict(&points, value).unwrap() / MIB).round()
    }

    #[test]
    fn one_step_predicts_nothing() {
        assert_eq!(predict(&[], 4.0), None);
        assert_eq!(predict(&[(1.0, 5.0)], 4.0), None);
    }

    #[test]
    fn a_straight_line_goes_on() {
        let line = |x: f64| (x, 300.0 + 100.0 * x);
        assert_eq!(predicted(&[line(1.0), line(2.0)], 4.0), 700.0);
        assert_eq!(
            predicted(&[line(1.0), line(2.0), line(4.0), line(8.0)], 16.0),
            1900.0
        );
        // In any order, and also between the steps that were tried.
        assert_eq!(predicted(&[line(8.0), line(1.0), line(4.0)], 12.0), 1500.0);
    }

    #[test]
    fn growth_that_speeds_up_is_foreseen() {
        let square = |x: f64| (x, 300.0 + x * x);
        let points = [square(16.0), square(32.0), square(64.0)];
        assert_eq!(predicted(&points, 128.0), 300.0 + 128.0 * 128.0);
    }

    #[test]
    fn noise_is_no_bend() {
        let points = [(1.0, 400.0), (2.0, 502.0), (4.0, 698.0), (8.0, 1108.0)];
        let found = predicted(&points, 16.0);
        assert!((1900.0..1960.0).contains(&found), "{found}");
    }

    #[test]
    fn memory_that_was_level_never_shrinks() {
        let points = [(1.0, 500.0), (2.0, 500.0), (4.0, 498.0)];
        assert_eq!(predicted(&points, 8.0), 500.0);
        assert_eq!(predicted(&[(1.0, 500.0), (2.0, 400.0)], 4.0), 500.0);
    }
}

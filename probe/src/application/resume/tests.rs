//! What the shape of a difference in the loss hints at, on curves that are made up. How often the hint is right on real
//! trainings is told in `docs/resume.md`.

use super::training::{Logs, compare, missing};
use crate::application::contract::resumed::Loss;

const STEPS: usize = 40;
const RESUMED: usize = 20;

/// Between -0.5 and 0.5, another for every batch.
fn noise(batch: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let value = (batch as f64 * 12.9898).sin() * 43758.5453;
    value - value.floor() - 0.5
}

fn loss(step: usize, batch: usize) -> Loss {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let at = step as f64;
    Loss {
        step: at,
        loss: 2.0 * (-at / 15.0).exp() + 0.2 * noise(batch),
    }
}

fn logs(resumed: impl Fn(usize) -> Loss) -> Logs {
    let reference: Vec<Loss> = (1..=STEPS).map(|step| loss(step, step)).collect();
    let before = reference[..RESUMED].to_vec();
    let after = before
        .iter()
        .copied()
        .chain((RESUMED + 1..=STEPS).map(resumed))
        .collect();
    Logs {
        reference,
        before,
        after,
        by_step: true,
    }
}

fn shape(logs: Logs) -> Option<String> {
    compare(logs, 1e-5).shape
}

/// A difference that begins with the second step and fades.
fn jumped(step: usize, from: usize) -> Loss {
    let mut one = loss(step, step);
    if step >= from {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let since = (step - from) as f64;
        one.loss += 0.15 * (-since / 4.0).exp();
    }
    one
}

#[test]
fn a_second_start_that_does_nothing_ends_elsewhere() {
    for by_step in [true, false] {
        let mut logs = logs(|step| loss(step, step));
        logs.after.truncate(RESUMED);
        logs.by_step = by_step;
        assert_eq!(missing(&logs), 0, "{by_step}");
        assert_eq!(shape(logs).as_deref(), Some("offset"), "{by_step}");
    }
}

#[test]
fn steps_that_no_log_tells_are_missing() {
    for by_step in [true, false] {
        let mut logs = logs(|step| loss(step, step));
        logs.by_step = by_step;
        assert_eq!(missing(&logs), 0, "{by_step}");
        logs.after.drain(RESUMED..RESUMED + 5);
        assert_eq!(missing(&logs), 5, "{by_step}");
        logs.before.truncate(RESUMED - 3);
        logs.after.drain(RESUMED - 3..RESUMED);
        assert_eq!(missing(&logs), 8, "{by_step}");
    }
}

#[test]
fn a_log_that_begins_anew_after_the_stop_misses_nothing() {
    for by_step in [true, false] {
        let mut logs = logs(|step| loss(step, step));
        logs.by_step = by_step;
        logs.after.drain(..RESUMED);
        assert_eq!(missing(&logs), 0, "{by_step}");
        assert_eq!(shape(logs), None, "{by_step}");
    }
}

#[test]
fn the_same_losses_have_no_shape() {
    let found = compare(logs(|step| loss(step, step)), 1e-5);
    assert_eq!((found.shape, found.differing), (None, 0));
    assert_eq!(found.resumed_at, Some(21.0));
    assert_eq!((found.steps_reference, found.steps_resumed), (40, 40));
    assert_eq!(found.first_step_differs, Some(false));
}

#[test]
fn over_the_same_batches_it_is_a_jump() {
    assert_eq!(
        shape(logs(|step| jumped(step, RESUMED + 2))).as_deref(),
        Some("jump")
    );
    let at_once = compare(logs(|step| jumped(step, RESUMED + 1)), 1e-5);
    assert_eq!(at_once.shape.as_deref(), Some("jump"));
    assert_eq!(at_once.first_step_differs, Some(true));
}

#[test]
fn over_other_batches_it_is_a_drift() {
    let other = |step| loss(step, step + 1000);
    assert_eq!(shape(logs(other)).as_deref(), Some("drift"));
    // The order differs only from the next epoch on.
    let later = |step| loss(step, if step > 30 { step + 1000 } else { step });
    assert_eq!(shape(logs(later)).as_deref(), Some("drift"));
}

#[test]
fn some_steps_earlier_or_later_is_an_offset() {
    let shifted = |step: usize| Loss {
        loss: loss(step + 2, step + 2).loss,
        ..loss(step, step)
    };
    assert_eq!(shape(logs(shifted)).as_deref(), Some("offset"));
    let mut longer = logs(|step| loss(step, step));
    longer.after.push(loss(STEPS + 1, STEPS + 1));
    assert_eq!(shape(longer).as_deref(), Some("offset"));
}

#[test]
fn steps_that_were_done_once_more_count_once() {
    let mut logs = logs(|step| loss(step, step));
    // The last checkpoint was three steps old: those are in the log twice.
    let again: Vec<Loss> = (RESUMED - 2..=STEPS).map(|step| loss(step, step)).collect();
    logs.after.truncate(RESUMED);
    logs.after.extend(again);
    let found = compare(logs, 1e-5);
    assert_eq!((found.shape, found.differing), (None, 0));
    assert_eq!((found.steps_resumed, found.resumed_at), (40, Some(18.0)));
}

#[test]
fn without_steps_both_end_at_the_same_one() {
    let mut logs = logs(|step| jumped(step, RESUMED + 2));
    for losses in [&mut logs.reference, &mut logs.before, &mut logs.after] {
        for loss in losses {
            loss.step = f64::NAN;
        }
    }
    logs.by_step = false;
    let found = compare(logs, 1e-5);
    assert_eq!(found.shape.as_deref(), Some("jump"));
    assert_eq!((found.resumed_at, found.steps_resumed), (Some(21.0), 40));
}

#[test]
fn a_loss_that_is_not_finite_differs_from_one_that_is() {
    let found = compare(
        logs(|step| Loss {
            loss: f64::NAN,
            ..loss(step, step)
        }),
        1e-5,
    );
    assert_eq!(found.differing, 20);
    assert_eq!(found.largest_difference, None);
    assert!(found.resumed.iter().all(|point| point.loss.is_none()));
}

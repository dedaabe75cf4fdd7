//! What a step of a sweep is measured by: memory against its limit while the command runs, and throughput afterwards.

use std::time::{Duration, Instant};

use firstfault_schema::Report;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{MemoryLimit, RequestedDevice, SweepEnd, SweepStep, ThroughputOf};

use crate::application::launch::Sight;
use crate::application::series::Series;
use crate::host::memory::{self, Bound};
use crate::interpreter::Surroundings;
use crate::supervisor::command::{Ask, LIMIT_GRACE, Order};

/// How long a command may take to stop when the time of the whole is used up.
const BUDGET_GRACE: Duration = Duration::from_millis(800);
/// More throughput than this share is more.
const MORE: f64 = 0.05;

/// What limits the memory of every step.
#[derive(Debug)]
pub(super) struct Ceiling {
    pub(super) kind: Option<MemoryLimit>,
    pub(super) bytes: Option<u64>,
    /// Of the host; none where a device is the limit.
    bound: Option<Bound>,
}

impl Ceiling {
    /// The device that the check worked on; else the control group or the machine.
    pub(super) fn of(report: &Report) -> Self {
        let on_device = report.execution.requested_device == RequestedDevice::Gpu
            && report.pytorch.gpu_available == Some(true);
        if on_device {
            let index = report.execution.requested_index.unwrap_or(0);
            let bytes = report
                .pytorch
                .devices
                .iter()
                .flatten()
                .find(|device| device.index == index)
                .and_then(|device| device.total_memory_bytes);
            return Self {
                kind: bytes.map(|_| MemoryLimit::Device),
                bytes,
                bound: None,
            };
        }
        let bound = Surroundings::of_this_process()
            .ok()
            .and_then(|surroundings| memory::bound(&surroundings));
        Self {
            kind: bound.as_ref().map(|bound| {
                if bound.is_group {
                    MemoryLimit::ControlGroup
                } else {
                    MemoryLimit::Machine
                }
            }),
            bytes: bound.as_ref().map(|bound| bound.limit),
            bound,
        }
    }

    /// What is in use of it before a command runs; none where only a running command tells.
    pub(super) fn used(&self) -> Option<u64> {
        self.bound.as_ref()?.used()
    }

    /// The bytes that may be in use where `margin` has to stay free.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "no memory has 2^52 bytes, and a share lies between 0 and 1"
    )]
    pub(super) fn allowed(&self, margin: Option<f64>) -> Option<u64> {
        Some((self.bytes? as f64 * (1.0 - margin?)) as u64)
    }
}

/// Looks at a running step, and stops it where it has to be.
#[derive(Debug)]
pub(super) struct Guard<'a> {
    ceiling: &'a Ceiling,
    /// The most bytes that may be in use; none where crossing is allowed.
    allowed: Option<u64>,
    /// For this step, from its start.
    limit: Option<Duration>,
    /// For the whole.
    until: Option<Instant>,
    /// In use before the step.
    pub(super) before: Option<u64>,
    /// The most that was in use.
    pub(super) peak: Option<u64>,
    /// Why it was stopped.
    pub(super) stopped: Option<SweepEnd>,
}

impl<'a> Guard<'a> {
    pub(super) fn new(
        ceiling: &'a Ceiling,
        allowed: Option<u64>,
        limit: Option<Duration>,
        until: Option<Instant>,
    ) -> Self {
        Self {
            before: ceiling.used(),
            ceiling,
            allowed,
            limit,
            until,
            peak: None,
            stopped: None,
        }
    }

    /// Asked at every tick.
    pub(super) fn look(&mut self, sight: &Sight<'_>) -> Option<Order> {
        let on_device = self.ceiling.kind == Some(MemoryLimit::Device);
        let used = if self.ceiling.bound.is_some() {
            self.ceiling.used()
        } else if on_device {
            sight.device_bytes
        } else {
            sight.resident_bytes
        };
        if on_device {
            self.before = self.before.or(used);
        }
        self.peak = self.peak.max(used);
        if self.stopped.is_some() {
            return None;
        }
        let now = Instant::now();
        let (why, order) = if used
            .zip(self.allowed)
            .is_some_and(|(used, allowed)| used > allowed)
        {
            // Memory goes on growing while a command makes up its mind.
            let order = Order {
                how: Ask::Kill,
                grace: Duration::ZERO,
            };
            (SweepEnd::Margin, order)
        } else if self.until.is_some_and(|until| now >= until) {
            (SweepEnd::Budget, interrupt(BUDGET_GRACE))
        } else if self.limit.is_some_and(|limit| sight.elapsed >= limit) {
            let left = self
                .until
                .map_or(LIMIT_GRACE, |until| until.saturating_duration_since(now));
            (
                SweepEnd::Timeout,
                interrupt(LIMIT_GRACE.min(left).max(BUDGET_GRACE)),
            )
        } else {
            return None;
        };
        self.stopped = Some(why);
        Some(order)
    }

    /// Takes what the marks told of the device's memory, and what the system told of the command's.
    pub(super) fn finish(&mut self, reserved: Option<u64>, resident: Option<u64>) {
        let with_before = |own: u64| own + self.before.unwrap_or(0);
        match self.ceiling.kind {
            Some(MemoryLimit::Device) => self.peak = self.peak.max(reserved.map(with_before)),
            // On a whole machine others come and go: what they did meanwhile is not this step's.
            Some(MemoryLimit::Machine) if self.stopped != Some(SweepEnd::Margin) => {
                self.peak = resident.map(with_before).or(self.peak);
            }
            Some(MemoryLimit::Machine | MemoryLimit::ControlGroup) => {}
            None => self.peak = self.peak.max(reserved.or(resident)),
        }
    }

    /// What the step itself needed.
    pub(super) fn own(&self) -> Option<u64> {
        Some(self.peak?.saturating_sub(self.before.unwrap_or(0)))
    }
}

const fn interrupt(grace: Duration) -> Order {
    Order {
        how: Ask::Interrupt,
        grace,
    }
}

/// Items per second, and over what: the passes after the first one where marks tell of them, else the whole command.
#[allow(clippy::cast_precision_loss, reason = "a rate")]
pub(super) fn throughput(
    items: Option<u64>,
    series: Option<&Series>,
    wall_ms: Option<f64>,
) -> Option<(f64, ThroughputOf)> {
    let items = items.filter(|items| *items > 0)? as f64;
    let rate = |items: f64, ms: f64| {
        let rate = items / ms * 1000.0;
        rate.is_finite().then_some((rate * 1000.0).round() / 1000.0)
    };
    let of_passes = series.filter(|series| series.ended > 1).and_then(|series| {
        let passes = series.ended as f64;
        rate(
            items * (passes - 1.0) / passes,
            series.total_ms - series.first_ms()?,
        )
    });
    match of_passes {
        Some(found) => Some((found, ThroughputOf::Passes)),
        None => Some((rate(items, wall_ms?)?, ThroughputOf::Command)),
    }
}

/// The first good step from which on no later one brings more; none where throughput was still rising at the end.
pub(super) fn stops_at(steps: &[SweepStep]) -> Option<f64> {
    let of = |wanted: ThroughputOf| {
        let mut rates: Vec<(f64, f64)> = steps
            .iter()
            .filter(|step| step.outcome == Outcome::Passed && step.throughput_of == Some(wanted))
            .filter_map(|step| Some((step.value, step.throughput?)))
            .collect();
        rates.sort_by(|one, other| one.0.total_cmp(&other.0));
        rates
    };
    // Rates of passes and of whole commands say nothing about each other.
    let (passes, command) = (of(ThroughputOf::Passes), of(ThroughputOf::Command));
    let rates = if passes.len() >= command.len() {
        passes
    } else {
        command
    };
    (0..rates.len().saturating_sub(1))
        .find(|at| {
            let (_, here) = rates[*at];
            rates[at + 1..]
                .iter()
                .all(|(_, later)| *later <= here * (1.0 + MORE))
        })
        .map(|at| rates[at].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(times: &[f64]) -> Series {
        let mut series = Series::default();
        for ms in times {
            series.add(*ms, None, None);
        }
        series
    }

    #[test]
    fn the_first_pass_does_not_count() {
        let four = series(&[900.0, 100.0, 100.0, 100.0]);
        assert_eq!(
            throughput(Some(80), Some(&four), Some(2000.0)),
            Some((200.0, ThroughputOf::Passes))
        );
        let one = series(&[900.0]);
        assert_eq!(
            throughput(Some(80), Some(&one), Some(2000.0)),
            Some((40.0, ThroughputOf::Command))
        );
        assert_eq!(
            throughput(Some(80), None, Some(2000.0)),
            Some((40.0, ThroughputOf::Command))
        );
        assert_eq!(throughput(None, Some(&four), Some(2000.0)), None);
        assert_eq!(throughput(Some(0), Some(&four), Some(2000.0)), None);
        assert_eq!(throughput(Some(8), None, None), None);
    }

    fn steps(rates: &[(f64, f64)]) -> Vec<SweepStep> {
        rates
            .iter()
            .map(|(value, rate)| SweepStep {
                value: *value,
                outcome: Outcome::Passed,
                why: None,
                code: None,
                attempt_id: None,
                peak_bytes: None,
                predicted_bytes: None,
                throughput: Some(*rate),
                throughput_of: Some(ThroughputOf::Passes),
                first_pass_ms: None,
                following_pass_ms: None,
                wall_ms: None,
            })
            .collect()
    }

    #[test]
    fn throughput_stops_where_no_later_step_brings_five_percent_more() {
        let found = |rates: &[(f64, f64)]| stops_at(&steps(rates));
        assert_eq!(
            found(&[(1.0, 10.0), (2.0, 19.0), (4.0, 30.0), (8.0, 31.0)]),
            Some(4.0)
        );
        assert_eq!(found(&[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]), None);
        // A dip in between does not end it.
        assert_eq!(
            found(&[(1.0, 10.0), (2.0, 9.0), (4.0, 14.0), (8.0, 14.5)]),
            Some(4.0)
        );
        assert_eq!(found(&[(8.0, 31.0), (4.0, 30.0), (1.0, 10.0)]), Some(4.0));
        assert_eq!(found(&[(1.0, 10.0)]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_failed_step_and_another_kind_of_rate_do_not_count() {
        let mut some = steps(&[(1.0, 10.0), (2.0, 10.0), (4.0, 90.0), (8.0, 90.0)]);
        some[2].outcome = Outcome::Failed;
        some[3].throughput_of = Some(ThroughputOf::Command);
        assert_eq!(stops_at(&some), Some(1.0));
    }
}

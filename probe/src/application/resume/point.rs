//! Where a command is stopped.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use firstfault_schema::report::{Scalar, StopTrigger};
use serde::{Deserialize, Serialize};

use crate::application::contract::Contract;
use crate::application::contract::resumed::Growing;
use crate::application::launch::Sight;

/// Outputs that appear only in the last quarter of the time are written at the end.
const AT_THE_END: f64 = 0.75;

/// What the stop waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StopAt {
    /// So many passes have ended.
    Pass(u64),
    /// This stage was begun.
    Stage(String),
    /// So many outputs are there.
    Outputs(u64),
    /// So much time has passed since the start.
    Seconds(f64),
    /// A checkpoint is being written, and an earlier one is complete.
    Checkpoint,
}

impl FromStr for StopAt {
    type Err = &'static str;

    /// `pass=3`, `stage=write`, `outputs=100`, `seconds=2.5` or `checkpoint`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORMS: &str = "expected pass=N, stage=NAME, outputs=N, seconds=S or checkpoint";
        if text == "checkpoint" {
            return Ok(Self::Checkpoint);
        }
        let (name, value) = text.split_once('=').ok_or(FORMS)?;
        let count = || {
            let count = value.parse().ok().filter(|count| *count > 0);
            count.ok_or("expected a whole number above 0")
        };
        match name {
            "pass" => Ok(Self::Pass(count()?)),
            "outputs" => Ok(Self::Outputs(count()?)),
            "stage" if !value.is_empty() => Ok(Self::Stage(value.to_owned())),
            "seconds" => {
                let seconds = value.parse::<f64>().ok();
                let fits = seconds.filter(|seconds| (0.001..=2_592_000.0).contains(seconds));
                Ok(Self::Seconds(fits.ok_or("expected seconds above 0")?))
            }
            _ => Err(FORMS),
        }
    }
}

/// How the reference went, as far as a stop point follows from it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Course {
    /// Passes that ended; none without marks.
    pub(super) passes: Option<u64>,
    pub(super) outputs: u64,
    /// When the first output was seen.
    pub(super) first_output_ms: Option<f64>,
    pub(super) wall_ms: f64,
}

impl StopAt {
    /// About the middle of the work: of its passes, else of its outputs, else of its time.
    pub(super) fn middle(course: &Course) -> Self {
        if let Some(passes) = course.passes.filter(|passes| *passes >= 2) {
            return Self::Pass(passes / 2);
        }
        let grows = course
            .first_output_ms
            .is_some_and(|first| first < course.wall_ms * AT_THE_END);
        if course.outputs >= 2 && grows {
            return Self::Outputs(course.outputs / 2);
        }
        Self::Seconds((course.wall_ms / 2.0).round().max(1.0) / 1000.0)
    }

    /// As the report tells it. A stage that looks like a path or a secret has no name there.
    pub(super) fn told(&self, own: impl Fn(&str) -> String) -> StopTrigger {
        let (at, value) = match self {
            Self::Pass(passes) => ("pass", Some(Scalar::from(*passes))),
            Self::Stage(name) => ("stage", Some(own(name).into())),
            Self::Outputs(outputs) => ("outputs", Some(Scalar::from(*outputs))),
            Self::Seconds(seconds) => (
                "seconds",
                serde_json::Number::from_f64(*seconds).map(Scalar::Number),
            ),
            Self::Checkpoint => ("checkpoint", None),
        };
        StopTrigger {
            at: at.to_owned(),
            value,
        }
    }
}

/// Looks whether the point has come.
pub(super) struct Lookout<'a> {
    at: &'a StopAt,
    growing: Growing<'a>,
}

impl<'a> Lookout<'a> {
    pub(super) fn new(at: &'a StopAt, contract: &'a Contract, folder: &'a Path) -> Self {
        Self {
            at,
            growing: Growing::new(contract, folder),
        }
    }

    /// Whether it has. `is_writing` tells whether a checkpoint is being written.
    pub(super) fn has_come(&mut self, sight: &Sight<'_>, is_writing: bool) -> bool {
        match self.at {
            StopAt::Pass(passes) => passes_of(sight.marks).is_some_and(|ended| ended >= *passes),
            StopAt::Stage(name) => sight.marks.has_begun(name),
            StopAt::Outputs(outputs) => self.growing.count() >= *outputs,
            StopAt::Seconds(seconds) => sight.elapsed >= Duration::from_secs_f64(*seconds),
            StopAt::Checkpoint => is_writing,
        }
    }
}

/// Passes that have ended; none without marks.
pub(super) fn passes_of(marks: &crate::application::marks::Marks) -> Option<u64> {
    if marks.is_empty() {
        return None;
    }
    Some(marks.computation().map_or(0, |(_, series)| series.ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_read_as_it_is_typed() {
        for (text, expected) in [
            ("pass=3", StopAt::Pass(3)),
            ("stage=write", StopAt::Stage("write".to_owned())),
            ("outputs=100", StopAt::Outputs(100)),
            ("seconds=2.5", StopAt::Seconds(2.5)),
            ("checkpoint", StopAt::Checkpoint),
        ] {
            assert_eq!(text.parse(), Ok(expected));
        }
        for text in [
            "pass",
            "pass=0",
            "pass=x",
            "seconds=-1",
            "seconds=inf",
            "stage=",
            "x=1",
            "",
        ] {
            assert!(text.parse::<StopAt>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_usual_point_is_about_the_middle() {
        let course = Course {
            passes: Some(9),
            outputs: 100,
            first_output_ms: Some(10.0),
            wall_ms: 1000.0,
        };
        assert_eq!(StopAt::middle(&course), StopAt::Pass(4));
        let without_marks = Course {
            passes: None,
            ..course
        };
        assert_eq!(StopAt::middle(&without_marks), StopAt::Outputs(50));
        let at_the_end = Course {
            first_output_ms: Some(990.0),
            ..without_marks
        };
        assert_eq!(StopAt::middle(&at_the_end), StopAt::Seconds(0.5));
    }
}

//! How far the numbers of a repeated attempt lie apart, for people.

use std::fmt::Write as _;

use firstfault_schema::compare::{Kind, Unit, Value, field_name};
use firstfault_schema::format;
use firstfault_schema::noise::{Floor, Range};
use firstfault_schema::report::{Measure, Noise};
use firstfault_schema::visible::visible;
use fluent_bundle::FluentValue;

use super::check::breakable;
use super::{Printer, STRONG};

impl Printer {
    /// Runs and spreads.
    pub(super) fn noise(&self, text: &mut String, noise: &Noise) {
        let values = [
            ("runs", FluentValue::from(noise.runs)),
            ("passed", FluentValue::from(noise.passed)),
        ];
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#}",
            self.guidance().text_with("terminal-noise", &values)
        );
        self.table(
            text,
            noise
                .measures
                .iter()
                .map(|measure| self.measure(measure, noise.passed)),
        );
    }

    fn measure(&self, measure: &Measure, runs: u32) -> [String; 3] {
        let unit = unit(&measure.field);
        let shown = |number: f64| {
            breakable(&format::value(
                &Value::Number(number),
                unit,
                self.guidance(),
            ))
        };
        let range = Range {
            runs,
            min: measure.min,
            median: measure.median,
            max: measure.max,
        };
        let kind = match unit {
            Unit::Bytes => Kind::Memory,
            Unit::PerSecond => Kind::Throughput,
            Unit::Milliseconds | Unit::Plain => Kind::Repeated,
        };
        // The floor that an equally repeated attempt would be held against.
        let share = Floor::new(kind, range, range).share().unwrap_or_default();
        let spread = format!(
            "{} {} {}",
            shown(measure.min),
            self.text("terminal-noise-to"),
            shown(measure.max)
        );
        let floor = self.with(
            "change-floor",
            &[(
                "floor",
                &breakable(&format::share(share, self.guidance().language())),
            )],
        );
        [
            field_name(&measure.field, self.guidance())
                .unwrap_or_else(|| visible(&measure.field).into_owned()),
            format!("{} ({spread})", shown(measure.median)),
            floor,
        ]
    }
}

/// The unit that a measure's path tells.
fn unit(path: &str) -> Unit {
    if path.ends_with("_bytes") {
        Unit::Bytes
    } else if path.ends_with("throughput") {
        Unit::PerSecond
    } else {
        Unit::Milliseconds
    }
}

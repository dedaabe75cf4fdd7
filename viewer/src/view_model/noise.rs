//! How far the numbers of a report can be trusted: the spread of the same attempt, made several times.

use firstfault_schema::compare::{Unit, Value, field_name, fields};
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Noise, Report};

use super::amount;
use super::table::{Cell, Table};
use crate::format;

/// The spread of the measures.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseView {
    /// How often the attempt was made, and how many of these passed.
    pub sentence: String,
    /// Each measure: lowest, median, highest, and their distance in percent of the median.
    pub measures: Table,
}

/// The spread of the measures.
pub fn noise(noise: &Noise, report: &Report, words: &Guidance) -> NoiseView {
    let known = fields(report);
    let rows = noise.measures.iter().map(|measure| {
        let unit = known
            .iter()
            .find(|field| field.path == measure.field)
            .map_or(Unit::Plain, |field| field.kind.unit());
        let value = |number| Cell::new(format::value(&Value::Number(number), unit, words));
        let spread = (measure.max - measure.min) / measure.median.abs();
        let spread = if spread.is_finite() {
            format::share(spread, words.language())
        } else {
            words.text("value-missing")
        };
        vec![
            match field_name(&measure.field, words) {
                Some(name) => Cell {
                    note: Some(measure.field.clone()),
                    machine: true,
                    ..Cell::new(name)
                },
                None => Cell::machine(measure.field.clone()),
            },
            value(measure.min),
            value(measure.median),
            value(measure.max),
            Cell::new(spread),
        ]
    });
    NoiseView {
        sentence: words.text_with(
            "noise-runs",
            &[
                ("runs", amount(noise.runs.into(), words).into()),
                ("passed", amount(noise.passed.into(), words).into()),
            ],
        ),
        measures: Table {
            heads: [
                "noise-measure",
                "noise-min",
                "noise-median",
                "noise-max",
                "noise-spread",
            ]
            .map(|id| words.text(id))
            .to_vec(),
            rows: rows.collect(),
        },
    }
}

//! The sweep as a curve: memory over the axis, the last good and the first bad step named.

use firstfault_schema::Outcome;
use firstfault_schema::compare::word_id;
use firstfault_schema::report::{Sweep, SweepStep};
use yew::prelude::*;

use super::icon::icon;
use super::text::text;
use crate::format;
use crate::view_model::Tone;
use crate::view_model::dossier::ticks;
use crate::words::Words;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 40.0;

/// The curve, and the steps as a table.
pub(crate) fn sweep_curve(sweep: &Sweep, words: &Words) -> Html {
    let language = words.language();
    let number = |value: f64| format::number(value, 4, language);
    let said = |value: Option<f64>| value.map_or_else(|| words.text("value-missing"), number);
    #[allow(clippy::cast_precision_loss, reason = "shown with three figures")]
    let size = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
    let memory = |bytes: Option<u64>| {
        size(bytes).map_or_else(
            || words.text("value-missing"),
            |bytes| format::bytes(bytes, language),
        )
    };
    let right = sweep
        .steps
        .iter()
        .map(|step| step.value)
        .fold(1.0, f64::max)
        * 1.05;
    let high = sweep
        .steps
        .iter()
        .flat_map(|step| [size(step.peak_bytes), size(step.predicted_bytes)])
        .flatten()
        .fold(1.0, f64::max)
        * 1.1;
    let x = |value: f64| LEFT + value / right * (WIDTH - LEFT - RIGHT);
    let y = |bytes: f64| HEIGHT - BOTTOM - bytes / high * (HEIGHT - TOP - BOTTOM);
    let curve = |of: &dyn Fn(&SweepStep) -> Option<f64>| {
        let mut points: Vec<(f64, f64)> = sweep
            .steps
            .iter()
            .filter_map(|step| Some((step.value, of(step)?)))
            .collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        points
            .iter()
            .enumerate()
            .map(|(at, (value, bytes))| {
                format!(
                    "{}{:.1} {:.1}",
                    if at == 0 { 'M' } else { 'L' },
                    x(*value),
                    y(*bytes)
                )
            })
            .collect::<String>()
    };
    let measured = curve(&|step| size(step.peak_bytes));
    let predicted = curve(&|step| size(step.predicted_bytes));
    let summary = words.text_with(
        "sweep-summary",
        &[
            ("axis", sweep.axis.clone().into()),
            ("good", said(sweep.last_good).into()),
            ("bad", said(sweep.first_bad).into()),
        ],
    );
    let heads = [
        sweep.axis.clone(),
        words.text("decision-outcome"),
        words.text("sweep-peak"),
        words.text("sweep-predicted"),
        words.text("sweep-throughput"),
    ];
    html! {
        <figure class="chart sweep">
            <figcaption>
                <h3>{ words.text("heading-sweep") }</h3>
                <p>{ text(summary.clone(), 300) }</p>
                if let Some(ended) = &sweep.ended_by {
                    <p class="quiet">{ words.text("sweep-ended") }{ " " }{ text(words.find(&word_id("sweep-ended", ended), &[]).unwrap_or_else(|| ended.clone()), 120) }</p>
                }
                <p class="legend">
                    <span class="legend__line">{ words.text("sweep-peak") }</span>
                    <span class="legend__line legend__line--dashed">{ words.text("sweep-predicted") }</span>
                </p>
            </figcaption>
            <div class="chart__scroll" tabindex="0" role="group" aria-label={words.text("heading-sweep")}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} role="img" aria-label={summary}>
                { for ticks(high, 4.0).into_iter().map(|tick| html! {
                    <>
                        <path class="chart__grid" d={format!("M{LEFT} {:.1}H{}", y(tick), WIDTH - RIGHT)} />
                        <text class="chart__label" x={(LEFT - 8.0).to_string()} y={format!("{:.1}", y(tick) + 4.0)} text-anchor="end">{ format::bytes(tick, language) }</text>
                    </>
                }) }
                { for ticks(right, 8.0).into_iter().map(|tick| html! {
                    <text class="chart__label" x={format!("{:.1}", x(tick))} y={(HEIGHT - BOTTOM + 20.0).to_string()} text-anchor="middle">{ number(tick) }</text>
                }) }
                <path class="timeline__reserved" d={predicted} />
                <path class="timeline__allocated" d={measured} />
                { for sweep.steps.iter().map(|step| {
                    let at = size(step.peak_bytes).or_else(|| size(step.predicted_bytes)).unwrap_or(0.0);
                    let (cx, cy) = (x(step.value), y(at));
                    let good = step.outcome == Outcome::Passed;
                    let mark = if Some(step.value) == sweep.last_good {
                        Some("sweep-last-good")
                    } else if Some(step.value) == sweep.first_bad {
                        Some("sweep-first-bad")
                    } else {
                        None
                    };
                    // A good step is a dot, a bad one a cross.
                    let shape = if good {
                        html! { <circle class="sweep__good" cx={format!("{cx:.1}")} cy={format!("{cy:.1}")} r="4" /> }
                    } else {
                        html! { <path class="sweep__bad" d={format!("M{:.1} {:.1}l10 10m0 -10l-10 10", cx - 5.0, cy - 5.0)} /> }
                    };
                    let anchor = if cx > WIDTH * 0.75 { "end" } else { "middle" };
                    html! {
                        <>
                            { shape }
                            if let Some(mark) = mark {
                                <text class="chart__name" x={format!("{cx:.1}")} y={format!("{:.1}", cy - 12.0)} text-anchor={anchor}>{ words.text(mark) }</text>
                            }
                        </>
                    }
                }) }
            </svg>
            </div>
            <details class="fold">
                <summary>{ words.text("as-table") }</summary>
                <table class="table table--stacked table--compact">
                    <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ text(head.clone(), 40) }</th> }) }</tr></thead>
                    <tbody>{ for sweep.steps.iter().map(|step| {
                        let tone = Tone::from(step.outcome);
                        html! {
                            <tr>
                                <th scope="row">{ number(step.value) }</th>
                                <td data-head={heads[1].clone()}><span class={classes!("outcome", tone.class())}>{ icon(tone) }{ words.text(&word_id("outcome", step.outcome.name())) }</span></td>
                                <td data-head={heads[2].clone()}>{ memory(step.peak_bytes) }</td>
                                <td data-head={heads[3].clone()}>{ memory(step.predicted_bytes) }</td>
                                <td data-head={heads[4].clone()}>{ step.throughput.map_or_else(|| words.text("value-missing"), |rate| format!("{}/s", format::number(rate, 1, language))) }</td>
                            </tr>
                        }
                    }) }</tbody>
                </table>
            </details>
        </figure>
    }
}

//! Stages on a time axis, memory above it: SVG out of elements, readable without colour.

use yew::prelude::*;

use crate::format;
use crate::view_model::chart::Scale;
use crate::view_model::dossier::{Bar, MemoryPoint, TimelineView};
use crate::words::Words;

const WIDTH: f64 = 900.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const MEMORY_TOP: f64 = 16.0;
const MEMORY_HEIGHT: f64 = 120.0;
const LINE: f64 = 26.0;
/// Characters of a stage's name that fit at the left.
const NAME: usize = 20;

/// The chart, and the same as a table for those who can't see it.
pub(crate) fn timeline(view: &TimelineView, words: &Words) -> Html {
    let language = words.language();
    let has_memory = view.memory.len() > 1;
    let bars_top = if has_memory {
        MEMORY_TOP + MEMORY_HEIGHT + 14.0
    } else {
        8.0
    };
    #[allow(clippy::cast_precision_loss, reason = "a handful of lines")]
    let axis = bars_top + view.lines.len() as f64 * LINE + 6.0;
    let x = |at: f64| LEFT + at / view.end_ms * (WIDTH - LEFT - RIGHT);
    let most = view
        .memory
        .iter()
        .map(|point| point.reserved.unwrap_or(0.0).max(point.allocated))
        .fold(1.0, f64::max);
    let y = |bytes: f64| MEMORY_TOP + MEMORY_HEIGHT - bytes / most * (MEMORY_HEIGHT - 8.0);
    let path = |of: &dyn Fn(&MemoryPoint) -> Option<f64>| {
        let mut path = String::new();
        for point in &view.memory {
            if let Some(bytes) = of(point) {
                let command = if path.is_empty() { 'M' } else { 'L' };
                path.push_str(&format!("{command}{:.1} {:.1}", x(point.at_ms), y(bytes)));
            }
        }
        path
    };
    let allocated = path(&|point| Some(point.allocated));
    let reserved = path(&|point| point.reserved);
    let legend = if view.gpu_memory {
        "legend-allocated"
    } else {
        "legend-resident"
    };
    let bar = |line: usize, bar: &Bar| {
        #[allow(clippy::cast_precision_loss, reason = "a handful of lines")]
        let top = bars_top + line as f64 * LINE + 4.0;
        let width = (x(bar.ended_ms) - x(bar.began_ms)).max(2.0);
        let class = classes!(
            "timeline__bar",
            (bar.pass == 1).then_some("timeline__bar--first"),
            (!bar.ended).then_some("timeline__bar--open")
        );
        html! {
            <rect {class} x={format!("{:.1}", x(bar.began_ms))} y={top.to_string()} width={format!("{width:.1}")} height="18" rx="2">
                <title>{ bar.title.clone() }</title>
            </rect>
        }
    };
    html! {
        <figure class="chart timeline">
            <figcaption>
                <h3>{ words.text("heading-timeline") }</h3>
                if has_memory {
                    <p class="legend">
                        <span class="legend__line">{ words.text(legend) }</span>
                        if !reserved.is_empty() { <span class="legend__line legend__line--dashed">{ words.text("legend-reserved") }</span> }
                    </p>
                }
            </figcaption>
            <div class="chart__scroll" tabindex="0" role="group" aria-label={words.text("heading-timeline")}>
            <svg viewBox={format!("0 0 {WIDTH} {:.0}", axis + 26.0)} role="img" aria-label={words.text("timeline-alternative")}>
                if has_memory {
                    <text class="chart__label" x={(LEFT - 8.0).to_string()} y={(y(most) + 4.0).to_string()} text-anchor="end">{ format::bytes(most, language) }</text>
                    <text class="chart__label" x={(LEFT - 8.0).to_string()} y={(y(0.0)).to_string()} text-anchor="end">{ "0" }</text>
                    <path class="chart__grid" d={format!("M{LEFT} {0:.1}H{1}M{LEFT} {2:.1}H{1}", y(most), WIDTH - RIGHT, y(0.0))} />
                    <path class="timeline__reserved" d={reserved} />
                    <path class="timeline__allocated" d={allocated} />
                }
                { for Scale::new(0.0, view.end_ms).round(1.0, 6.0).into_iter().map(|tick| html! {
                    <>
                        <path class="chart__grid" d={format!("M{:.1} {MEMORY_TOP}V{axis}", x(tick))} />
                        <text class="chart__label" x={format!("{:.1}", x(tick))} y={(axis + 16.0).to_string()} text-anchor="middle">
                            { format::milliseconds(tick, language) }
                        </text>
                    </>
                }) }
                { for view.lines.iter().enumerate().map(|(at, (name, bars))| {
                    #[allow(clippy::cast_precision_loss, reason = "a handful of lines")]
                    let baseline = bars_top + at as f64 * LINE + 17.0;
                    let shown = firstfault_schema::visible::visible(firstfault_schema::visible::shortened(name, NAME).0).into_owned();
                    html! {
                        <>
                            <text class="chart__name" x={(LEFT - 8.0).to_string()} y={baseline.to_string()} text-anchor="end">{ shown }</text>
                            { for bars.iter().map(|one| bar(at, one)) }
                        </>
                    }
                }) }
            </svg>
            </div>
            <details class="fold">
                <summary>{ words.text("as-table") }</summary>
                <ul class="plain">{ for view.lines.iter().flat_map(|(_, bars)| bars.iter()).map(|bar| html! {
                    <li>{ firstfault_schema::visible::visible(&bar.title).into_owned() }</li>
                }) }</ul>
            </details>
        </figure>
    }
}

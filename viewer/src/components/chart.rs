//! A chart out of SVG elements: as wide as there is room, its texts never smaller than elsewhere.
//!
//! Lines are drawn in a frame that is stretched, with strokes that are not; texts and points stand beside it at
//! shares of the width.

use yew::prelude::*;

use crate::view_model::Tone;
use crate::view_model::chart::{Chart, Line, Point};

/// Units of the stretched frame.
const ACROSS: f64 = 1000.0;
/// Room under the chart for the texts of its axis, in pixels.
const AXIS: f64 = 22.0;

/// The chart with its legend.
pub(crate) fn chart(chart: &Chart) -> Html {
    let height = chart.height;
    let x = |share: f64| format!("{:.2}%", share * 100.0);
    let y = |share: f64| (1.0 - share) * height;
    let stretched = |class: &'static str, d: String| html! { <path {class} {d} /> };
    let across =
        |class: &'static str, share: f64| stretched(class, format!("M0 {:.1}H{ACROSS}", y(share)));
    let label = |at: String, y: f64, anchor: &'static str, class: &'static str, text: &str| {
        html! { <text {class} x={at} y={format!("{y:.1}")} text-anchor={anchor}>{ text }</text> }
    };
    html! {
        <figure class="plot">
            <figcaption class="legend">
                <b>{ &chart.title }</b>
                { for chart.lines.iter().filter(|line| !line.name.is_empty()).map(|line| html! {
                    <span class={classes!("legend__line", line.dashed.then_some("legend__line--dashed"))}>{ &line.name }</span>
                }) }
                { for chart.levels.iter().enumerate().map(|(at, (_, text))| html! {
                    <span class={if at == 0 { "legend__line legend__line--limit" } else { "legend__line legend__line--margin" }}>{ text }</span>
                }) }
            </figcaption>
            <svg class="plot__area" height={(height + AXIS).to_string()} role="img" aria-label={chart.title.clone()}>
                <svg viewBox={format!("0 0 {ACROSS} {height}")} preserveAspectRatio="none" width="100%" height={height.to_string()}>
                    { for chart.up.iter().map(|(at, _)| across("chart__grid", *at)) }
                    { for chart.across.iter().map(|(at, _)| stretched("chart__grid", format!("M{:.1} 0V{height}", at * ACROSS))) }
                    { for chart.levels.iter().enumerate().map(|(at, (share, _))| {
                        across(if at == 0 { "plot__limit" } else { "plot__limit plot__dashed" }, *share)
                    }) }
                    { for chart.moment.iter().map(|(at, _)| stretched("plot__moment plot__dashed", format!("M{:.1} 0V{height}", at * ACROSS))) }
                    { for chart.lines.iter().map(|line| {
                        stretched(if line.dashed { "plot__line plot__dashed" } else { "plot__line" }, path(line, height))
                    }) }
                </svg>
                { for chart.up.iter().map(|(at, text)| label("-8".to_owned(), y(*at) + 4.0, "end", "chart__label", text)) }
                { for chart.across.iter().map(|(at, text)| label(x(*at), height + 16.0, "middle", "chart__label", text)) }
                { for chart.moment.iter().map(|(at, text)| {
                    let (place, anchor) = beside(*at);
                    label(format!("{:.2}%", at * 100.0 + place), height - 8.0, anchor, "chart__name", text)
                }) }
                { for chart.points.iter().map(|point| mark(point, x(point.at.0), y(point.at.1))) }
                { for chart.points.iter().filter_map(|point| {
                    let text = point.label.as_ref()?;
                    let below = chart.names_below(point);
                    let right = below && point.tone == Tone::Passed && point.at.0 < 0.85;
                    let class = if right { "chart__name plot__right" } else { "chart__name" };
                    let below = if below { 20.0 } else { -11.0 };
                    let anchor = if point.at.0 < 0.25 { "start" } else { "end" };
                    Some(label(x(point.at.0), y(point.at.1) + below, anchor, class, text))
                }) }
            </svg>
        </figure>
    }
}

/// On which side of a place a text has room.
const fn beside(share: f64) -> (f64, &'static str) {
    if share > 0.6 {
        (-1.0, "end")
    } else {
        (1.0, "start")
    }
}

fn path(line: &Line, height: f64) -> String {
    let mut path = String::new();
    let mut next = 'M';
    for point in &line.points {
        next = match point {
            Some((across, up)) => {
                path.push_str(&format!(
                    "{next}{:.1} {:.1}",
                    across * ACROSS,
                    (1.0 - up) * height
                ));
                'L'
            }
            None => 'M',
        };
    }
    path
}

/// A dot where it was good, a cross where it was not, a ring where it was never tried.
fn mark(point: &Point, x: String, y: f64) -> Html {
    let shape = match point.tone {
        Tone::Failed => "M-5-5 5 5M5-5-5 5",
        _ => "M0-4a4 4 0 1 0 .01 0",
    };
    html! {
        <svg {x} y={format!("{y:.1}")} overflow="visible">
            <path class={classes!("plot__point", point.tone.class())} d={shape}><title>{ &point.title }</title></path>
        </svg>
    }
}

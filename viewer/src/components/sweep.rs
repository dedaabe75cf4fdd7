//! The operating range: the limit in a sentence, memory and throughput as curves, every step as a row.

use firstfault_schema::report::Sweep;
use yew::prelude::*;

use super::chart::chart;
use super::table::{facts, table};
use super::text::text;
use crate::view_model::sweep::sweep as view;
use crate::words::Words;

/// The operating range.
pub(crate) fn sweep(sweep: &Sweep, words: &Words) -> Html {
    let view = view(sweep, words);
    html! {
        <section class="sweep" aria-labelledby="sweep-heading">
            <h3 id="sweep-heading">{ words.text("heading-sweep") }</h3>
            <p class="lead">{ text(view.summary, 500) }</p>
            { for view.charts.iter().map(chart) }
            { facts(&view.facts, "facts--wide") }
            { table(&view.steps, "table--compact table--named") }
        </section>
    }
}

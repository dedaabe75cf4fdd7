//! How far the numbers can be trusted: the spread of the same attempt, made several times.

use firstfault_schema::Report;
use yew::prelude::*;

use super::table::table;
use crate::view_model::noise::noise as view;
use crate::words::Words;

/// The noise floor; nothing where the attempt was made once.
pub(crate) fn noise(report: &Report, words: &Words) -> Html {
    let Some(found) = &report.noise else {
        return html! {};
    };
    let view = view(found, report, words);
    html! {
        <section class="noise" aria-labelledby="noise-heading">
            <h2 id="noise-heading" class="section-heading">{ words.text("heading-noise") }</h2>
            <p>{ view.sentence }</p>
            { table(&view.measures, "table--compact") }
            <p class="quiet">{ words.text("noise-use") }</p>
        </section>
    }
}

//! The application dossier: contract, time axis with memory, operating range, stop and resume, tensors.

use firstfault_schema::report::Application;
use yew::prelude::*;

use super::resume::resume;
use super::sweep::sweep;
use super::table::{facts, table};
use super::timeline::timeline as timeline_chart;
use crate::view_model::dossier::{self, timeline};
use crate::words::Words;

/// Tensors that are shown before the rest is folded.
const TENSORS: usize = 12;

/// The application dossier.
pub(crate) fn dossier(application: &Application, words: &Words) -> Html {
    html! {
        <section class="dossier" aria-labelledby="dossier-heading">
            <h2 id="dossier-heading" class="section-heading">{ words.text("heading-dossier") }</h2>
            { facts(&dossier::facts(application, words), "facts--wide") }
            <h3>{ words.text("heading-contract") }</h3>
            if application.outputs.is_empty() {
                <p class="quiet">{ words.text("contract-none") }</p>
            }
            if let Some(summary) = dossier::contract_summary(application, words) {
                <p class="lead">{ summary }</p>
            }
            { table(&dossier::contract(application, words), "") }
            if let Some(view) = timeline(application, words) { { timeline_chart(&view, words) } }
            if let Some(found) = &application.sweep { { sweep(found, words) } }
            if let Some(found) = &application.resume { { resume(found, words) } }
            { tensors(application, words) }
        </section>
    }
}

fn tensors(application: &Application, words: &Words) -> Html {
    let count = application.tensors.len();
    let heading = words.text("heading-tensors");
    let table = table(&dossier::tensors(application, words), "table--compact");
    if count == 0 {
        html! {}
    } else if count <= TENSORS {
        html! { <><h3>{ heading }</h3>{ table }</> }
    } else {
        html! { <details class="fold"><summary>{ heading }{ " · " }{ count }</summary>{ table }</details> }
    }
}

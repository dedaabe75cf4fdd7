//! How do you know: both witnesses side by side, then the facts.

use yew::prelude::*;

use super::table::facts;
use super::text::{MOST, text};
use crate::view_model::{FactGroup, WitnessRow};
use crate::words::Words;

/// The evidence of a report.
pub(crate) fn evidence(
    answer: &str,
    message: Option<&str>,
    witnesses: &[WitnessRow],
    groups: &[FactGroup],
    words: &Words,
) -> Html {
    html! {
        <section class="evidence" aria-labelledby="evidence-heading">
            <h2 id="evidence-heading" class="section-heading">{ words.text("heading-evidence") }</h2>
            <div class="evidence__columns">
                <div class="evidence__witnesses">
                    <h3>{ words.text("heading-witnesses") }</h3>
                    <p>{ words.text("witness-second") }{ " " }<strong>{ answer }</strong></p>
                    if let Some(message) = message {
                        <p class="machine">{ text(message.to_owned(), MOST) }</p>
                    }
                    if !witnesses.is_empty() {
                        <table class="table table--compact">
                            <thead><tr>
                                <td></td>
                                <th scope="col">{ words.text("engine-python") }</th>
                                <th scope="col">{ words.text("engine-libtorch") }</th>
                            </tr></thead>
                            <tbody>{ for witnesses.iter().map(|row| html! {
                                <tr>
                                    <th scope="row">{ &row.name }</th>
                                    <td>{ text(row.python.clone(), 200) }</td>
                                    <td>{ text(row.libtorch.clone(), 200) }</td>
                                </tr>
                            }) }</tbody>
                        </table>
                    }
                </div>
                { for groups.iter().map(|group| html! {
                    <div class="evidence__group">
                        <h3>{ &group.title }</h3>
                        { facts(&group.facts, "") }
                    </div>
                }) }
            </div>
        </section>
    }
}

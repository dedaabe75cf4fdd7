//! The four decisions as a table.

use yew::prelude::*;

use super::icon::icon;
use crate::view_model::DecisionView;
use crate::words::Words;

/// Control, outcome, where to look, what a pass permits.
pub(crate) fn decisions(rows: &[DecisionView], words: &Words) -> Html {
    let heads = [
        "decision-control",
        "decision-outcome",
        "decision-if-fails",
        "decision-permits",
    ]
    .map(|id| words.text(id));
    html! {
        <section class="decisions" aria-labelledby="decisions-heading">
            <h2 id="decisions-heading" class="section-heading">{ words.text("heading-decisions") }</h2>
            <table class="table table--stacked">
                <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().enumerate().map(|(at, row)| html! {
                        <tr class={row.tone.class()}>
                            <th scope="row">
                                <span class="decisions__control">
                                    <span class="decisions__number">{ at + 1 }</span>
                                    <span>{ &row.name }<small>{ &row.passes }</small></span>
                                </span>
                            </th>
                            <td data-head={heads[1].clone()}>
                                <span class={classes!("outcome", row.tone.class())}>{ icon(row.tone) }{ &row.outcome }</span>
                            </td>
                            <td data-head={heads[2].clone()}>{ &row.fails }</td>
                            <td data-head={heads[3].clone()}>{ &row.permits }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </section>
    }
}

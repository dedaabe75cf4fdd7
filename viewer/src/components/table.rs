//! A table whose rows become blocks on a narrow screen, and a list of facts.

use yew::prelude::*;

use super::icon::icon;
use super::text::{MOST, text};
use crate::view_model::table::{Cell, Table};
use crate::view_model::{Fact, Tone};

/// Characters of a cell that are shown at first.
const SHOWN: usize = 200;

/// The table; nothing where it has no rows.
pub(crate) fn table(view: &Table, class: &'static str) -> Html {
    if view.rows.is_empty() {
        return html! {};
    }
    html! {
        <table class={classes!("table", "table--stacked", class)}>
            <thead><tr>{ for view.heads.iter().map(|head| html! { <th scope="col">{ text(head.clone(), SHOWN) }</th> }) }</tr></thead>
            <tbody>{ for view.rows.iter().map(|row| {
                let tone = row.iter().find_map(|cell| cell.tone).map(Tone::class);
                html! {
                    <tr class={classes!(tone)}>
                        { for row.iter().zip(&view.heads).enumerate().map(|(at, (content, head))| match at {
                            0 => html! { <th scope="row" data-head={head.clone()}>{ cell(content) }</th> },
                            _ => html! {
                                <td class={classes!(content.is_empty().then_some("empty"))} data-head={head.clone()}><div>{ cell(content) }</div></td>
                            },
                        }) }
                    </tr>
                }
            }) }</tbody>
        </table>
    }
}

fn cell(cell: &Cell) -> Html {
    let machine = cell.machine && cell.note.is_none();
    let shown = text(cell.text.clone(), SHOWN);
    html! {
        <>
            {
                match cell.tone {
                    Some(tone) => html! { <span class={classes!("outcome", tone.class())}>{ icon(tone) }{ shown }</span> },
                    None => html! { <span class={classes!(machine.then_some("machine"))}>{ shown }</span> },
                }
            }
            if let Some(note) = &cell.note {
                <small class={classes!(cell.machine.then_some("field-path machine"))}>{ text(note.clone(), SHOWN) }</small>
            }
        </>
    }
}

/// Facts, one below the other.
pub(crate) fn facts(facts: &[Fact], class: &'static str) -> Html {
    html! {
        <dl class={classes!("facts", class)}>{ for facts.iter().map(|fact| html! {
            <div class="facts__row">
                <dt>{ text(fact.name.clone(), SHOWN) }</dt>
                <dd class={classes!(fact.machine.then_some("machine"))}>{ text(fact.value.clone(), MOST) }</dd>
            </div>
        }) }</dl>
    }
}

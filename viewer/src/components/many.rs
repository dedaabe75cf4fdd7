//! All open reports, grouped by first failing layer, with a bar of counts on top.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::text::text;
use crate::format;
use crate::many::{Column, Group, ROWS_AT_ONCE, Row, TableState, table};
use crate::state::{Key, Opened};
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) reports: Vec<Rc<Opened>>,
    pub(crate) table: TableState,
    pub(crate) change: Callback<TableState>,
    pub(crate) open: Callback<Key>,
    pub(crate) close_all: Callback<()>,
}

/// The table of all reports.
#[component]
pub(crate) fn ManyPage(props: &Props) -> Html {
    let words = use_words();
    let view = use_memo(
        (props.reports.clone(), props.table.clone()),
        |(reports, state)| table(reports, state),
    );
    let state = &props.table;
    let with = |change: &dyn Fn(&mut TableState)| {
        let mut next = state.clone();
        change(&mut next);
        let emit = props.change.clone();
        Callback::from(move |_: MouseEvent| emit.emit(next.clone()))
    };
    let search = {
        let (state, change) = (state.clone(), props.change.clone());
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            {
                change.emit(TableState {
                    words: input.value(),
                    shown: None,
                    ..state.clone()
                });
            }
        })
    };
    #[allow(clippy::cast_precision_loss, reason = "a number of reports")]
    let count = |id: &str, count: usize| {
        words.text_with(
            id,
            &[
                ("count", (count as f64).into()),
                (
                    "shown",
                    format::number(count as f64, 0, words.language()).into(),
                ),
            ],
        )
    };
    let total: usize = view.totals.iter().map(|(_, count)| count).sum();
    html! {
        <main class="many">
            <h1 id="view-heading" tabindex="-1">{ count("many-heading", total) }</h1>
            <div class="counts" role="group" aria-label={words.text("many-groups")}>
                { for view.totals.iter().map(|(group, count)| {
                    let chosen = state.group == Some(*group);
                    let next = if chosen { None } else { Some(*group) };
                    html! {
                        <button type="button" class={classes!("counts__one", tone(*group), chosen.then_some("counts__one--chosen"))}
                            style={format!("flex-grow: {count}")} aria-pressed={chosen.to_string()}
                            onclick={with(&|table| { table.group = next; table.shown = None; })}>
                            <span class="counts__number">{ count }</span>
                            <span class="counts__name">{ group.text(&words) }</span>
                        </button>
                    }
                }) }
            </div>
            <div class="many__tools">
                <label class="many__search">
                    <span>{ words.text("many-search") }</span>
                    <input type="search" value={state.words.clone()} oninput={search} />
                </label>
                <p role="status" class="quiet">{ count("many-matching", view.matching) }</p>
                <button type="button" class="button button--small" onclick={props.close_all.reform(|_| ())}>{ words.text("close-all") }</button>
            </div>
            if view.groups.is_empty() { <p class="quiet">{ words.text("many-none") }</p> }
            <table class="table table--stacked table--many">
                <thead><tr>
                    { for Column::ALL.into_iter().map(|column| {
                        let current = state.column == column;
                        let sort = match (current, state.descending) {
                            (false, _) => "none",
                            (true, false) => "ascending",
                            (true, true) => "descending",
                        };
                        let sign = match sort { "ascending" => "▲", "descending" => "▼", _ => "" };
                        html! {
                            <th scope="col" aria-sort={sort}>
                                <button type="button" class="table__sort" onclick={with(&|table| {
                                    table.descending = current && !table.descending;
                                    table.column = column;
                                })}>{ words.text(column.head()) }<span aria-hidden="true">{ " " }{ sign }</span></button>
                            </th>
                        }
                    }) }
                </tr></thead>
                { for view.groups.iter().map(|group| {
                    let rest = group.count - group.rows.len();
                    html! {
                        <tbody key={format!("{:?}", group.group)}>
                            <tr class={classes!("many__group", tone(group.group))}>
                                <th scope="rowgroup" colspan="6">{ group.group.text(&words) }{ " · " }{ group.count }</th>
                            </tr>
                            { for group.rows.iter().map(|row| html! {
                                <TableRow key={row.key} row={row.clone()} open={props.open.clone()} />
                            }) }
                            if rest > 0 {
                                <tr><td colspan="6"><button type="button" class="link" onclick={with(&|table| {
                                    table.shown = Some(table.shown.unwrap_or(ROWS_AT_ONCE) + ROWS_AT_ONCE);
                                })}>{ count("many-more", rest) }</button></td></tr>
                            }
                        </tbody>
                    }
                }) }
            </table>
        </main>
    }
}

fn tone(group: Group) -> &'static str {
    if group == Group::Passed {
        "passed"
    } else {
        "failed"
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    row: Row,
    open: Callback<Key>,
}

/// One row; its first cell opens the report.
#[component]
fn TableRow(props: &RowProps) -> Html {
    let words = use_words();
    let [label, code, device, driver, pytorch, started] = &props.row.cells;
    let key = props.row.key;
    let cell = |column: Column, value: &String| {
        html! {
            <td class={classes!(value.is_empty().then_some("empty"))} data-head={words.text(column.head())}>{ text(value.clone(), 80) }</td>
        }
    };
    html! {
        <tr>
            <th scope="row">
                <button type="button" class="link" onclick={props.open.reform(move |_: MouseEvent| key)}>
                    { firstfault_schema::visible::visible(firstfault_schema::visible::shortened(label, 80).0).into_owned() }
                </button>
            </th>
            <td data-head={words.text(Column::Code.head())}><code>{ code }</code></td>
            { cell(Column::Device, device) }
            { cell(Column::Driver, driver) }
            { cell(Column::Pytorch, pytorch) }
            <td data-head={words.text(Column::Started.head())}>{ text(format::date(started, &words), 60) }</td>
        </tr>
    }
}

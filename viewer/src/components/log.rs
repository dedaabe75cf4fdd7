//! The box for a pasted log, and what it shows.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::copy::Copy;
use super::text::text;
use crate::state::Explained;
use crate::view_model::{self, ExplainedView};
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) explained: Option<Explained>,
    pub(crate) explain: Callback<String>,
}

/// Paste a log, read its first cause.
#[component]
pub(crate) fn Log(props: &Props) -> Html {
    let words = use_words();
    let area = use_node_ref();
    let submit = {
        let (area, explain) = (area.clone(), props.explain.clone());
        move || {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                explain.emit(area.value());
            }
        }
    };
    let onclick = {
        let submit = submit.clone();
        Callback::from(move |_: MouseEvent| submit())
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            submit();
        }
    });
    html! {
        <section class="log" aria-labelledby="log-heading">
            <h2 id="log-heading">{ words.text("log-heading") }</h2>
            <p id="log-hint" class="quiet">{ words.text("log-hint") }</p>
            <textarea ref={area} id="log-text" class="log__text" rows="7" spellcheck="false" autocomplete="off"
                aria-labelledby="log-heading" aria-describedby="log-hint" {onkeydown}
                placeholder="RuntimeError: …" />
            <button type="button" class="button" {onclick}>{ words.text("log-explain") }</button>
            <div role="status">
                if let Some(explained) = &props.explained { { result(&view_model::explained(explained, &words), &words) } }
            </div>
        </section>
    }
}

fn result(view: &ExplainedView, words: &firstfault_schema::guidance::Guidance) -> Html {
    html! {
        <div class="log__result">
            <p><strong>{ text(view.summary.clone(), 300) }</strong></p>
            <ol class="log__faults">
                { for view.faults.iter().map(|fault| html! {
                    <li class="log__fault">
                        <h3>{ &fault.title }</h3>
                        <p class="quiet">
                            { &fault.layer }{ " · " }{ &fault.owner }{ " · " }<code>{ &fault.signature }</code>
                            if let Some(line) = &fault.line { { " · " }{ line } }
                        </p>
                        if !fault.message.is_empty() { <p class="machine">{ text(fault.message.clone(), 500) }</p> }
                        if let Some(misleads) = &fault.misleads {
                            <p class="actions__misleads"><strong>{ words.text("misleads") }</strong>{ " " }{ misleads }</p>
                        }
                        <ol>
                            { for fault.actions.iter().map(|action| html! {
                                <li class="action">
                                    <p class="action__text">{ &action.text }</p>
                                    if let Some(command) = &action.command {
                                        <div class="command"><code>{ command }</code><Copy text={command.clone()} /></div>
                                    }
                                </li>
                            }) }
                        </ol>
                    </li>
                }) }
            </ol>
        </div>
    }
}

//! The start: one sentence, one place to drop or choose reports, a box for a log, examples.

use yew::prelude::*;

use super::log::Log;
use super::picker::Picker;
use crate::examples::{self, GALLERY, SHOWN_FIRST};
use crate::state::{Explained, Loaded};
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) explained: Option<Explained>,
    pub(crate) loaded: Callback<Vec<Loaded>>,
    pub(crate) explain: Callback<String>,
}

/// The start.
#[component]
pub(crate) fn Start(props: &Props) -> Html {
    let words = use_words();
    let open = |names: &'static [&'static str]| {
        props
            .loaded
            .reform(move |_: MouseEvent| examples::load(names))
    };
    html! {
        <main class="start">
            <h1 id="view-heading" tabindex="-1" class="start__sentence">{ words.text("start-sentence") }</h1>
            <div class="start__drop">
                <p class="start__hint">{ words.text("drop-hint") }</p>
                <Picker label={words.text("open-reports")} loaded={props.loaded.clone()} main=true />
            </div>
            <p class="start__private">
                <strong>{ words.text("private") }</strong>{ " " }{ words.text("private-why") }
            </p>
            <section class="start__examples" aria-labelledby="examples-heading">
                <h2 id="examples-heading">{ words.text("examples-heading") }</h2>
                <ul>
                    { for SHOWN_FIRST.iter().map(|example| html! {
                        <li><button type="button" class="card" onclick={open(example.names)}>
                            <strong>{ words.text(example.title) }</strong>
                            <span>{ words.text(example.about) }</span>
                        </button></li>
                    }) }
                </ul>
                <button type="button" class="link" onclick={open(GALLERY)}>{ words.text("examples-gallery") }</button>
            </section>
            <Log explained={props.explained.clone()} explain={props.explain.clone()} />
        </main>
    }
}

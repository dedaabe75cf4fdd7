//! Every recorded field, on demand.

use std::rc::Rc;

use yew::prelude::*;

use super::copy::Copy;
use super::text::lines;
use crate::words::use_words;

/// Characters of the raw report that are shown before the rest is asked for.
const MOST: usize = 40_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The report as it was read.
    pub(crate) text: Rc<str>,
}

/// The report as it was read, put into the page only when it is asked for.
#[component]
pub(crate) fn Raw(props: &Props) -> Html {
    let words = use_words();
    let open = use_state(|| false);
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |_: Event| open.set(true))
    };
    html! {
        <details class="fold raw" {ontoggle}>
            <summary>{ words.text("every-field") }</summary>
            if *open {
                <Copy text={props.text.to_string()} label={words.text("copy-json")} />
                <pre class="raw__text" tabindex="0" aria-label={words.text("every-field")}>{ lines(props.text.to_string(), MOST) }</pre>
            }
        </details>
    }
}

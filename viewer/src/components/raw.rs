//! Every recorded field, on demand.

use firstfault_schema::Report;
use yew::prelude::*;

use super::copy::Copy;
use super::text::Text;
use crate::words::use_words;

/// Characters of the raw report that are shown before the rest is asked for.
const MOST: usize = 40_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) report: Report,
}

/// The report as it is stored, made only when it is asked for.
#[component]
pub(crate) fn Raw(props: &Props) -> Html {
    let words = use_words();
    let open = use_state(|| false);
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |_: Event| open.set(true))
    };
    let text = if *open { props.report.to_json() } else { String::new() };
    html! {
        <details class="fold raw" {ontoggle}>
            <summary>{ words.text("every-field") }</summary>
            if *open {
                <Copy text={text.clone()} label={words.text("copy-json")} />
                <pre class="raw__text" tabindex="0" aria-label={words.text("every-field")}><Text value={text} lines=true most={MOST} /></pre>
            }
        </details>
    }
}

//! A button that copies, and says that it did.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::browser;
use crate::words::use_words;

/// How long the answer stays.
const ANSWER_MS: u32 = 2500;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What is copied.
    pub(crate) text: AttrValue,
    /// What the button says; "Copy" where nothing is given.
    #[prop_or_default]
    pub(crate) label: Option<AttrValue>,
}

/// Copies text to the clipboard; where the browser refuses, it shows the text to be copied by hand.
#[component]
pub(crate) fn Copy(props: &Props) -> Html {
    let words = use_words();
    let answer = use_state(|| None::<bool>);
    let label = props
        .label
        .clone()
        .unwrap_or_else(|| words.text("copy").into());
    let onclick = {
        let (text, answer) = (props.text.to_string(), answer.clone());
        Callback::from(move |_| {
            let answer = answer.clone();
            browser::copy(
                text.clone(),
                Callback::from(move |copied| {
                    answer.set(Some(copied));
                    if copied {
                        let answer = answer.clone();
                        Timeout::new(ANSWER_MS, move || answer.set(None)).forget();
                    }
                }),
            );
        })
    };
    let said = match *answer {
        Some(true) => words.text("copied"),
        Some(false) => words.text("copy-refused"),
        None => String::new(),
    };
    html! {
        <span class="copy">
            <button type="button" class="button button--small" {onclick}>{ label }</button>
            <span class="copy__answer" role="status">{ said }</span>
            if *answer == Some(false) {
                <textarea class="copy__text" readonly=true aria-label={words.text("copy-by-hand")} value={props.text.clone()} />
            }
        </span>
    }
}

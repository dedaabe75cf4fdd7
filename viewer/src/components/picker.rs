//! The button that opens files.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::browser;
use crate::state::Loaded;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What the button says.
    pub(crate) label: AttrValue,
    /// What was read.
    pub(crate) loaded: Callback<Vec<Loaded>>,
    /// Whether it is the main thing to do here.
    #[prop_or_default]
    pub(crate) main: bool,
}

/// A button with the browser's own file dialogue behind it.
#[component]
pub(crate) fn Picker(props: &Props) -> Html {
    let input = use_node_ref();
    let onclick = {
        let input = input.clone();
        Callback::from(move |_| {
            if let Some(element) = input.cast::<Element>() {
                browser::press(&element);
            }
        })
    };
    let onchange = {
        let loaded = props.loaded.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            else {
                return;
            };
            browser::read_files(browser::files(input.files()), Vec::new(), loaded.clone());
            // The same file may be chosen again.
            input.set_value("");
        })
    };
    html! {
        <>
            <button type="button" class={classes!("button", props.main.then_some("button--main"))} {onclick}>
                { &props.label }
            </button>
            <input ref={input} class="hidden" type="file" multiple=true tabindex="-1" aria-hidden="true" {onchange} />
        </>
    }
}

//! The bar on top: where one is, what else is open, language and colours.

use firstfault_schema::guidance::Language;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::picker::Picker;
use crate::state::{Loaded, Theme, View};
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    /// How many reports are open.
    pub(crate) open: usize,
    pub(crate) theme: Theme,
    pub(crate) dark: bool,
    pub(crate) show: Callback<View>,
    pub(crate) speak: Callback<Language>,
    pub(crate) paint: Callback<Theme>,
    pub(crate) loaded: Callback<Vec<Loaded>>,
}

/// The bar on top.
#[component]
pub(crate) fn Header(props: &Props) -> Html {
    let words = use_words();
    let show = |view: View| props.show.reform(move |_: MouseEvent| view);
    let here = |is: bool| is.then_some("page");
    #[allow(clippy::cast_precision_loss, reason = "a number of reports")]
    let all = words.text_with("nav-all", &[("count", (props.open as f64).into())]);
    let speak = props.speak.reform(|event: Event| {
        let select = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        select
            .and_then(|select| Language::from_locale(&select.value()))
            .unwrap_or_default()
    });
    let dark = match props.theme {
        Theme::System => props.dark,
        Theme::Light => false,
        Theme::Dark => true,
    };
    let paint = props
        .paint
        .reform(move |_: MouseEvent| if dark { Theme::Light } else { Theme::Dark });
    html! {
        <header class="bar">
            <a class="skip" href="#view-heading" onclick={Callback::from(|event: MouseEvent| {
                // The address belongs to the views, so the focus moves without it.
                event.prevent_default();
                crate::browser::focus("view-heading");
            })}>{ words.text("skip") }</a>
            <button type="button" class="bar__brand" onclick={show(View::Start)} aria-current={here(props.view == View::Start)}>
                <svg class="bar__mark" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 3h12v2H2zm0 4h7v2H2zm0 4h4v2H2z" /></svg>
                { "FirstFault" }
            </button>
            if props.open > 0 {
                <nav class="bar__nav" aria-label={words.text("nav-label")}>
                    <button type="button" class="bar__tab" onclick={show(View::Many)} aria-current={here(props.view == View::Many)}>{ all }</button>
                    if props.open > 1 {
                        <button type="button" class="bar__tab" onclick={show(View::Compare)} aria-current={here(props.view == View::Compare)}>
                            { words.text("nav-compare") }
                        </button>
                    }
                </nav>
            }
            <div class="bar__tools">
                if props.open > 0 {
                    <Picker label={words.text("open-more")} loaded={props.loaded.clone()} />
                }
                <label class="bar__language">
                    <span class="hidden-text">{ words.text("language") }</span>
                    <select onchange={speak}>
                        { for Language::ALL.into_iter().map(|language| html! {
                            <option value={language.tag()} lang={language.tag()} selected={language == words.language()}>
                                { match language {
                                    Language::English => "English",
                                    Language::German => "Deutsch",
                                    Language::Turkish => "Türkçe",
                                } }
                            </option>
                        }) }
                    </select>
                </label>
                <button type="button" class="button button--small" onclick={paint} aria-pressed={dark.to_string()}>
                    { words.text("dark") }
                </button>
            </div>
        </header>
    }
}

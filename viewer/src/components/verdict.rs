//! The verdict: one sentence, the code beside it, when and what was checked.

use yew::prelude::*;

use super::icon::icon;
use super::text::text;
use crate::view_model::VerdictView;
use crate::words::Words;

/// The head of a report.
pub(crate) fn verdict(view: &VerdictView, title: &str, words: &Words) -> Html {
    html! {
        <header class={classes!("verdict", view.tone.class())}>
            <p class="verdict__title">{ text(title.to_owned(), 160) }</p>
            <h1 id="view-heading" tabindex="-1" class="verdict__sentence">
                { icon(view.tone) }
                <span>{ text(view.sentence.clone(), 500) }</span>
            </h1>
            if let Some(explanation) = &view.explanation {
                <p class="verdict__explanation">{ text(explanation.clone(), 500) }</p>
            }
            <p class="verdict__facts">
                <code class="verdict__code">{ &view.code }</code>
                <span>{ words.text_with("exit-code", &[("code", view.exit_code.to_string().into())]) }</span>
                <span>{ text(view.when.clone(), 60) }</span>
                { for view.checked.iter().map(|part| html! { <span>{ text(part.clone(), 120) }</span> }) }
            </p>
        </header>
    }
}

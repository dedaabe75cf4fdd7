//! Do this first: one action, its command, whose job it is; the others folded.

use yew::prelude::*;

use super::copy::Copy;
use super::text::{MOST, text};
use crate::view_model::{ActionView, ActionsView};
use crate::words::Words;

/// What to do.
pub(crate) fn actions(view: &ActionsView, words: &Words) -> Html {
    let heading = if view.owner.is_some() {
        "heading-first-action"
    } else {
        "heading-next-step"
    };
    #[allow(clippy::cast_precision_loss, reason = "a handful of actions")]
    let more = words.text_with(
        "more-actions",
        &[("count", (view.others.len() as f64).into())],
    );
    html! {
        <section class="actions" aria-labelledby="actions-heading">
            <h2 id="actions-heading" class="section-heading">{ words.text(heading) }</h2>
            <div class="actions__first">
                { action(&view.first) }
                if let Some((owner, meaning)) = &view.owner {
                    <p class="actions__owner">
                        <span>{ words.text("whose-job") }</span>
                        { " " }<strong>{ owner }</strong>{ " – " }{ meaning }
                    </p>
                }
            </div>
            if let Some(misleads) = &view.misleads {
                <p class="actions__misleads"><strong>{ words.text("misleads") }</strong>{ " " }{ misleads }</p>
            }
            if !view.others.is_empty() {
                <details class="fold">
                    <summary>{ more }</summary>
                    <ol class="actions__others" start="2">
                        { for view.others.iter().map(|other| html! { <li>{ action(other) }</li> }) }
                    </ol>
                </details>
            }
            if !view.candidates.is_empty() {
                <details class="fold">
                    <summary>{ words.text("other-candidates") }</summary>
                    <ul>{ for view.candidates.iter().map(|candidate| html! { <li>{ text(candidate.clone(), MOST) }</li> }) }</ul>
                </details>
            }
        </section>
    }
}

fn action(view: &ActionView) -> Html {
    html! {
        <div class="action">
            <p class="action__text">{ text(view.text.clone(), MOST) }</p>
            if let Some(command) = &view.command {
                <div class="command"><code>{ command }</code><Copy text={command.clone()} /></div>
            }
        </div>
    }
}

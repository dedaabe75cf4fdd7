//! The verdict: one sentence, the code beside it, when and what was checked.

use yew::prelude::*;

use super::icon::Icon;
use super::text::Text;
use crate::view_model::VerdictView;
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: VerdictView,
    /// The user's own word for the attempt, else the file's name.
    pub(crate) title: AttrValue,
}

/// The head of a report.
#[component]
pub(crate) fn Verdict(props: &Props) -> Html {
    let words = use_words();
    let view = &props.view;
    html! {
        <header class={classes!("verdict", view.tone.class())}>
            <p class="verdict__title"><Text value={props.title.clone()} most={160} /></p>
            <h1 id="view-heading" tabindex="-1" class="verdict__sentence">
                <Icon tone={view.tone} />
                <span>{ &view.sentence }</span>
            </h1>
            if let Some(explanation) = &view.explanation {
                <p class="verdict__explanation">{ explanation }</p>
            }
            <p class="verdict__facts">
                <code class="verdict__code">{ &view.code }</code>
                <span>{ words.text_with("exit-code", &[("code", view.exit_code.to_string().into())]) }</span>
                <span><Text value={view.when.clone()} most={60} /></span>
                { for view.checked.iter().map(|part| html! { <span><Text value={part.clone()} most={120} /></span> }) }
            </p>
        </header>
    }
}

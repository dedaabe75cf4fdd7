//! The proof of stop and resume: the finding, before and after, the loss, the checkpoints.

use firstfault_schema::report::Resume;
use yew::prelude::*;

use super::chart::chart;
use super::icon::icon;
use super::table::{facts, table};
use crate::view_model::resume::resume as view;
use crate::words::Words;

/// The proof of stop and resume.
pub(crate) fn resume(resume: &Resume, words: &Words) -> Html {
    let view = view(resume, words);
    html! {
        <section class="resume" aria-labelledby="resume-heading">
            <h3 id="resume-heading">{ words.text("heading-resume") }</h3>
            <p class={classes!("lead", view.tone.class())}>{ icon(view.tone) }{ " " }{ view.sentence }</p>
            { facts(&view.stop, "facts--wide") }
            { table(&view.progress, "table--compact") }
            { table(&view.counts, "table--compact") }
            if let Some(training) = &view.training {
                <h4>{ words.text("heading-loss") }</h4>
                { for training.loss.iter().map(chart) }
                if let Some(hint) = &training.hint { <p class="hint"><b>{ words.text("loss-hint") }</b>{ " " }{ hint }</p> }
                { facts(&training.facts, "facts--wide") }
            }
            if let Some(checkpoints) = &view.checkpoints {
                <h4>{ words.text("heading-checkpoints") }</h4>
                { table(checkpoints, "table--compact table--named") }
            }
        </section>
    }
}

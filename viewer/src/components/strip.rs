//! The strip of layers, the first failing one emphasised.

use yew::prelude::*;

use super::icon::icon;
use crate::view_model::Step;
use crate::words::Words;

/// The layers in order, each with its shape and word.
pub(crate) fn strip(steps: &[Step], words: &Words) -> Html {
    html! {
        <section class="strip" aria-labelledby="strip-heading">
            <h2 id="strip-heading" class="section-heading">{ words.text("heading-layers") }</h2>
            <ol class="strip__steps">
                { for steps.iter().map(|step| html! {
                    <li class={classes!("strip__step", step.tone.class(), step.first_fault.then_some("strip__step--first"))}
                        aria-current={step.first_fault.then_some("step")}>
                        <span class="strip__shape">{ icon(step.tone) }</span>
                        <span class="strip__name">{ &step.name }</span>
                        <code class="strip__id">{ step.id }</code>
                        <span class="strip__outcome">{ &step.outcome }</span>
                    </li>
                }) }
            </ol>
            { for steps.iter().filter(|step| step.first_fault).map(|step| html! {
                <p class="strip__meaning">
                    <strong>{ words.text_with("first-fault-here", &[("layer", step.name.clone().into())]) }</strong>
                    { " " }{ &step.meaning }
                </p>
            }) }
        </section>
    }
}

//! How do you know: both witnesses side by side, then the facts.

use yew::prelude::*;

use super::text::Text;
use crate::view_model::{Fact, FactGroup, WitnessRow};
use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What the second witness answered, in a sentence.
    pub(crate) answer: AttrValue,
    /// Its message, where it has one.
    #[prop_or_default]
    pub(crate) message: Option<AttrValue>,
    pub(crate) witnesses: Vec<WitnessRow>,
    pub(crate) groups: Vec<FactGroup>,
}

/// The evidence of a report.
#[component]
pub(crate) fn EvidenceView(props: &Props) -> Html {
    let words = use_words();
    html! {
        <section class="evidence" aria-labelledby="evidence-heading">
            <h2 id="evidence-heading" class="section-heading">{ words.text("heading-evidence") }</h2>
            <div class="evidence__columns">
                <div class="evidence__witnesses">
                    <h3>{ words.text("heading-witnesses") }</h3>
                    <p>{ words.text("witness-second") }{ " " }<strong>{ &props.answer }</strong></p>
                    if let Some(message) = &props.message {
                        <p class="machine"><Text value={message.clone()} /></p>
                    }
                    if !props.witnesses.is_empty() {
                        <table class="table table--compact">
                            <thead><tr>
                                <td></td>
                                <th scope="col">{ words.text("engine-python") }</th>
                                <th scope="col">{ words.text("engine-libtorch") }</th>
                            </tr></thead>
                            <tbody>{ for props.witnesses.iter().map(|row| html! {
                                <tr>
                                    <th scope="row">{ &row.name }</th>
                                    <td><Text value={row.python.clone()} most={200} /></td>
                                    <td><Text value={row.libtorch.clone()} most={200} /></td>
                                </tr>
                            }) }</tbody>
                        </table>
                    }
                </div>
                { for props.groups.iter().map(|group| html! {
                    <div class="evidence__group">
                        <h3>{ &group.title }</h3>
                        <dl class="facts">{ for group.facts.iter().map(fact) }</dl>
                    </div>
                }) }
            </div>
        </section>
    }
}

fn fact(fact: &Fact) -> Html {
    html! {
        <div class="facts__row">
            <dt><Text value={fact.name.clone()} most={200} /></dt>
            <dd class={classes!(fact.machine.then_some("machine"))}><Text value={fact.value.clone()} /></dd>
        </div>
    }
}

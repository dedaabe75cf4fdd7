//! What this proves, and what it does not.

use yew::prelude::*;

use crate::words::use_words;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) proves: Vec<String>,
    pub(crate) open: Vec<String>,
}

/// Two lists of equal weight.
#[component]
pub(crate) fn Proofs(props: &Props) -> Html {
    let words = use_words();
    let list = |items: &[String]| html! { <ul>{ for items.iter().map(|item| html! { <li>{ item }</li> }) }</ul> };
    html! {
        <section class="proofs" aria-labelledby="proofs-heading">
            <h2 id="proofs-heading" class="section-heading">{ words.text("heading-proofs") }</h2>
            <div class="proofs__columns">
                <div>
                    <h3>{ words.text("heading-proves") }</h3>
                    if props.proves.is_empty() { <p>{ words.text("proves-nothing") }</p> } else { { list(&props.proves) } }
                </div>
                <div>
                    <h3>{ words.text("heading-open") }</h3>
                    { list(&props.open) }
                </div>
            </div>
        </section>
    }
}

//! What this proves, and what it does not.

use yew::prelude::*;

use crate::words::Words;

/// Two lists of equal weight.
pub(crate) fn proofs(proves: &[String], open: &[String], words: &Words) -> Html {
    let list = |items: &[String]| html! { <ul>{ for items.iter().map(|item| html! { <li>{ item }</li> }) }</ul> };
    html! {
        <section class="proofs" aria-labelledby="proofs-heading">
            <h2 id="proofs-heading" class="section-heading">{ words.text("heading-proofs") }</h2>
            <div class="proofs__columns">
                <div>
                    <h3>{ words.text("heading-proves") }</h3>
                    if proves.is_empty() { <p>{ words.text("proves-nothing") }</p> } else { { list(proves) } }
                </div>
                <div>
                    <h3>{ words.text("heading-open") }</h3>
                    { list(open) }
                </div>
            </div>
        </section>
    }
}

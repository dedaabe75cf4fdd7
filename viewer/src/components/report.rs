//! One report, in the order in which it is read.

use std::rc::Rc;

use firstfault_schema::compare::word_id;
use firstfault_schema::report::Owner;
use firstfault_schema::ticket;
use yew::prelude::*;

use super::actions::actions;
use super::copy::Copy;
use super::decisions::decisions;
use super::dossier::dossier;
use super::evidence::evidence;
use super::noise::noise;
use super::proofs::proofs;
use super::raw::Raw;
use super::strip::strip;
use super::verdict::verdict;
use crate::many::title;
use crate::state::{Key, Opened};
use crate::words::use_words;
use crate::{browser, view_model};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) opened: Rc<Opened>,
    /// Another report to compare with, if one is open.
    pub(crate) other: bool,
    pub(crate) compare: Callback<Key>,
    pub(crate) close: Callback<Key>,
}

/// One report.
#[component]
pub(crate) fn ReportPage(props: &Props) -> Html {
    let words = use_words();
    let report = &props.opened.report;
    let key = props.opened.key;
    let (proves, open) = view_model::proofs(report, &words);
    // A ticket is for a fault that the host's side can mend; for any other it would ask the wrong people.
    let for_host = report
        .diagnosis
        .as_ref()
        .is_some_and(|found| matches!(found.owner, Owner::Host | Owner::Image));
    html! {
        <main class="report">
            { verdict(&view_model::verdict(report, &words), title(&props.opened), &words) }
            { strip(&view_model::strip(report, &words), &words) }
            { actions(&view_model::actions(report, &words), &words) }
            { decisions(&view_model::decisions(report, &words), &words) }
            { evidence(
                &words.text(&word_id("witness", report.libtorch.answer.name())),
                report.libtorch.message.as_deref(),
                &view_model::witnesses(report, &words),
                &view_model::evidence(report, &words),
                &words,
            ) }
            { noise(report, &words) }
            if let Some(application) = &report.application {
                { dossier(application, &words) }
            }
            { proofs(&proves, &open, &words) }
            <section class="tools" aria-label={words.text("heading-tools")}>
                <Copy text={ticket::markdown(report, &words)} label={words.text("copy-markdown")} />
                if for_host {
                    <Copy text={ticket::host_ticket(report, &words)} label={words.text("copy-ticket")} />
                }
                if props.other {
                    <button type="button" class="button button--small" onclick={props.compare.reform(move |_| key)}>
                        { words.text("compare-this") }
                    </button>
                }
                <button type="button" class="button button--small" onclick={Callback::from(|_| browser::print())}>
                    { words.text("print") }
                </button>
                <button type="button" class="button button--small" onclick={props.close.reform(move |_| key)}>
                    { words.text("close-report") }
                </button>
            </section>
            <Raw key={key} text={props.opened.text.clone()} />
        </main>
    }
}

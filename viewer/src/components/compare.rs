//! Two attempts side by side: the judgements, then what changed in the configuration, then in the results.

use std::rc::Rc;

use firstfault_schema::compare::{
    Change, Comparison, Judgement, Row, Standing, Value, Verdict, compare, field_name, word_id,
};
use firstfault_schema::guidance::Guidance;
use firstfault_schema::noise::Floor;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::icon::icon;
use super::text::text;
use crate::format;
use crate::many::title;
use crate::state::{Key, Opened};
use crate::view_model::{self, Tone};
use crate::words::use_words;

/// Reports that the selection offers; more are chosen from the table.
const MOST_CHOICES: usize = 200;
/// Remarks that stand above the rows; the rows tell the rest.
const MOST_REMARKS: usize = 6;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) reports: Vec<Rc<Opened>>,
    pub(crate) baseline: Rc<Opened>,
    pub(crate) candidate: Rc<Opened>,
    pub(crate) choose_baseline: Callback<Key>,
    pub(crate) choose_candidate: Callback<Key>,
    pub(crate) swap: Callback<()>,
    pub(crate) open: Callback<Key>,
}

/// Two attempts.
#[component]
pub(crate) fn ComparePage(props: &Props) -> Html {
    let words = use_words();
    let comparison = use_memo(
        (props.baseline.clone(), props.candidate.clone()),
        |(baseline, candidate)| compare(&baseline.report, &candidate.report),
    );
    let unchanged: Vec<&Row> = comparison.unchanged().collect();
    #[allow(clippy::cast_precision_loss, reason = "a number of fields")]
    let count = words.text_with(
        "unchanged-count",
        &[("count", (unchanged.len() as f64).into())],
    );
    let tone = match comparison.verdict {
        Verdict::Better | Verdict::Same => Tone::Passed,
        Verdict::Worse => Tone::Failed,
        Verdict::NotComparable => Tone::NotProven,
    };
    html! {
        <main class="compare">
            <h1 id="view-heading" tabindex="-1" class="compare__verdict">
                { icon(tone) }
                <span>{ words.text(&word_id("compare-verdict", comparison.verdict.name())) }</span>
            </h1>
            if !comparison.obstacles.is_empty() {
                <ul class="compare__obstacles">{ for comparison.obstacles.iter().map(|reason| html! { <li>{ reason.text(&words) }</li> }) }</ul>
            }
            if !comparison.remarks.is_empty() {
                <ul class="compare__remarks">{ for comparison.remarks.iter().take(MOST_REMARKS).map(|reason| html! { <li>{ text(reason.text(&words), 300) }</li> }) }</ul>
            }
            <div class="heads">
                { head(props, &props.baseline, "compare-baseline", &props.choose_baseline, &words) }
                <button type="button" class="button button--small heads__swap" onclick={props.swap.reform(|_| ())}>
                    { words.text("compare-swap") }
                </button>
                { head(props, &props.candidate, "compare-candidate", &props.choose_candidate, &words) }
            </div>
            <div class="judgements">
                { judgement("one-change", &comparison.one_change, &words) }
                { judgement("scale-up", &comparison.scale_up, &words) }
            </div>
            { differences("heading-configuration", "configuration-same", comparison.configuration().collect(), &comparison, &words) }
            { differences("heading-results", "results-same", comparison.results().collect(), &comparison, &words) }
            if !unchanged.is_empty() {
                <details class="fold">
                    <summary>{ count }</summary>
                    <dl class="facts facts--wide">{ for unchanged.iter().map(|row| html! {
                        <div class="facts__row">
                            <dt>{ label(row, &words) }</dt>
                            <dd>{ text(format::value(&row.candidate, row.kind.unit(), &words), 300) }</dd>
                        </div>
                    }) }</dl>
                </details>
            }
        </main>
    }
}

fn head(
    props: &Props,
    opened: &Rc<Opened>,
    name: &str,
    choose: &Callback<Key>,
    words: &Guidance,
) -> Html {
    let id = format!("{name}-choice");
    let own = opened.key;
    let onchange = choose.reform(move |event: Event| {
        let select = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        select
            .and_then(|select| select.value().parse().ok())
            .unwrap_or(own)
    });
    let verdict = view_model::verdict(&opened.report, words);
    let open = props.open.reform(move |_: MouseEvent| own);
    // The chosen one is offered even where the list is cut.
    let choices = props.reports.iter().take(MOST_CHOICES).chain(
        props
            .reports
            .iter()
            .skip(MOST_CHOICES)
            .filter(|choice| choice.key == own),
    );
    html! {
        <div class={classes!("heads__one", verdict.tone.class())}>
            <label class="heads__label" for={id.clone()}>{ words.text(name) }</label>
            <select {id} class="heads__select" {onchange}>
                { for choices.map(|choice| {
                    let shown = firstfault_schema::visible::shortened(title(choice), 80).0;
                    html! {
                        <option value={choice.key.to_string()} selected={choice.key == own}>
                            { firstfault_schema::visible::visible(shown).into_owned() }
                        </option>
                    }
                }) }
            </select>
            <p class="heads__code">{ icon(verdict.tone) }<code>{ &verdict.code }</code></p>
            <p class="quiet">{ text(verdict.when, 60) }</p>
            <button type="button" class="link" onclick={open}>{ words.text("compare-open") }</button>
        </div>
    }
}

fn judgement(name: &str, judgement: &Judgement, words: &Guidance) -> Html {
    let answer = judgement.answer.name();
    html! {
        <section class={classes!("judgement", format!("judgement--{answer}"))} aria-labelledby={format!("{name}-heading")}>
            <h2 id={format!("{name}-heading")}>
                { words.text(&format!("judgement-{name}")) }
                { " " }<strong>{ words.text(&word_id("answer", answer)) }</strong>
            </h2>
            <ul>
                { for judgement.reasons.iter().map(|reason| {
                    let (class, id) = match reason.standing {
                        Standing::Holds => ("holds", "standing-holds"),
                        Standing::Broken => ("broken", "standing-broken"),
                        Standing::Missing => ("missing", "standing-missing"),
                        Standing::Note => ("note", "standing-note"),
                    };
                    let tone = match reason.standing {
                        Standing::Holds => Some(Tone::Passed),
                        Standing::Broken => Some(Tone::Failed),
                        Standing::Missing => Some(Tone::NotReached),
                        Standing::Note => None,
                    };
                    html! {
                        <li class={format!("reason reason--{class}")}>
                            if let Some(tone) = tone { { icon(tone) }<span class="hidden-text">{ words.text(id) }{ ": " }</span> }
                            { text(reason.text(words), 400) }
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}

/// The name of a field for people, and its path, which is never translated.
fn label(row: &Row, words: &Guidance) -> Html {
    let name = field_name(&row.path, words);
    html! {
        <>
            if let Some(name) = name { <span class="field-name">{ name }</span> }
            <code class="field-path">{ text(row.path.clone(), 160) }</code>
        </>
    }
}

fn differences(
    heading: &str,
    same: &str,
    rows: Vec<&Row>,
    comparison: &Comparison,
    words: &Guidance,
) -> Html {
    let comparable = comparison.verdict != Verdict::NotComparable;
    let heads = [
        "compare-field",
        "compare-baseline",
        "compare-candidate",
        "compare-change",
    ]
    .map(|id| words.text(id));
    html! {
        <section class="differences" aria-labelledby={heading.to_owned()}>
            <h2 id={heading.to_owned()} class="section-heading">{ words.text(heading) }</h2>
            if rows.is_empty() {
                <p class="quiet">{ words.text(same) }</p>
            } else {
                <table class="table table--stacked table--compare">
                    <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(|row| {
                        let unit = row.kind.unit();
                        html! {
                            <tr>
                                <th scope="row">{ label(row, words) }</th>
                                <td data-head={heads[1].clone()}>{ text(format::value(&row.baseline, unit, words), 300) }</td>
                                <td data-head={heads[2].clone()}>{ text(format::value(&row.candidate, unit, words), 300) }</td>
                                <td data-head={heads[3].clone()}>{ change(row, comparable, words) }</td>
                            </tr>
                        }
                    }) }</tbody>
                </table>
            }
        </section>
    }
}

/// Sign, word and colour of a change. Where the attempts can't be compared as a whole, nothing is better or worse.
fn change(row: &Row, comparable: bool, words: &Guidance) -> Html {
    let name = match &row.change {
        Change::Better | Change::Worse if !comparable => "changed",
        change => change.name(),
    };
    let sign = match name {
        "better" => "▲",
        "worse" => "▼",
        "within_noise" => "≈",
        "not_comparable" => "∅",
        _ => "≠",
    };
    let percent = match (&row.baseline, &row.candidate) {
        (Value::Number(before), Value::Number(after)) if !row.is_configuration() => {
            format::change(*before, *after, words.language())
        }
        _ => None,
    };
    let reason = match &row.change {
        Change::NotComparable(reason) => Some(words.text(reason)),
        // What the difference was held against, where somebody measured it.
        _ => row.floor.as_ref().and_then(Floor::share).map(|share| {
            let floor = format::share(share, words.language());
            words.text_with("change-floor", &[("floor", floor.into())])
        }),
    };
    html! {
        <span class={format!("change change--{}", name.replace('_', "-"))}>
            <span aria-hidden="true">{ sign }</span>{ " " }{ words.text(&word_id("change", name)) }
            if let Some(percent) = percent { <span class="change__percent">{ percent }</span> }
            if let Some(reason) = reason { <small>{ reason }</small> }
        </span>
    }
}

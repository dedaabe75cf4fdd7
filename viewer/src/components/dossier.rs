//! The application dossier: contract, time axis with memory, tensors, resume, sweep.

use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Application, Resume};
use yew::prelude::*;

use super::icon::icon;
use super::sweep::sweep_curve;
use super::text::{MOST, text};
use super::timeline::timeline as timeline_chart;
use crate::format;
use crate::view_model::dossier::{PointView, contract, facts, timeline};
use crate::words::Words;

/// Tensors that are shown before the rest is folded.
const TENSORS: usize = 12;

/// The application dossier.
pub(crate) fn dossier(application: &Application, words: &Words) -> Html {
    html! {
        <section class="dossier" aria-labelledby="dossier-heading">
            <h2 id="dossier-heading" class="section-heading">{ words.text("heading-dossier") }</h2>
            <dl class="facts facts--wide">
                { for facts(application, words).into_iter().map(|fact| html! {
                    <div class="facts__row">
                        <dt>{ fact.name }</dt>
                        <dd class={classes!(fact.machine.then_some("machine"))}>{ text(fact.value, MOST) }</dd>
                    </div>
                }) }
            </dl>
            { points(&contract(application, words), words) }
            if let Some(view) = timeline(application, words) { { timeline_chart(&view, words) } }
            if let Some(sweep) = &application.sweep { { sweep_curve(sweep, words) } }
            if let Some(resume) = &application.resume { { resumed(resume, words) } }
            { tensors(application, words) }
        </section>
    }
}

fn points(points: &[PointView], words: &Guidance) -> Html {
    let heads = [
        "contract-point",
        "decision-outcome",
        "contract-expected",
        "contract-found",
    ]
    .map(|id| words.text(id));
    html! {
        <>
            <h3>{ words.text("heading-contract") }</h3>
            if points.is_empty() {
                <p class="quiet">{ words.text("contract-none") }</p>
            } else {
                <table class="table table--stacked">
                    <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                    <tbody>{ for points.iter().map(|point| html! {
                        <tr class={point.tone.class()}>
                            <th scope="row">
                                if let Some(name) = &point.name { <span class="field-name">{ name }</span> }
                                <code class="field-path">{ text(point.id.clone(), 120) }</code>
                            </th>
                            <td data-head={heads[1].clone()}>
                                <span class={classes!("outcome", point.tone.class())}>{ icon(point.tone) }{ &point.outcome }</span>
                            </td>
                            <td data-head={heads[2].clone()}>{ text(point.expected.clone(), 200) }</td>
                            <td data-head={heads[3].clone()}>
                                { text(point.found.clone(), 200) }
                                if !point.examples.is_empty() {
                                    <small class="machine">{ text(point.examples.join(", "), 200) }</small>
                                }
                            </td>
                        </tr>
                    }) }</tbody>
                </table>
            }
        </>
    }
}

#[allow(clippy::cast_precision_loss, reason = "shown as whole numbers")]
fn resumed(resume: &Resume, words: &Guidance) -> Html {
    let language = words.language();
    let clean = resume.lost + resume.repeated + resume.changed == 0;
    let count = |value: u64| format::number(value as f64, 0, language);
    let rows = [
        ("resume-signal", resume.signal.clone()),
        ("resume-before", count(resume.outputs_before)),
        ("resume-after", count(resume.outputs_after)),
        ("resume-lost", count(resume.lost)),
        ("resume-repeated", count(resume.repeated)),
        ("resume-changed", count(resume.changed)),
        (
            "resume-stop",
            format::milliseconds(resume.stop_ms, language),
        ),
    ];
    html! {
        <>
            <h3>{ words.text("heading-resume") }</h3>
            <p>{ words.text(if clean { "resume-clean" } else { "resume-unclean" }) }</p>
            <dl class="facts facts--wide">{ for rows.into_iter().map(|(id, value)| html! {
                <div class="facts__row"><dt>{ words.text(id) }</dt><dd>{ text(value, 80) }</dd></div>
            }) }</dl>
        </>
    }
}

fn tensors(application: &Application, words: &Guidance) -> Html {
    if application.tensors.is_empty() {
        return html! {};
    }
    let heads = [
        "tensor-name",
        "tensor-shape",
        "tensor-dtype",
        "tensor-device",
    ]
    .map(|id| words.text(id));
    let row = |tensor: &firstfault_schema::report::Tensor| {
        let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
        html! {
            <tr>
                <th scope="row" class="machine">{ text(tensor.name.clone(), 120) }</th>
                <td data-head={heads[1].clone()} class="machine">{ shape.join(" × ") }</td>
                <td data-head={heads[2].clone()} class="machine">{ text(tensor.dtype.clone(), 40) }</td>
                <td data-head={heads[3].clone()} class="machine">{ text(tensor.device.clone(), 40) }</td>
            </tr>
        }
    };
    let table = html! {
        <table class="table table--stacked table--compact">
            <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
            <tbody>{ for application.tensors.iter().map(row) }</tbody>
        </table>
    };
    if application.tensors.len() <= TENSORS {
        return html! { <><h3>{ words.text("heading-tensors") }</h3>{ table }</> };
    }
    html! { <details class="fold"><summary>{ words.text("heading-tensors") }{ " · " }{ application.tensors.len() }</summary>{ table }</details> }
}

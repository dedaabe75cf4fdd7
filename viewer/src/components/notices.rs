//! Notices about files that could not be opened, beside those that could.

use firstfault_schema::ReportError;
use firstfault_schema::guidance::Guidance;
use yew::prelude::*;

use super::text::text;
use crate::format;
use crate::state::{MAX_FILE_BYTES, Notice, Problem, Reading};
use crate::words::use_words;

/// Notices that are shown before the rest is counted.
const MOST: usize = 20;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) notices: Vec<Notice>,
    pub(crate) dismiss: Callback<()>,
}

/// The notices, announced politely.
#[component]
pub(crate) fn Notices(props: &Props) -> Html {
    let words = use_words();
    let dismiss = props.dismiss.reform(|_: MouseEvent| ());
    let hidden = props.notices.len().saturating_sub(MOST);
    #[allow(clippy::cast_precision_loss, reason = "a number of files")]
    let rest = words.text_with("notices-more", &[("count", (hidden as f64).into())]);
    html! {
        <div class="notices-place" role="status">
            if !props.notices.is_empty() {
                <section class="notices" aria-label={words.text("notices-heading")}>
                    <h2 class="notices__heading">{ words.text("notices-heading") }</h2>
                    <ul>
                        { for props.notices.iter().take(MOST).map(|notice| html! {
                            <li class="notices__item">
                                <span class="machine notices__name">{ text(notice.name.clone(), 120) }</span>
                                { " " }{ message(&notice.problem, &words) }
                                if let Some(detail) = detail(&notice.problem) {
                                    <span class="machine notices__detail">{ text(detail, 400) }</span>
                                }
                            </li>
                        }) }
                    </ul>
                    if hidden > 0 { <p>{ rest }</p> }
                    <button type="button" class="button button--small" onclick={dismiss}>{ words.text("notices-dismiss") }</button>
                </section>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct ReadingProps {
    pub(crate) reading: Reading,
}

/// How far the files are read. Not announced: a screen reader would speak of nothing else.
#[component]
pub(crate) fn ReadingLine(props: &ReadingProps) -> Html {
    let words = use_words();
    let Reading { chosen, read, .. } = props.reading;
    #[allow(clippy::cast_precision_loss, reason = "a number of files")]
    let number = |count: usize| format::number(count as f64, 0, words.language()).into();
    html! {
        if chosen > 0 {
            <label class="reading">
                { words.text_with("reading", &[("read", number(read)), ("chosen", number(chosen))]) }
                <progress max={chosen.to_string()} value={read.to_string()} />
            </label>
        }
    }
}

/// What is wrong, in a sentence.
fn message(problem: &Problem, words: &Guidance) -> String {
    let language = words.language();
    let number = |value: usize| value.to_string();
    #[allow(clippy::cast_precision_loss, reason = "shown with three figures")]
    match problem {
        Problem::Huge(bytes) => words.text_with(
            "notice-huge",
            &[
                ("found", format::bytes(*bytes, language).into()),
                ("limit", format::bytes(MAX_FILE_BYTES, language).into()),
            ],
        ),
        Problem::Folder => words.text("notice-folder"),
        Problem::Unreadable => words.text("notice-unreadable"),
        Problem::EmptyPage => words.text("notice-empty-page"),
        Problem::ForeignPage => words.text("notice-foreign-page"),
        Problem::AlreadyOpen => words.text("notice-already-open"),
        Problem::Report(error) => match error {
            ReportError::Empty => words.text("notice-empty"),
            ReportError::TooLarge { found, limit } => words.text_with(
                "notice-too-large",
                &[
                    ("found", format::bytes(*found as f64, language).into()),
                    ("limit", format::bytes(*limit as f64, language).into()),
                ],
            ),
            ReportError::Truncated { line } => {
                words.text_with("notice-truncated", &[("line", number(*line).into())])
            }
            ReportError::NotJson { line, column } => words.text_with(
                "notice-not-json",
                &[
                    ("line", number(*line).into()),
                    ("column", number(*column).into()),
                ],
            ),
            ReportError::Foreign => words.text("notice-foreign"),
            ReportError::TooNew { found, supported } => words.text_with(
                "notice-too-new",
                &[
                    ("found", found.to_string().into()),
                    ("supported", supported.to_string().into()),
                ],
            ),
            ReportError::BadVersion => words.text("notice-bad-version"),
            ReportError::Shape { .. } => words.text("notice-shape"),
            ReportError::Rule { .. } => words.text("notice-rule"),
        },
    }
}

/// The field that is wrong, as the schema names it.
fn detail(problem: &Problem) -> Option<String> {
    match problem {
        Problem::Report(
            ReportError::Shape { field, problem } | ReportError::Rule { field, problem },
        ) => Some(format!("{field}: {problem}")),
        _ => None,
    }
}

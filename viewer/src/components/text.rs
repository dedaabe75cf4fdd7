//! Text from a report: always text, hidden characters shown, very long ones shortened.

use firstfault_schema::visible::{shortened, visible, visible_lines};
use yew::prelude::*;

use crate::format;
use crate::words::use_words;

/// Characters that are shown before the rest is asked for.
pub(crate) const MOST: usize = 2000;
/// Characters that stand in one element: breaking one very long word into lines takes a browser half a minute.
const PIECE: usize = 200;

#[derive(Properties, PartialEq)]
struct Props {
    /// The text, as the report has it.
    value: AttrValue,
    /// Keep line breaks.
    lines: bool,
    /// Characters that are shown at first.
    most: usize,
}

/// Text from elsewhere, of which `most` characters are shown at first.
pub(crate) fn text(value: impl Into<AttrValue>, most: usize) -> Html {
    element(value.into(), most, false)
}

/// The same with its line breaks.
pub(crate) fn lines(value: impl Into<AttrValue>, most: usize) -> Html {
    element(value.into(), most, true)
}

fn element(value: AttrValue, most: usize, lines: bool) -> Html {
    html! { <Text {value} {lines} {most} /> }
}

#[component]
fn Text(props: &Props) -> Html {
    let words = use_words();
    let open = use_state(|| false);
    let most = if *open { usize::MAX } else { props.most };
    let (start, cut) = shortened(&props.value, most);
    let shown = if props.lines {
        visible_lines(start)
    } else {
        visible(start)
    };
    let shown = shown.into_owned();
    if !cut {
        return html! { <bdi class="text">{ pieces(shown) }</bdi> };
    }
    #[allow(clippy::cast_precision_loss, reason = "a number of characters")]
    let count = format::number(props.value.chars().count() as f64, 0, words.language());
    let more = words.text_with("text-show-all", &[("count", count.into())]);
    let onclick = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        open.set(true);
    });
    html! {
        <bdi class="text">{ pieces(shown) }{ "…" }<button type="button" class="link text__more" {onclick}>{ more }</button></bdi>
    }
}

fn pieces(text: String) -> Html {
    if text.len() <= MOST {
        return html! { { text } };
    }
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(PIECE)
        .map(|piece| html! { <span>{ piece.iter().collect::<String>() }</span> })
        .collect()
}

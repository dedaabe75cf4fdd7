//! Shapes that tell an outcome without colour: a tick, a cross, a dash, an open ring, a question mark.

use yew::prelude::*;

use crate::view_model::Tone;

/// The shape of an outcome. Its word stands beside it, so the shape is hidden from screen readers.
pub(crate) fn icon(tone: Tone) -> Html {
    let path = match tone {
        Tone::Passed => "M3.5 8.5 6.5 11.5 12.5 4.5",
        Tone::Failed => "M4 4 12 12M12 4 4 12",
        Tone::NotReached => "M4 8H12",
        Tone::NotRequested => "M8 4a4 4 0 1 0 .01 0",
        Tone::NotProven => "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 9.8M8 12v.2",
    };
    html! {
        <svg class={classes!("icon", tone.class())} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={path} />
        </svg>
    }
}

//! The whole page: state, the bar, notices and the view that is shown.

use std::rc::Rc;

use firstfault_schema::guidance::Guidance;
use yew::prelude::*;

use super::compare::ComparePage;
use super::header::Header;
use super::many::ManyPage;
use super::notices::{Notices, ReadingLine};
use super::report::ReportPage;
use super::start::Start;
use crate::browser;
use crate::many::title;
use crate::state::{Action, State, View};
use crate::words::Words;

/// The state as yew holds it.
#[derive(Clone, PartialEq)]
struct Held(State);

impl Reducible for Held {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Self(self.0.after(action)))
    }
}

fn initial() -> Held {
    let mut state = State::new(browser::preferred_language(), browser::link());
    let carried = browser::carried();
    if !carried.is_empty() {
        state = state.after(Action::Load(carried));
    }
    Held(state)
}

/// The whole page.
#[component]
pub(crate) fn App() -> Html {
    let held = use_reducer(initial);
    let state = &held.0;
    let words = use_memo(state.language, |language| {
        Words(Rc::new(Guidance::new(*language)))
    });
    let words = (*words).clone();
    let dragging = use_state(|| false);

    let dispatch = held.dispatcher();
    let loaded = Callback::from(move |loaded| dispatch.dispatch(Action::Load(loaded)));
    macro_rules! on {
        ($action:expr) => {{
            let dispatch = held.dispatcher();
            Callback::from(move |value| dispatch.dispatch($action(value)))
        }};
    }
    let dispatch = held.dispatcher();
    let unit = move |action: Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |()| dispatch.dispatch(action.clone()))
    };

    {
        let follow = on!(Action::Follow);
        use_effect_with((), move |()| browser::keep(browser::on_link(follow)));
    }
    // The address follows the view, and the focus follows both.
    use_effect_with(state.link(), browser::set_link);
    {
        let first = use_mut_ref(|| true);
        use_effect_with(state.view, move |_| {
            if !std::mem::take(&mut *first.borrow_mut()) {
                browser::go_to_heading();
            }
        });
    }
    let shown = match state.view {
        View::One(key) => state
            .report(key)
            .map(|opened| title(opened).chars().take(80).collect::<String>()),
        View::Compare => Some(words.text("nav-compare")),
        _ => None,
    };
    let name = shown.map_or_else(
        || "FirstFault".to_owned(),
        |shown| format!("{shown} – FirstFault"),
    );
    use_effect_with(
        (state.language, state.theme, name),
        |(language, theme, name)| browser::dress(*language, *theme, name),
    );

    let over = {
        let dragging = dragging.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dragging.set(true);
        })
    };
    let left = {
        let dragging = dragging.clone();
        Callback::from(move |event: DragEvent| {
            // Leaving a child is not leaving the page.
            if event.related_target().is_none() {
                dragging.set(false);
            }
        })
    };
    let dropped = {
        let (dragging, loaded) = (dragging.clone(), loaded.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dragging.set(false);
            if let Some(transfer) = event.data_transfer() {
                let (files, folders) = browser::dropped(&transfer);
                browser::read_files(files, folders, loaded.clone());
            }
        })
    };

    let show = on!(Action::Show);
    let open = on!(|key| Action::Show(View::One(key)));
    let view = match state.view {
        View::Start => html! {
            <Start explained={state.explained.clone()} loaded={loaded.clone()} explain={on!(Action::Explain)} />
        },
        View::One(key) => match state.report(key) {
            Some(opened) => html! {
                <ReportPage key={key} opened={opened.clone()} other={state.reports.len() > 1}
                    compare={{
                        let dispatch = held.dispatcher();
                        Callback::from(move |key| {
                            dispatch.dispatch(Action::Candidate(key));
                            dispatch.dispatch(Action::Show(View::Compare));
                        })
                    }}
                    close={on!(Action::Close)} />
            },
            None => html! {},
        },
        View::Compare => match state.pair() {
            Some((baseline, candidate)) => html! {
                <ComparePage reports={state.reports.clone()} baseline={baseline.clone()} candidate={candidate.clone()}
                    choose_baseline={on!(Action::Baseline)} choose_candidate={on!(Action::Candidate)}
                    swap={unit(Action::Swap)} {open} />
            },
            None => html! {},
        },
        View::Many => html! {
            <ManyPage reports={state.reports.clone()} table={state.table.clone()} change={on!(Action::Table)} {open}
                close_all={unit(Action::CloseAll)} />
        },
    };
    html! {
        <ContextProvider<Words> context={words.clone()}>
            <div class={classes!("page", dragging.then_some("page--dragging"))} ondragover={over} ondragleave={left} ondrop={dropped}>
                <Header view={state.view} open={state.reports.len()} theme={state.theme} dark={browser::prefers_dark()}
                    {show} speak={on!(Action::Speak)} paint={on!(Action::Paint)} {loaded} />
                <Notices notices={state.notices.clone()} dismiss={unit(Action::DismissNotices)} />
                <ReadingLine reading={state.reading} />
                { view }
                <footer class="foot">
                    <p>{ words.text("private") }</p>
                </footer>
                <p class="drop-veil" aria-hidden="true">{ words.text("drop-now") }</p>
            </div>
        </ContextProvider<Words>>
    }
}

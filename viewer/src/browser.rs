//! The only place that speaks to the browser: files, clipboard, address, preferences.

use std::rc::Rc;

use firstfault_schema::carry;
use firstfault_schema::guidance::Language;
use gloo::events::EventListener;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, Document, Element, File, FileList, HtmlElement, Window};
use yew::Callback;

use crate::components::app::App;
use crate::link::Link;
use crate::state::{Loaded, MAX_FILE_BYTES, Problem, Theme, judge, read};

/// Reports that are handed on together, so that a thousand files don't draw the page a thousand times.
const BATCH: usize = 1000;
/// Files that are read at once: at most so many lie in memory unjudged.
const AT_ONCE: usize = 16;

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// Draws the page into its place.
pub fn start() {
    if let Some(root) = document().and_then(|document| document.get_element_by_id("app")) {
        root.set_text_content(None);
        yew::Renderer::<App>::with_root(root).render();
    }
}

/// The reports that this page carries.
pub fn carried() -> Vec<Loaded> {
    let Some(data) = document()
        .and_then(|document| document.get_element_by_id("firstfault-reports"))
        .and_then(|element| element.text_content())
    else {
        return Vec::new();
    };
    match carry::parse(&data) {
        Ok(reports) => reports
            .into_iter()
            .map(|carried| judge(carried.name, &carried.text))
            .collect(),
        Err(carry::NotAPage) => vec![Loaded::Problem(String::new(), Problem::ForeignPage)],
    }
}

/// The first of the browser's languages that the page speaks.
pub fn preferred_language() -> Language {
    let languages = window().map(|window| window.navigator().languages());
    let languages = languages
        .into_iter()
        .flat_map(|list| list.iter().collect::<Vec<JsValue>>());
    languages
        .filter_map(|tag| Language::from_locale(&tag.as_string()?))
        .next()
        .unwrap_or_default()
}

/// Tells the document its language, title and colours.
pub fn dress(language: Language, theme: Theme, title: &str) {
    let Some(document) = document() else { return };
    document.set_title(title);
    let Some(root) = document.document_element() else {
        return;
    };
    // Setting an attribute of the root element can't fail.
    let _ = root.set_attribute("lang", language.tag());
    let _ = match theme {
        Theme::System => root.remove_attribute("data-theme"),
        Theme::Light => root.set_attribute("data-theme", "light"),
        Theme::Dark => root.set_attribute("data-theme", "dark"),
    };
}

/// Whether the system asks for dark colours.
pub fn prefers_dark() -> bool {
    let query = window().and_then(|window| {
        window
            .match_media("(prefers-color-scheme: dark)")
            .ok()
            .flatten()
    });
    query.is_some_and(|query| query.matches())
}

/// The view that the address asks for.
pub fn link() -> Option<Link> {
    Link::parse(&window()?.location().hash().ok()?)
}

/// Puts a view into the address, so that Back and a bookmark return to it.
pub fn set_link(link: &Link) {
    let Some(location) = window().map(|window| window.location()) else {
        return;
    };
    let fragment = link.fragment();
    if location.hash().is_ok_and(|now| now != fragment) {
        // A fragment of this same document: refused nowhere, and nothing is loaded.
        let _ = location.set_hash(&fragment);
    }
}

/// Calls back when the address asks for another view.
pub fn on_link(callback: Callback<Link>) -> Option<EventListener> {
    let window = window()?;
    Some(EventListener::new(&window, "hashchange", move |_| {
        if let Some(link) = link() {
            callback.emit(link);
        }
    }))
}

/// Prints the page.
pub fn print() {
    if let Some(window) = window() {
        let _ = window.print();
    }
}

/// Scrolls to the top and puts the focus on the heading of the view, so that a screen reader reads it.
pub fn go_to_heading() {
    if let Some(window) = window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
    focus("view-heading");
}

/// Puts the focus on an element.
pub fn focus(id: &str) {
    let element = document().and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Presses an element, for the file input that stands behind a button.
pub fn press(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.click();
    }
}

/// Copies text; says whether it went well.
pub fn copy(text: String, done: Callback<bool>) {
    let Some(window) = window() else { return };
    spawn_local(async move {
        // Old browsers have no clipboard, and others refuse it.
        let clipboard = js_sys::Reflect::get(&window.navigator(), &JsValue::from_str("clipboard"));
        let promise = clipboard
            .ok()
            .and_then(|clipboard| clipboard.dyn_into::<web_sys::Clipboard>().ok())
            .map(|clipboard| clipboard.write_text(&text));
        done.emit(match promise {
            Some(promise) => JsFuture::from(promise).await.is_ok(),
            None => false,
        });
    });
}

/// The files of an input.
pub fn files(list: Option<FileList>) -> Vec<File> {
    let list = list.into_iter();
    list.flat_map(|list| (0..list.length()).filter_map(move |at| list.get(at)))
        .collect()
}

/// What was dropped: the files, and the names of the folders among them.
pub fn dropped(transfer: &DataTransfer) -> (Vec<File>, Vec<String>) {
    let files = files(transfer.files());
    let items = transfer.items();
    let mut folders = Vec::new();
    for at in 0..items.length() {
        let entry = items
            .get(at)
            .and_then(|item| item.webkit_get_as_entry().ok().flatten());
        if let Some(entry) = entry.filter(web_sys::FileSystemEntry::is_directory) {
            folders.push(entry.name());
        }
    }
    // Names are asked of the browser one by one: not for nothing.
    let files = files
        .into_iter()
        .filter(|file| folders.is_empty() || !folders.contains(&file.name()))
        .collect();
    (files, folders)
}

/// Reads files, some at once, and hands their contents on in batches.
pub fn read_files(files: Vec<File>, folders: Vec<String>, loaded: Callback<Vec<Loaded>>) {
    spawn_local(async move {
        let mut batch: Vec<Loaded> = folders
            .into_iter()
            .map(|name| Loaded::Problem(name, Problem::Folder))
            .collect();
        // Few are read before anybody could read that they are.
        let told = files.len() > AT_ONCE;
        if told {
            loaded.emit(vec![Loaded::Chosen(files.len())]);
        }
        let mut since = 0;
        for group in files.chunks(AT_ONCE) {
            // The browser reads while the ones before are judged.
            let reading: Vec<_> = group
                .iter()
                .map(|file| {
                    (file.size() <= MAX_FILE_BYTES).then(|| JsFuture::from(file.array_buffer()))
                })
                .collect();
            for (file, reading) in group.iter().zip(reading) {
                let name = file.name();
                let Some(reading) = reading else {
                    batch.push(Loaded::Problem(name, Problem::Huge(file.size())));
                    continue;
                };
                match reading.await {
                    Ok(buffer) => {
                        batch.extend(read(name, &js_sys::Uint8Array::new(&buffer).to_vec()))
                    }
                    Err(_) => batch.push(Loaded::Problem(name, Problem::Unreadable)),
                }
            }
            since += group.len();
            if since >= BATCH {
                batch.extend(told.then_some(Loaded::Read(since)));
                since = 0;
                loaded.emit(std::mem::take(&mut batch));
            }
        }
        batch.extend((told && since > 0).then_some(Loaded::Read(since)));
        if !batch.is_empty() {
            loaded.emit(batch);
        }
    });
}

/// Keeps a listener for as long as a component lives.
pub fn keep(listener: Option<EventListener>) -> impl FnOnce() {
    let listener = Rc::new(listener);
    move || drop(listener)
}

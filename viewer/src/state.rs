//! What the page knows, and how each action changes it. Pure: no browser.

use std::rc::Rc;

use firstfault_schema::carry;
use firstfault_schema::explain::{Fault, explain_text};
use firstfault_schema::guidance::Language;
use firstfault_schema::{Report, ReportError};

use crate::link::Link;
use crate::many::TableState;

/// Files above this are refused before they are read.
pub const MAX_FILE_BYTES: f64 = 64.0 * 1024.0 * 1024.0;

/// Identifies an opened report within this page.
pub type Key = u32;

/// A report that is open. It never changes, so two are equal when their keys are: a table of ten thousand is compared
/// at every key that is pressed.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its identifier here.
    pub key: Key,
    /// The name of its file.
    pub name: String,
    /// The report.
    pub report: Report,
    /// Its text, as it was read: every field, those of a newer writer too.
    pub text: Rc<str>,
}

impl PartialEq for Opened {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// What became of one file, or of one report out of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Loaded {
    /// A report and its text.
    Report(String, Box<Report>, Rc<str>),
    /// Something that can't be opened.
    Problem(String, Problem),
    /// A log, to be explained.
    Log(String, String),
    /// So many files were chosen, and will be read.
    Chosen(usize),
    /// So many of them were read.
    Read(usize),
}

/// Files that are being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// All of them.
    pub chosen: usize,
    /// Those that were read.
    pub read: usize,
    /// Reports that they opened.
    opened: usize,
}

/// Why a file can't be opened.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The schema refuses it.
    Report(ReportError),
    /// More bytes than are looked at.
    Huge(f64),
    /// A folder.
    Folder,
    /// The browser can't read it.
    Unreadable,
    /// A page that carries no report.
    EmptyPage,
    /// HTML, but no page of FirstFault.
    ForeignPage,
    /// The same report is open already.
    AlreadyOpen,
}

/// A notice beside the reports that did open.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The name of the file.
    pub name: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The place to open something.
    #[default]
    Start,
    /// One report.
    One(Key),
    /// Two reports side by side.
    Compare,
    /// All of them.
    Many,
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The explained log.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The name of the file; none for pasted text.
    pub name: Option<String>,
    /// The faults, the first cause first.
    pub faults: Vec<Fault>,
}

/// Everything that the page knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Reports, in the order in which they were opened.
    pub reports: Vec<Rc<Opened>>,
    /// Notices, newest last.
    pub notices: Vec<Notice>,
    /// What is shown.
    pub view: View,
    /// Baseline of the comparison.
    pub baseline: Option<Key>,
    /// Candidate of the comparison.
    pub candidate: Option<Key>,
    /// Sorting and filters of the table of all reports.
    pub table: TableState,
    /// The explained log.
    pub explained: Option<Explained>,
    /// Language of all text.
    pub language: Language,
    /// Colours.
    pub theme: Theme,
    /// Files that are being read; both zero when there are none.
    pub reading: Reading,
    /// Where a link wants to go as soon as its reports are open.
    pub wanted: Option<Link>,
    next_key: Key,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Action {
    /// Files were read.
    Load(Vec<Loaded>),
    /// Another view was asked for.
    Show(View),
    /// A link in the address asks for a view.
    Follow(Link),
    /// A report is closed.
    Close(Key),
    /// All reports and notices are closed.
    CloseAll,
    /// The notices were read.
    DismissNotices,
    /// Another baseline.
    Baseline(Key),
    /// Another candidate.
    Candidate(Key),
    /// Baseline and candidate change places.
    Swap,
    /// Another order or filter of the table.
    Table(TableState),
    /// A log was pasted.
    Explain(String),
    /// Another language.
    Speak(Language),
    /// Other colours.
    Paint(Theme),
}

impl State {
    /// A page with nothing open, in `language`, that goes where a link wants.
    pub fn new(language: Language, wanted: Option<Link>) -> Self {
        // Where nothing is open the start is shown anyway; a link to it must not hold back what is opened next.
        let wanted = wanted.filter(|link| *link != Link::Start);
        Self {
            language,
            wanted,
            ..Self::default()
        }
    }

    /// The report with this key.
    pub fn report(&self, key: Key) -> Option<&Rc<Opened>> {
        self.reports.iter().find(|opened| opened.key == key)
    }

    /// The two reports of the comparison: those chosen, else the first two.
    pub fn pair(&self) -> Option<(&Rc<Opened>, &Rc<Opened>)> {
        let baseline = self
            .baseline
            .and_then(|key| self.report(key))
            .or_else(|| self.reports.first())?;
        let candidate = self
            .candidate
            .and_then(|key| self.report(key))
            .or_else(|| {
                self.reports
                    .iter()
                    .find(|opened| opened.key != baseline.key)
            })?;
        Some((baseline, candidate))
    }

    /// The state after `action`.
    pub fn after(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Load(loaded) => next.load(loaded),
            Action::Show(view) => {
                next.view = view;
                next.wanted = None;
            }
            // The address that this page itself set asks for nothing new.
            Action::Follow(link) if link == self.link() => {}
            Action::Follow(link) => {
                next.wanted = Some(link);
                next.arrive();
            }
            Action::Close(key) => {
                next.reports.retain(|opened| opened.key != key);
                if next.view == View::One(key) {
                    next.view = if next.reports.is_empty() {
                        View::Start
                    } else {
                        View::Many
                    };
                }
            }
            Action::CloseAll => {
                next.reports.clear();
                next.notices.clear();
                next.view = View::Start;
            }
            Action::DismissNotices => next.notices.clear(),
            Action::Baseline(key) => {
                let pair = self
                    .pair()
                    .map(|(baseline, candidate)| (baseline.key, candidate.key));
                next.baseline = Some(key);
                // Choosing the candidate as baseline means to swap them.
                next.candidate = pair.map(|(baseline, candidate)| {
                    if candidate == key {
                        baseline
                    } else {
                        candidate
                    }
                });
            }
            Action::Candidate(key) => {
                let pair = self
                    .pair()
                    .map(|(baseline, candidate)| (baseline.key, candidate.key));
                next.candidate = Some(key);
                next.baseline = pair.map(
                    |(baseline, candidate)| if baseline == key { candidate } else { baseline },
                );
            }
            Action::Swap => {
                let pair = self
                    .pair()
                    .map(|(baseline, candidate)| (baseline.key, candidate.key));
                if let Some((baseline, candidate)) = pair {
                    next.baseline = Some(candidate);
                    next.candidate = Some(baseline);
                }
            }
            Action::Table(table) => next.table = table,
            Action::Explain(text) => {
                next.explained = Some(Explained {
                    name: None,
                    faults: explain_text(&text),
                });
            }
            Action::Speak(language) => next.language = language,
            Action::Paint(theme) => next.theme = theme,
        }
        next
    }

    fn load(&mut self, loaded: Vec<Loaded>) {
        let before = self.reports.len();
        let mut known: std::collections::HashMap<String, Vec<usize>> =
            std::collections::HashMap::new();
        for (at, opened) in self.reports.iter().enumerate() {
            known
                .entry(opened.report.attempt.id.clone())
                .or_default()
                .push(at);
        }
        for one in loaded {
            match one {
                Loaded::Report(name, report, text) => {
                    let same = known.entry(report.attempt.id.clone()).or_default();
                    if same.iter().any(|at| *self.reports[*at].text == *text) {
                        self.notices.push(Notice {
                            name,
                            problem: Problem::AlreadyOpen,
                        });
                        continue;
                    }
                    same.push(self.reports.len());
                    self.reports.push(Rc::new(Opened {
                        key: self.next_key,
                        name,
                        report: *report,
                        text,
                    }));
                    self.next_key += 1;
                }
                Loaded::Problem(name, problem) => self.notices.push(Notice { name, problem }),
                Loaded::Log(name, text) => {
                    self.explained = Some(Explained {
                        name: Some(name),
                        faults: explain_text(&text),
                    });
                    self.view = View::Start;
                }
                Loaded::Chosen(files) => self.reading.chosen += files,
                Loaded::Read(files) => self.reading.read += files,
            }
        }
        let added = self.reports.len() - before;
        let earlier = self.reading.opened;
        self.reading.opened += added;
        if self.reading.read >= self.reading.chosen {
            self.reading = Reading::default();
        }
        // Whoever looks at something while the rest is read is not sent elsewhere.
        if self.arrive() || added == 0 || earlier > 2 {
            return;
        }
        self.view = match (earlier + added, self.reports.len()) {
            (1, _) => View::One(self.reports[before].key),
            (2, 2) => View::Compare,
            _ => View::Many,
        };
    }

    /// Goes where the link wants, if its reports are open; says whether it did.
    fn arrive(&mut self) -> bool {
        let find = |id: &str| {
            self.reports
                .iter()
                .find(|opened| opened.report.attempt.id == id)
                .map(|opened| opened.key)
        };
        let arrived = match &self.wanted {
            None => None,
            Some(Link::Start) => Some((View::Start, None)),
            Some(Link::Many) => (!self.reports.is_empty()).then_some((View::Many, None)),
            Some(Link::One(id)) => find(id).map(|key| (View::One(key), None)),
            Some(Link::Compare(baseline, candidate)) => find(baseline)
                .zip(find(candidate))
                .map(|pair| (View::Compare, Some(pair))),
        };
        let Some((view, pair)) = arrived else {
            return false;
        };
        self.view = view;
        if let Some((baseline, candidate)) = pair {
            (self.baseline, self.candidate) = (Some(baseline), Some(candidate));
        }
        self.wanted = None;
        true
    }

    /// The link that leads back to what is shown.
    pub fn link(&self) -> Link {
        let id = |opened: &Rc<Opened>| opened.report.attempt.id.clone();
        match self.view {
            // The address keeps what it waits for.
            View::Start => self.wanted.clone().unwrap_or(Link::Start),
            View::Many => Link::Many,
            View::One(key) => self
                .report(key)
                .map_or(Link::Start, |opened| Link::One(id(opened))),
            View::Compare => self.pair().map_or(Link::Start, |(baseline, candidate)| {
                Link::Compare(id(baseline), id(candidate))
            }),
        }
    }
}

/// What the bytes of a file are: a report, a page with reports, a log, or a problem.
pub fn read(name: String, bytes: &[u8]) -> Vec<Loaded> {
    let text = decode(bytes);
    if carry::looks_like_a_page(&text) {
        return match carry::reports_in(&text) {
            Ok(reports) if reports.is_empty() => vec![Loaded::Problem(name, Problem::EmptyPage)],
            Ok(reports) => reports
                .into_iter()
                .map(|carried| judge(carried.name, &carried.text))
                .collect(),
            Err(carry::NotAPage) => vec![Loaded::Problem(name, Problem::ForeignPage)],
        };
    }
    let log = [".log", ".txt", ".out", ".err"]
        .iter()
        .any(|end| name.to_ascii_lowercase().ends_with(end));
    if log
        && !text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{')
        && !text.trim().is_empty()
    {
        return vec![Loaded::Log(name, text)];
    }
    vec![judge(name, &text)]
}

/// A report's text, judged by the schema.
pub fn judge(name: String, text: &str) -> Loaded {
    match Report::from_json(text) {
        Ok(report) => Loaded::Report(name, Box::new(report), text.into()),
        Err(error) => Loaded::Problem(name, Problem::Report(error)),
    }
}

/// UTF-8, or UTF-16 with its mark, as a shell on Windows writes redirected output.
fn decode(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest
            .chunks_exact(2)
            .map(|pair| read([pair[0], pair[1]]))
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

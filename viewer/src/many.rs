//! The table of all open reports: grouped by first failing layer, sorted, filtered. Pure.

use std::cmp::Ordering;
use std::rc::Rc;

use firstfault_schema::Status;
use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Layer, Report};

use crate::order::ordered;
use crate::state::{Key, Opened};

/// Rows that a group shows before more are asked for.
pub const ROWS_AT_ONCE: usize = 100;

/// A column that the table can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// The user's label, else the file's name.
    #[default]
    Label,
    /// The result code.
    Code,
    /// The first GPU.
    Device,
    /// The driver's version.
    Driver,
    /// PyTorch's version.
    Pytorch,
    /// When it started.
    Started,
}

impl Column {
    /// All columns, in order.
    pub const ALL: [Self; 6] = [
        Self::Label,
        Self::Code,
        Self::Device,
        Self::Driver,
        Self::Pytorch,
        Self::Started,
    ];

    /// The Fluent identifier of its head.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Label => "column-label",
            Self::Code => "column-code",
            Self::Device => "column-device",
            Self::Driver => "column-driver",
            Self::Pytorch => "column-pytorch",
            Self::Started => "column-started",
        }
    }
}

/// Order and filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableState {
    /// The column that orders the rows of a group.
    pub column: Column,
    /// Largest first.
    pub descending: bool,
    /// Words that a row must hold, in any column, whatever their case.
    pub words: String,
    /// Only this group; none shows all.
    pub group: Option<Group>,
    /// Rows of each group that are shown.
    pub shown: Option<usize>,
}

/// What rows are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The first failing layer.
    Fault(Layer),
    /// Passed, and the report could not be saved.
    Unsaved,
    /// Passed.
    Passed,
}

impl Group {
    /// The group of a report.
    pub fn of(report: &Report) -> Self {
        match &report.diagnosis {
            Some(diagnosis) => Self::Fault(diagnosis.layer),
            None if report.status == Status::Passed => Self::Passed,
            None => Self::Unsaved,
        }
    }

    /// Its name for people.
    pub fn text(self, words: &Guidance) -> String {
        match self {
            Self::Fault(layer) => words.text(&word_id("layer", layer.name())),
            Self::Unsaved => words.text("group-failed"),
            Self::Passed => words.text("group-passed"),
        }
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which report it opens.
    pub key: Key,
    /// Its cells, in the order of [`Column::ALL`].
    pub cells: [String; 6],
}

/// A group with its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupView {
    /// Which group.
    pub group: Group,
    /// How many reports it has under the current words.
    pub count: usize,
    /// The first of them.
    pub rows: Vec<Row>,
}

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableView {
    /// How many reports each group has, whatever the filters: for the bar.
    pub totals: Vec<(Group, usize)>,
    /// The groups that are shown, first layer first, passed last.
    pub groups: Vec<GroupView>,
    /// How many rows fit the filters.
    pub matching: usize,
}

/// What a report is called: its label, else its file's name.
pub fn title(opened: &Opened) -> &str {
    opened
        .report
        .attempt
        .label
        .as_deref()
        .unwrap_or(&opened.name)
}

fn cells(opened: &Opened) -> [String; 6] {
    let report = &opened.report;
    let device = report
        .pytorch
        .devices
        .as_ref()
        .and_then(|devices| devices.first())
        .map(|device| device.name.clone());
    let host_device = || {
        let gpus = report.host.as_ref()?.gpus.as_ref()?;
        gpus.first().map(|gpu| gpu.name.clone())
    };
    let pytorch = report
        .pytorch
        .version
        .as_ref()
        .or(report.pytorch.installed_version.as_ref());
    [
        title(opened).to_owned(),
        report.code.name().to_owned(),
        device.or_else(host_device).unwrap_or_default(),
        driver(report).unwrap_or_default(),
        pytorch.cloned().unwrap_or_default(),
        report.attempt.started_at.clone(),
    ]
}

/// The driver's version, wherever the report has it.
pub fn driver(report: &Report) -> Option<String> {
    firstfault_schema::compare::driver_version(report).map(str::to_owned)
}

/// Makes the table.
pub fn table(reports: &[Rc<Opened>], state: &TableState) -> TableView {
    let wanted: Vec<String> = state
        .words
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let mut totals: Vec<(Group, usize)> = Vec::new();
    let mut groups: Vec<(Group, Vec<Row>)> = Vec::new();
    for opened in reports {
        let group = Group::of(&opened.report);
        match totals.iter_mut().find(|(known, _)| *known == group) {
            Some((_, count)) => *count += 1,
            None => totals.push((group, 1)),
        }
        if state.group.is_some_and(|only| only != group) {
            continue;
        }
        let cells = cells(opened);
        if !wanted
            .iter()
            .all(|word| cells.iter().any(|cell| cell.to_lowercase().contains(word)))
        {
            continue;
        }
        let row = Row {
            key: opened.key,
            cells,
        };
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((group, vec![row])),
        }
    }
    let totals = ordered(totals, &|left, right| left.0.cmp(&right.0));
    let groups = ordered(groups, &|left, right| left.0.cmp(&right.0));
    let at = Column::ALL
        .iter()
        .position(|column| *column == state.column)
        .unwrap_or_default();
    let matching = groups.iter().map(|(_, rows)| rows.len()).sum();
    let shown = state.shown.unwrap_or(ROWS_AT_ONCE);
    let groups = groups
        .into_iter()
        .map(|(group, rows)| {
            let mut rows = ordered(rows, &|left, right| {
                let order = natural(&left.cells[at], &right.cells[at]);
                if state.descending {
                    order.reverse()
                } else {
                    order
                }
            });
            let count = rows.len();
            rows.truncate(shown);
            GroupView { group, count, rows }
        })
        .collect();
    TableView {
        totals,
        groups,
        matching,
    }
}

/// Compares text with the numbers in it as numbers, so that `node-9` comes before `node-10`.
fn natural(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.chars().peekable(), right.chars().peekable());
    loop {
        let order = match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit() => {
                number(&mut left).cmp(&number(&mut right))
            }
            (Some(a), Some(b)) => {
                left.next();
                right.next();
                a.to_lowercase().cmp(b.to_lowercase())
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn number(text: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u128 {
    let mut value = 0_u128;
    while let Some(digit) = text.peek().and_then(|digit| digit.to_digit(10)) {
        value = value.saturating_mul(10).saturating_add(u128::from(digit));
        text.next();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_text_sort_as_numbers() {
        assert_eq!(natural("node-9", "node-10"), Ordering::Less);
        assert_eq!(natural("550.54.14", "550.120"), Ordering::Less);
        assert_eq!(natural("Node-9", "node-9"), Ordering::Equal);
        assert_eq!(natural("", "a"), Ordering::Less);
    }
}

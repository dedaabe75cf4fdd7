//! A table as data: heads, and rows of cells.

use super::Tone;

/// A table whose rows each begin with a head of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Heads of the columns, that of the row heads included.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table without the columns that say nothing in any row.
    pub fn without_empty_columns(mut self) -> Self {
        for at in (1..self.heads.len()).rev() {
            let empty = |row: &Vec<Cell>| row.get(at).is_none_or(Cell::is_empty);
            if self.rows.iter().all(empty) {
                self.heads.remove(at);
                for row in self.rows.iter_mut().filter(|row| row.len() > at) {
                    row.remove(at);
                }
            }
        }
        self
    }
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// A second, quiet line.
    pub note: Option<String>,
    /// Colour and icon.
    pub tone: Option<Tone>,
    /// Whether a machine said its note, or else its text.
    pub machine: bool,
}

impl Cell {
    /// A cell with a text alone.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same as a machine said it.
    pub fn machine(text: impl Into<String>) -> Self {
        Self {
            machine: true,
            ..Self::new(text)
        }
    }

    /// Whether it says nothing, so that a narrow screen can do without it.
    pub fn is_empty(&self) -> bool {
        self.tone.is_none() && matches!(self.text.as_str(), "" | "–")
    }

    /// The same with colour and icon.
    pub fn tone(mut self, tone: impl Into<Option<Tone>>) -> Self {
        self.tone = tone.into();
        self
    }

    /// The same with a second line, unless it is empty.
    pub fn note(mut self, note: impl Into<Option<String>>) -> Self {
        self.note = note.into().filter(|note| !note.is_empty());
        self
    }
}

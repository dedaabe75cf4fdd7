//! The points of a contract: every identifier that may stand in a report, in one place.

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{ContractPoint, Scalar};

use super::broken::Broken;

/// A point of the contract. A second output, or a metric, adds its own name after a full stop: `dimension.scores`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The files of the input are there and can be read. Found: a [`Word`], or how many examples.
    InputReadable,
    /// No identifier stands twice in the input. Found: how many different ones.
    InputIdsUnique,
    /// The input's longest example comes near that of the final work. A note: it breaks nothing.
    RepresentativeLongest,
    /// The input's count comes near enough to that of the final work. A note: it breaks nothing.
    RepresentativeCount,
    /// The files were written by this run. Found: a [`Word`], or how many files.
    OutputWritten,
    /// Every record can be read, to the last. Found: true, or the first flaw's [`Word`].
    WellFormed,
    /// As many records as demanded.
    OutputCount,
    /// Each identifier of the input stands in the outputs exactly once. Found: how many do.
    EachIdOnce,
    /// Identifiers of the input that no output has. Only where there are some.
    IdsMissing,
    /// Identifiers that stand in the outputs more than once. Only where there are some.
    IdsRepeated,
    /// Identifiers that the input doesn't have. Only where there are some.
    IdsUnknown,
    /// Every vector has the demanded number of values. Found: the first other number.
    Dimension,
    /// No value is NaN, infinite or null.
    AllFinite,
    /// Every finite value lies within the bounds. Found: the lowest and the highest.
    ValueRange,
    /// Every vector has the length 1. Found: the shortest and the longest.
    UnitNorm,
    /// A number in a file of metrics is within its bounds.
    Metric,
    /// Every loss in the log is finite.
    LossFinite,
    /// The parameters that should have changed did. Found: how many.
    ParametersChanged,
    /// The parameters that should have stayed did. Found: how many.
    ParametersKept,
    /// No parameter is NaN or infinite. Found: how many tensors are finite.
    ParametersFinite,
    /// Every checkpoint can be opened, to its last byte.
    CheckpointOpens,
    /// The model was in the demanded mode.
    ModelMode,
    /// The demanded stages have ended. Found: how many.
    StagesEnded,
}

impl Point {
    /// All points, in the order in which they stand in a report.
    pub const ALL: [Self; 23] = [
        Self::InputReadable,
        Self::InputIdsUnique,
        Self::RepresentativeLongest,
        Self::RepresentativeCount,
        Self::OutputWritten,
        Self::WellFormed,
        Self::OutputCount,
        Self::EachIdOnce,
        Self::IdsMissing,
        Self::IdsRepeated,
        Self::IdsUnknown,
        Self::Dimension,
        Self::AllFinite,
        Self::ValueRange,
        Self::UnitNorm,
        Self::Metric,
        Self::LossFinite,
        Self::ParametersChanged,
        Self::ParametersKept,
        Self::ParametersFinite,
        Self::CheckpointOpens,
        Self::ModelMode,
        Self::StagesEnded,
    ];

    /// The identifier as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InputReadable => "input_readable",
            Self::InputIdsUnique => "input_ids_unique",
            Self::RepresentativeLongest => "representative_longest",
            Self::RepresentativeCount => "representative_count",
            Self::OutputWritten => "output_written",
            Self::WellFormed => "well_formed",
            Self::OutputCount => "output_count",
            Self::EachIdOnce => "each_id_once",
            Self::IdsMissing => "ids_missing",
            Self::IdsRepeated => "ids_repeated",
            Self::IdsUnknown => "ids_unknown",
            Self::Dimension => "dimension",
            Self::AllFinite => "all_finite",
            Self::ValueRange => "value_range",
            Self::UnitNorm => "unit_norm",
            Self::Metric => "metric",
            Self::LossFinite => "loss_finite",
            Self::ParametersChanged => "parameters_changed",
            Self::ParametersKept => "parameters_kept",
            Self::ParametersFinite => "parameters_finite",
            Self::CheckpointOpens => "checkpoint_opens",
            Self::ModelMode => "model_mode",
            Self::StagesEnded => "stages_ended",
        }
    }

    /// Whether it only tells how far the run proves something about the final work.
    pub const fn is_note(self) -> bool {
        matches!(
            self,
            Self::RepresentativeLongest | Self::RepresentativeCount
        )
    }

    /// The point that an identifier of a report names, whatever name stands after its full stop.
    pub fn of(identifier: &str) -> Option<Self> {
        let name = identifier.split('.').next().unwrap_or_default();
        Self::ALL.into_iter().find(|point| point.name() == name)
    }
}

/// What was found, where it is no number. The page and the terminal word it: `contract-word-missing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// Nothing is there.
    Missing,
    /// It is older than this run, so this run didn't write it.
    OlderThanRun,
    /// A folder, a pipe or a device.
    NotAFile,
    /// No byte, or no record.
    Empty,
    /// The system refuses to read it.
    Unreadable,
    /// The bytes are none of the format that the contract names.
    WrongFormat,
    /// It ends in the middle.
    Truncated,
    /// A record is longer than any that is read.
    TooLong,
    /// The text is not UTF-8.
    NotUtf8,
    /// A record lacks its identifier.
    NoId,
    /// A record or file lacks the demanded field.
    NoField,
    /// A field has another type than demanded.
    WrongType,
    /// A field stands twice in one record.
    DuplicateKey,
    /// NaN, infinite or null.
    NotFinite,
    /// A table's cell with nothing in it; `blank = "skip"` in the contract passes over those.
    Blank,
    /// A checksum doesn't fit: bytes have changed.
    Corrupt,
    /// The names or shapes of the two checkpoints differ.
    DifferentShapes,
    /// A pointer of git-lfs instead of the file.
    LfsPointer,
    /// Nothing told it.
    NotTold,
}

impl Word {
    /// All words.
    pub const ALL: [Self; 19] = [
        Self::Missing,
        Self::OlderThanRun,
        Self::NotAFile,
        Self::Empty,
        Self::Unreadable,
        Self::WrongFormat,
        Self::Truncated,
        Self::TooLong,
        Self::NotUtf8,
        Self::NoId,
        Self::NoField,
        Self::WrongType,
        Self::DuplicateKey,
        Self::NotFinite,
        Self::Blank,
        Self::Corrupt,
        Self::DifferentShapes,
        Self::LfsPointer,
        Self::NotTold,
    ];

    /// The word as it stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::OlderThanRun => "older_than_run",
            Self::NotAFile => "not_a_file",
            Self::Empty => "empty",
            Self::Unreadable => "unreadable",
            Self::WrongFormat => "wrong_format",
            Self::Truncated => "truncated",
            Self::TooLong => "too_long",
            Self::NotUtf8 => "not_utf8",
            Self::NoId => "no_id",
            Self::NoField => "no_field",
            Self::WrongType => "wrong_type",
            Self::DuplicateKey => "duplicate_key",
            Self::NotFinite => "not_finite",
            Self::Blank => "blank",
            Self::Corrupt => "corrupt",
            Self::DifferentShapes => "different_shapes",
            Self::LfsPointer => "lfs_pointer",
            Self::NotTold => "not_told",
        }
    }
}

impl From<Word> for Scalar {
    fn from(word: Word) -> Self {
        word.name().into()
    }
}

/// A finite number; none for any other.
pub(super) fn number(value: f64) -> Option<Scalar> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "only whole numbers of this size"
    )]
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some(Scalar::from(value as i64));
    }
    serde_json::Number::from_f64(value).map(Scalar::Number)
}

/// Bounds in the signs that every language reads: `[-1, 1]`, `≥ 0`, `≤ 1`.
pub(super) fn bounds(min: Option<f64>, max: Option<f64>) -> Option<Scalar> {
    let text = match (min, max) {
        (Some(min), Some(max)) => format!("[{}, {}]", short(min), short(max)),
        (Some(min), None) => format!("≥ {}", short(min)),
        (None, Some(max)) => format!("≤ {}", short(max)),
        (None, None) => return None,
    };
    Some(text.into())
}

/// Six significant digits. 0.1 → `0.1`, 1234567.8 → `1.23457e6`, 1 → `1`.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A point whose outcome is passed or failed.
pub(super) fn judged(
    point: Point,
    holds: bool,
    expected: Option<Scalar>,
    found: Option<Scalar>,
) -> ContractPoint {
    let outcome = if holds {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    with(point, outcome, expected, found)
}

/// A point that holds exactly when nothing breaks it.
pub(super) fn counted(
    point: Point,
    broken: &Broken,
    expected: Option<Scalar>,
    found: Option<Scalar>,
) -> ContractPoint {
    ContractPoint {
        broken: Some(broken.count),
        ..judged(point, broken.count == 0, expected, found)
    }
}

/// A point with any outcome.
pub(super) fn with(
    point: Point,
    outcome: Outcome,
    expected: Option<Scalar>,
    found: Option<Scalar>,
) -> ContractPoint {
    ContractPoint {
        point: point.name().to_owned(),
        outcome,
        expected,
        found,
        broken: None,
        examples: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bounds_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (-1.0, "-1"),
            (384.0, "384"),
            (1_234_567.8, "1.23457e6"),
            (0.999_999_94, "1"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!(bounds(Some(-1.0), Some(1.0)), Some("[-1, 1]".into()));
        assert_eq!(bounds(Some(0.0), None), Some("≥ 0".into()));
        assert_eq!(bounds(None, None), None);
        assert_eq!(number(f64::NAN), None);
        assert_eq!(number(384.0), Some(Scalar::from(384_u64)));
    }

    #[test]
    fn a_name_after_the_full_stop_does_not_change_the_point() {
        assert_eq!(Point::of("dimension.scores"), Some(Point::Dimension));
        assert_eq!(Point::of("dimension"), Some(Point::Dimension));
        assert_eq!(Point::of("dimensions"), None);
    }

    #[test]
    fn a_report_tells_the_same_points_to_be_notes() {
        for point in Point::ALL {
            let told = with(point, Outcome::NotProven, None, None);
            assert_eq!(told.is_note(), point.is_note(), "{}", point.name());
        }
    }
}

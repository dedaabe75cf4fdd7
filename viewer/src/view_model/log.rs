//! An explained log, turned into what the page shows of it.

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::Guidance;

use super::{ActionView, action};

/// A fault that a log tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedFault {
    /// Its title.
    pub title: String,
    /// Its layer.
    pub layer: String,
    /// Who must act.
    pub owner: String,
    /// Its identifier.
    pub signature: String,
    /// Where it is told.
    pub line: Option<String>,
    /// The line, cleaned.
    pub message: String,
    /// What misleads about it.
    pub misleads: Option<String>,
    /// What to do.
    pub actions: Vec<ActionView>,
}

/// An explained log.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedView {
    /// How many faults there are.
    pub summary: String,
    /// The faults, the first cause first.
    pub faults: Vec<ExplainedFault>,
}

/// What a log says.
pub fn explained(explained: &crate::state::Explained, words: &Guidance) -> ExplainedView {
    #[allow(clippy::cast_precision_loss, reason = "a handful of faults")]
    let count = explained.faults.len() as f64;
    let mut summary = words.text_with("log-faults", &[("count", count.into())]);
    if let Some(name) = &explained.name {
        summary = format!("{name}: {summary}");
    }
    let faults = explained.faults.iter().map(|fault| ExplainedFault {
        title: words
            .find(&word_id("fault", &fault.signature), &[])
            .unwrap_or_else(|| {
                words.text(&word_id(
                    "layer",
                    &format!("{}-meaning", fault.layer.name()),
                ))
            }),
        layer: words.text(&word_id("layer", fault.layer.name())),
        owner: words.text(&word_id("owner", fault.owner.name())),
        signature: fault.signature.clone(),
        line: (fault.line > 0)
            .then(|| words.text_with("log-line", &[("line", fault.line.to_string().into())])),
        message: fault.message.clone(),
        misleads: words.find(
            &word_id("fault", &format!("{}-misleads", fault.signature)),
            &[],
        ),
        actions: fault.actions.iter().map(|id| action(id, words)).collect(),
    });
    ExplainedView {
        summary,
        faults: faults.collect(),
    }
}

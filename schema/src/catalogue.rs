//! The catalogue of known faults: what to match, which layer and owner, and what to do.
//!
//! The data stands in `catalogue/*.toml`, one file a layer, and is turned into constants when this crate is built.

use std::borrow::Cow;

use crate::report::{Evidence, Layer, Owner, Scalar};

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// The signature of a fault that the catalogue does not hold.
pub const UNKNOWN: &str = "unknown";

/// How narrow an entry is: of two that fit the same line, the narrower one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Words of a field beside the words of a failure: only the layer is known, and only where nothing else fits.
    Soft,
    /// A whole family of messages, such as any `undefined symbol`.
    Generic,
    /// One kind of fault.
    Kind,
    /// A kind under particular circumstances.
    Special,
}

/// One kind of fault.
#[derive(Debug)]
pub struct Entry {
    /// Identifier in kebab-case: the signature in reports, and `fault-` before it the text for people.
    pub id: &'static str,
    /// The layer that fails.
    pub layer: Layer,
    /// Who must act.
    pub owner: Owner,
    /// How narrow it is.
    pub tier: Tier,
    /// Any of these in a line is the fault.
    pub patterns: &'static [Pattern],
    /// All of these must be known to hold.
    pub needs: &'static [Condition],
    /// Each of these speaks for the fault when it holds and against it when it does not.
    pub favours: &'static [Condition],
    /// Any of these groups is the fault without any text.
    pub facts: &'static [&'static [Condition]],
    /// Under these conditions the layer or the owner is another.
    pub changes: &'static [Change],
    /// This fault follows from these: identifiers, layers (`layer:driver`), or any other fault (`*`).
    pub after: &'static [&'static str],
    /// Entries that the same text fits.
    pub also: &'static [&'static str],
    /// The message points the wrong way, and `fault-…-misleads` says how.
    pub misleads: bool,
    /// The public report or document that this entry rests on.
    pub source: &'static str,
    /// What to do, first things first.
    pub actions: &'static [&'static str],
}

/// Tokens of one line, lower case and with every quote as `'`.
#[derive(Debug)]
pub struct Pattern {
    /// All of these stand in the line.
    pub has: &'static [&'static str],
    /// None of these does.
    pub has_not: &'static [&'static str],
    /// The line must also look like a failure.
    pub failure: bool,
    /// The line must not be one of mild level: a warning, or information.
    pub plain: bool,
    /// The part that healthy logs hold least, without quotes: what a search looks for. Empty where `failure` is set.
    pub anchor: &'static str,
    /// Where in `anchor` its rarest letters begin.
    pub rarest: usize,
}

/// Another layer or owner under conditions.
#[derive(Debug)]
pub struct Change {
    /// All of these must hold.
    pub when: &'static [Condition],
    /// The layer then.
    pub layer: Option<Layer>,
    /// The owner then.
    pub owner: Option<Owner>,
}

/// A comparison with a fact.
#[derive(Debug)]
pub struct Condition {
    /// Identifier of the fact.
    pub fact: &'static str,
    /// How to compare.
    pub relation: Relation,
    /// With what: any of these for `Is`, none of these for `Not`, the first for the others.
    pub values: &'static [&'static str],
}

/// How a fact is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal to any.
    Is,
    /// Equal to none.
    Not,
    /// Less than.
    Below,
    /// Less than or equal to.
    AtMost,
    /// Greater than.
    Above,
    /// Greater than or equal to.
    AtLeast,
}

/// A fact that a line of text tells.
#[derive(Debug)]
pub struct Clue {
    /// Any of these in a line tells it.
    pub patterns: &'static [Pattern],
    /// Identifier of the fact.
    pub fact: &'static str,
    /// Its value; `@version` for the first version after the token.
    pub value: &'static str,
}

/// Something to do.
#[derive(Debug)]
pub struct Action {
    /// Identifier in kebab-case; `action-` before it is the text for people.
    pub id: &'static str,
    /// Who can do it.
    pub owner: Owner,
    /// A command that does it or shows more, the same in every language.
    pub command: Option<&'static str>,
}

/// The entry with this identifier.
pub fn find(id: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.id == id)
}

/// The action with this identifier.
pub fn action(id: &str) -> Option<&'static Action> {
    ACTIONS.iter().find(|action| action.id == id)
}

/// What is known about an attempt or a machine, by identifier of the fact.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    values: Vec<(&'static str, Scalar)>,
}

impl Facts {
    /// Learns a fact. What was learnt first stays.
    pub fn learn(&mut self, fact: &'static str, value: impl Into<Scalar>) {
        if self.get(fact).is_none() {
            self.values.push((fact, value.into()));
        }
    }

    /// The value of a fact, where it is known.
    pub fn get(&self, fact: &str) -> Option<&Scalar> {
        self.values
            .iter()
            .find(|(known, _)| *known == fact)
            .map(|(_, value)| value)
    }

    /// Learns every fact of the list whose value is allowed.
    pub fn learn_evidence(&mut self, evidence: &[Evidence]) {
        for item in evidence {
            if let Some(fact) = crate::facts::find(&item.fact)
                && crate::facts::is_allowed(&item.fact, &item.value)
            {
                self.learn(fact.id, item.value.clone());
            }
        }
    }

    /// Whether the condition holds; none where the fact is not known.
    pub fn holds(&self, condition: &Condition) -> Option<bool> {
        let value = match self.get(condition.fact)? {
            Scalar::Text(text) => Cow::Borrowed(text.as_str()),
            Scalar::Bool(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Scalar::Number(number) => Cow::Owned(number.to_string()),
        };
        let first = condition.values.first().copied().unwrap_or_default();
        let order = || compare_versions(&value, first);
        match condition.relation {
            Relation::Is => Some(condition.values.contains(&value.as_ref())),
            Relation::Not => Some(!condition.values.contains(&value.as_ref())),
            Relation::Below => order().map(std::cmp::Ordering::is_lt),
            Relation::AtMost => order().map(std::cmp::Ordering::is_le),
            Relation::Above => order().map(std::cmp::Ordering::is_gt),
            Relation::AtLeast => order().map(std::cmp::Ordering::is_ge),
        }
    }

    /// Whether every condition is known to hold.
    pub fn all_hold(&self, conditions: &[Condition]) -> bool {
        conditions
            .iter()
            .all(|condition| self.holds(condition) == Some(true))
    }
}

/// Compares whole numbers and dotted versions part by part; none where one of them is neither.
/// A suffix after the numbers (`2.4.0+cu121`) does not count.
fn compare_versions(left: &str, right: &str) -> Option<std::cmp::Ordering> {
    let parts = |text: &str| -> Option<Vec<u64>> {
        let end = text
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(text.len());
        let numbers = text[..end].trim_end_matches('.');
        numbers.split('.').map(|part| part.parse().ok()).collect()
    };
    let (mut left, mut right) = (parts(left)?, parts(right)?);
    let longest = left.len().max(right.len());
    left.resize(longest, 0);
    right.resize(longest, 0);
    Some(left.cmp(&right))
}

/// The language-neutral command of an action, ready to be copied; none where there is none.
pub fn command(action_id: &str) -> Option<&'static str> {
    action(action_id).and_then(|action| action.command)
}

impl Entry {
    /// Whether the judgement may rest on this fact: a condition of this entry asks it.
    pub fn asks(&self, fact: &str) -> bool {
        let groups = self.facts.iter().copied().chain([self.needs, self.favours]);
        groups
            .chain(self.changes.iter().map(|change| change.when))
            .flatten()
            .any(|condition| condition.fact == fact)
    }
}

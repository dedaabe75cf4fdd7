//! The catalogue is whole: every reference in it leads somewhere, and everything has its words in every language.

use std::collections::HashSet;

use firstfault_schema::catalogue::{self, ACTIONS, ENTRIES, Tier, UNKNOWN};
use firstfault_schema::diagnosis::{ATTEMPT_FACTS, usual_actions};
use firstfault_schema::facts::{self, Kind};
use firstfault_schema::guidance::Language;
use firstfault_schema::report::Layer;

/// Facts that a pasted text tells and no check collects.
const TOLD_FACTS: &[&str] = &[
    "collected_available",
    "collected_cuda",
    "collected_rocm",
    "collected_driver",
    "collected_gpus",
    "collected_torch",
    "connection",
];

fn is_kebab(id: &str) -> bool {
    !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !id.starts_with('-')
        && !id.ends_with('-')
}

#[test]
fn identifiers_are_unique_kebab_case() {
    let mut seen = HashSet::from([UNKNOWN]);
    for entry in ENTRIES {
        assert!(is_kebab(entry.id), "{}", entry.id);
        assert!(seen.insert(entry.id), "{} stands twice", entry.id);
    }
    let mut seen = HashSet::new();
    for action in ACTIONS {
        assert!(is_kebab(action.id), "{}", action.id);
        assert!(seen.insert(action.id), "{} stands twice", action.id);
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for entry in ENTRIES {
        assert!(
            !entry.patterns.is_empty() || !entry.facts.is_empty(),
            "{} matches nothing",
            entry.id
        );
        assert!(!entry.source.is_empty(), "{} rests on nothing", entry.id);
        for id in entry.actions {
            assert!(
                catalogue::action(id).is_some(),
                "{}: no action {id}",
                entry.id
            );
        }
        for id in entry.also {
            assert!(catalogue::find(id).is_some(), "{}: no entry {id}", entry.id);
        }
        for cause in entry.after {
            let known = *cause == "*"
                || catalogue::find(cause).is_some()
                || cause
                    .strip_prefix("layer:")
                    .is_some_and(|name| Layer::ALL.iter().any(|layer| layer.name() == name));
            assert!(
                known,
                "{}: follows from nothing that is called {cause}",
                entry.id
            );
        }
    }
    for layer in Layer::ALL {
        for id in usual_actions(layer) {
            assert!(
                catalogue::action(id).is_some(),
                "{}: no action {id}",
                layer.name()
            );
        }
    }
}

#[test]
fn conditions_ask_for_facts_that_exist_and_values_that_they_may_have() {
    for entry in ENTRIES {
        let changes = entry.changes.iter().flat_map(|change| change.when);
        let alone = entry.facts.iter().flat_map(|all| all.iter());
        for condition in entry
            .needs
            .iter()
            .chain(entry.favours)
            .chain(alone)
            .chain(changes)
        {
            let fact = condition.fact;
            if ATTEMPT_FACTS.contains(&fact) || TOLD_FACTS.contains(&fact) {
                continue;
            }
            let known = facts::find(fact).unwrap_or_else(|| panic!("{}: no fact {fact}", entry.id));
            for value in condition.values {
                let fits = match known.kind {
                    Kind::Word(words) => words.contains(value),
                    Kind::Flag => matches!(*value, "true" | "false"),
                    Kind::Count | Kind::Bytes => value.parse::<u64>().is_ok(),
                    Kind::Version | Kind::Architecture | Kind::Libraries => true,
                };
                assert!(fits, "{}: {fact} is never {value}", entry.id);
            }
        }
    }
}

#[test]
fn every_layer_has_kinds_and_a_fallback() {
    for layer in Layer::ALL {
        let of_layer: Vec<_> = ENTRIES
            .iter()
            .filter(|entry| entry.layer == layer)
            .collect();
        assert!(
            of_layer.iter().any(|entry| entry.tier >= Tier::Kind),
            "{}",
            layer.name()
        );
        assert!(
            of_layer.iter().any(|entry| entry.tier == Tier::Soft),
            "{}",
            layer.name()
        );
    }
}

#[test]
fn every_fault_action_and_fact_has_its_words_in_every_language() {
    for language in Language::ALL {
        let source = language
            .resources()
            .into_iter()
            .find(|(name, _)| *name == "faults.ftl")
            .map(|(_, source)| source)
            .unwrap_or_default();
        let known: HashSet<&str> = source
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .map(|(id, _)| id)
            .collect();
        let mut wanted: Vec<String> = vec!["fault-unknown".to_owned()];
        for entry in ENTRIES {
            wanted.push(format!("fault-{}", entry.id));
            if entry.misleads {
                wanted.push(format!("fault-{}-misleads", entry.id));
            }
        }
        wanted.extend(ACTIONS.iter().map(|action| format!("action-{}", action.id)));
        wanted.extend(
            facts::ALL
                .iter()
                .map(|fact| format!("fact-{}", fact.id.replace('_', "-"))),
        );
        let missing: Vec<_> = wanted
            .iter()
            .filter(|id| !known.contains(id.as_str()))
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?}", language.tag());
    }
}

//! Every language has every text, with the same variables, and every text that the code can ask for exists.

use std::collections::{BTreeMap, BTreeSet};

use firstfault_schema::compare::word_id;
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::report::{Layer, Owner, Stage, WitnessAnswer};
use firstfault_schema::{Code, DecisionId, Outcome};
use fluent_bundle::FluentResource;

/// Each text's identifier with the variables that it uses.
fn texts(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts = BTreeMap::new();
    for (file, source) in language.resources() {
        let resource = FluentResource::try_new(source.to_owned())
            .unwrap_or_else(|(_, errors)| panic!("{}/{file}: {errors:?}", language.tag()));
        // The entries borrow no text that tells identifiers in public types, so the source is read by lines: an
        // entry begins at the start of a line, and everything indented after it belongs to it.
        let count = resource.entries().count();
        let mut found = 0;
        let mut current = None;
        for line in source.lines() {
            if line.starts_with('#') {
                found += 1;
                continue;
            }
            if let Some((id, _)) = line
                .split_once(" =")
                .filter(|(id, _)| !id.contains([' ', '{']))
            {
                found += 1;
                let known = texts.insert(id.to_owned(), BTreeSet::new());
                assert!(
                    known.is_none(),
                    "{}: {id} stands there twice",
                    language.tag()
                );
                current = Some(id.to_owned());
            }
            if let Some(variables) = current.as_ref().and_then(|id| texts.get_mut(id)) {
                variables.extend(line.match_indices('$').map(|(at, _)| {
                    line[at + 1..]
                        .chars()
                        .take_while(|character| {
                            character.is_ascii_alphanumeric() || *character == '_'
                        })
                        .collect::<String>()
                }));
            }
        }
        // Comments of several lines are one entry, so the lines may only be more.
        assert!(
            found >= count,
            "{}/{file}: an entry was overlooked",
            language.tag()
        );
    }
    texts
}

#[test]
fn all_languages_have_the_same_texts_with_the_same_variables() {
    let english = texts(Language::English);
    for language in [Language::German, Language::Turkish] {
        let other = texts(language);
        let missing: Vec<_> = english
            .keys()
            .filter(|id| !other.contains_key(*id))
            .collect();
        let extra: Vec<_> = other
            .keys()
            .filter(|id| !english.contains_key(*id))
            .collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{}: missing {missing:?}, extra {extra:?}",
            language.tag()
        );
        for (id, variables) in &english {
            assert_eq!(&other[id], variables, "{}: {id}", language.tag());
        }
    }
}

#[test]
fn every_word_of_the_format_has_a_text_in_every_language() {
    let mut wanted: Vec<String> = Vec::new();
    wanted.extend(Code::ALL.map(|code| word_id("code", code.name())));
    for layer in Layer::ALL {
        wanted.push(word_id("layer", layer.name()));
        wanted.push(format!("layer-{}-meaning", layer.name()));
    }
    for owner in [Owner::Host, Owner::Image, Owner::Package, Owner::Program] {
        wanted.push(word_id("owner", owner.name()));
        wanted.push(format!("owner-{}-meaning", owner.name()));
    }
    wanted.extend(Stage::ALL.map(|stage| word_id("stage", stage.name())));
    for decision in DecisionId::ALL {
        wanted.extend(
            ["", "-passes", "-fails", "-permits"]
                .map(|part| format!("decision-{}{part}", decision.name())),
        );
    }
    let outcomes = [
        Outcome::Passed,
        Outcome::PassedCpuOnly,
        Outcome::Failed,
        Outcome::NotReached,
        Outcome::NotRequested,
        Outcome::NotProven,
    ];
    wanted.extend(outcomes.map(|outcome| word_id("outcome", outcome.name())));
    let answers = [
        WitnessAnswer::Agrees,
        WitnessAnswer::Disagrees,
        WitnessAnswer::Incompatible,
        WitnessAnswer::MissingLibrary,
        WitnessAnswer::NotBuilt,
        WitnessAnswer::NotRun,
        WitnessAnswer::NoAnswer,
        WitnessAnswer::Decided,
    ];
    wanted.extend(answers.map(|answer| word_id("witness", answer.name())));
    for language in Language::ALL {
        let own = texts(language);
        let guidance = Guidance::new(language);
        for id in &wanted {
            assert!(own.contains_key(id), "{}: {id} is missing", language.tag());
            assert_ne!(guidance.text(id), *id);
        }
    }
}

#[test]
fn plurals_follow_the_language() {
    for (language, one, many) in [
        (
            Language::English,
            "One field unchanged, show it",
            "41 fields unchanged, show them",
        ),
        (
            Language::German,
            "Ein Feld unverändert, zeigen",
            "41 Felder unverändert, zeigen",
        ),
        (
            Language::Turkish,
            "Bir alan değişmedi, göster",
            "41 alan değişmedi, göster",
        ),
    ] {
        let guidance = Guidance::new(language);
        assert_eq!(
            guidance.text_with("unchanged-count", &[("count", 1.into())]),
            one
        );
        assert_eq!(
            guidance.text_with("unchanged-count", &[("count", 41.into())]),
            many
        );
    }
}

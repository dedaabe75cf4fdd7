//! Localised text for people, from the Fluent files in `locales/`, for the terminal and the page alike.

use std::borrow::Cow;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::compare::word_id;

/// A language that FirstFault speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
    /// Turkish.
    Turkish,
}

impl Language {
    /// Every language, English first.
    pub const ALL: [Self; 3] = [Self::English, Self::German, Self::Turkish];

    /// The BCP 47 primary tag: `en`, `de` or `tr`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Turkish => "tr",
        }
    }

    /// Picks a language from a locale such as `de_AT.UTF-8` or `tr`; none for any other.
    pub fn from_locale(locale: &str) -> Option<Self> {
        let primary = locale
            .split(['-', '_', '.', '@'])
            .next()
            .unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|language| primary.eq_ignore_ascii_case(language.tag()))
    }

    /// The Fluent files of this language, by name.
    pub fn resources(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        macro_rules! file {
            ($tag:literal, $name:literal) => {
                (
                    $name,
                    include_str!(concat!("../locales/", $tag, "/", $name)),
                )
            };
        }
        macro_rules! files {
            ($tag:literal) => {
                &[
                    file!($tag, "report.ftl"),
                    file!($tag, "faults.ftl"),
                    file!($tag, "page.ftl"),
                    file!($tag, "terminal.ftl"),
                ]
            };
        }
        let files: &'static [(&'static str, &'static str)] = match self {
            Self::English => files!("en"),
            Self::German => files!("de"),
            Self::Turkish => files!("tr"),
        };
        files.iter().copied()
    }
}

/// The texts of one language, with English behind it.
pub struct Guidance {
    language: Language,
    bundles: Vec<FluentBundle<FluentResource>>,
}

impl Guidance {
    /// Loads the texts of `language`.
    pub fn new(language: Language) -> Self {
        let mut order = vec![language];
        if language != Language::English {
            order.push(Language::English);
        }
        Self {
            language,
            bundles: order.into_iter().map(bundle).collect(),
        }
    }

    /// The language that was asked for.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// The text of `id`, or the identifier itself where no file has it.
    pub fn text(&self, id: &str) -> String {
        self.text_with(id, &[])
    }

    /// The text of `id` with its variables filled in.
    pub fn text_with(&self, id: &str, values: &[(&str, FluentValue<'_>)]) -> String {
        self.find(id, values).unwrap_or_else(|| id.to_owned())
    }

    /// The text of `id`; none where no file has it.
    pub fn find(&self, id: &str, values: &[(&str, FluentValue<'_>)]) -> Option<String> {
        let mut arguments = FluentArgs::new();
        for (name, value) in values {
            arguments.set(Cow::Owned((*name).to_owned()), value.clone());
        }
        self.bundles.iter().find_map(|bundle| {
            let pattern = bundle.get_message(id)?.value()?;
            let mut errors = Vec::new();
            Some(
                bundle
                    .format_pattern(pattern, Some(&arguments), &mut errors)
                    .into_owned(),
            )
        })
    }

    /// The name of a contract's point, with that of its output or metric behind it; none for an unknown point.
    pub fn contract_point(&self, identifier: &str) -> Option<String> {
        let (point, of) = match identifier.split_once('.') {
            Some((point, of)) => (point, Some(of)),
            None => (identifier, None),
        };
        let name = self.find(&word_id("contract", point), &[])?;
        Some(of.map_or_else(|| name.clone(), |of| format!("{name}: {of}")))
    }

    /// What was found at a contract's point, where a word of the format stands for it; any other text as it is.
    pub fn contract_value(&self, found: &str) -> String {
        self.find(&word_id("contract-word", found), &[])
            .unwrap_or_else(|| found.to_owned())
    }
}

/// The texts as the page carries them: without the terminal's, and smaller, since every identifier stands there once.
#[cfg(any(test, target_family = "wasm"))]
mod packed {
    include!(concat!(env!("OUT_DIR"), "/texts.rs"));

    /// One Fluent file with every text of `language`.
    pub(super) fn source(language: super::Language) -> String {
        let values = match language {
            super::Language::English => ENGLISH,
            super::Language::German => GERMAN,
            super::Language::Turkish => TURKISH,
        };
        let mut identifiers = IDENTIFIERS.lines();
        let mut source = String::with_capacity(IDENTIFIERS.len() + 2 * values.len());
        for line in values.split('\n') {
            if !line.starts_with(' ') {
                source.push_str(identifiers.next().unwrap_or_default());
                source.push_str(" = ");
            }
            source.push_str(line);
            source.push('\n');
        }
        source
    }
}

#[cfg(target_family = "wasm")]
fn sources(language: Language) -> impl Iterator<Item = String> {
    std::iter::once(packed::source(language))
}

#[cfg(not(target_family = "wasm"))]
fn sources(language: Language) -> impl Iterator<Item = String> {
    language.resources().map(|(_, source)| source.to_owned())
}

fn bundle(language: Language) -> FluentBundle<FluentResource> {
    filled(language, sources(language))
}

fn filled(
    language: Language,
    sources: impl Iterator<Item = String>,
) -> FluentBundle<FluentResource> {
    let identifier: LanguageIdentifier = language.tag().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![identifier]);
    // Isolation marks would be copied along with commands and break them.
    bundle.set_use_isolating(false);
    for source in sources {
        let resource = FluentResource::try_new(source).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_carries_every_text_but_the_terminals() {
        for language in Language::ALL {
            let files = language
                .resources()
                .filter(|(name, _)| *name != "terminal.ftl")
                .map(|(_, source)| source.to_owned());
            let (packed, files) = (
                filled(language, std::iter::once(packed::source(language))),
                filled(language, files),
            );
            let identifiers: Vec<&str> = packed::IDENTIFIERS.lines().collect();
            assert!(identifiers.len() > 900);
            for id in identifiers {
                let value = |bundle: &FluentBundle<FluentResource>| {
                    let pattern = bundle.get_message(id).and_then(|message| message.value());
                    pattern.map(|pattern| format!("{pattern:?}"))
                };
                let found = value(&packed);
                assert!(found.is_some(), "{}: {id}", language.tag());
                assert_eq!(found, value(&files), "{}: {id}", language.tag());
            }
        }
    }
}

//! The part of the address after `#`: a view that can be returned to. Pure.

/// A view, named by the identifiers of its attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// The place to open something.
    Start,
    /// All reports.
    Many,
    /// One report.
    One(String),
    /// Baseline and candidate.
    Compare(String, String),
}

impl Link {
    /// Reads a fragment, with or without its `#`; none where it is no view.
    pub fn parse(fragment: &str) -> Option<Self> {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        let identifier = |text: &str| {
            let fits = !text.is_empty()
                && text.len() <= 64
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            fits.then(|| text.to_owned())
        };
        match fragment.split_once('=') {
            Some(("report", id)) => identifier(id).map(Self::One),
            Some(("compare", ids)) => {
                let (baseline, candidate) = ids.split_once(',')?;
                Some(Self::Compare(identifier(baseline)?, identifier(candidate)?))
            }
            None if fragment == "all" => Some(Self::Many),
            None if fragment.is_empty() => Some(Self::Start),
            _ => None,
        }
    }

    /// The fragment, with its `#`; empty for the start.
    pub fn fragment(&self) -> String {
        match self {
            Self::Start => String::new(),
            Self::Many => "#all".to_owned(),
            Self::One(id) => format!("#report={id}"),
            Self::Compare(baseline, candidate) => format!("#compare={baseline},{candidate}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_comes_back_as_it_was() {
        for link in [
            Link::Start,
            Link::Many,
            Link::One("a1".to_owned()),
            Link::Compare("a1".to_owned(), "b2".to_owned()),
        ] {
            assert_eq!(Link::parse(&link.fragment()), Some(link));
        }
    }

    #[test]
    fn anything_else_is_no_view() {
        for fragment in [
            "#report=",
            "#report=<b>",
            "#compare=a",
            "#elsewhere",
            "#compare=a,b,c",
        ] {
            assert_eq!(Link::parse(fragment), None, "{fragment}");
        }
    }
}

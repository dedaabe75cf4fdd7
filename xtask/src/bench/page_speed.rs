//! The page in Chromium, beside the comparison page of Lighthouse CI: by turns in one session, so that a busy moment
//! meets both alike.

use serde_json::Value;

use super::{Bench, Limit, Row};
use crate::error::Error;
use crate::programs::npm_ci;
use crate::project::answer;
use crate::test::chromium;

/// What is a multiple of the peer's time for the same, with its limit.
const BESIDE: [(&str, &str, f64); 2] = [
    ("the page's first paint", "first_paint", 1.5),
    ("comparing two reports", "compare", 0.6),
];

/// The page's own deeds, as multiples of the peer's comparison: that takes longer where a machine is slow or busy.
const OWN: [(&str, &str, f64); 3] = [
    ("opening one report", "/one_report", 0.6),
    (
        "10 000 reports, the longest task",
        "/many/longest_task",
        0.6,
    ),
    ("10 000 reports, until all are there", "/many/ms", 40.0),
];

/// One row for each.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let browser = chromium(bench.project, bench.progress)?;
    let peers = bench.project.target().join("xtask/page-peers");
    npm_ci(
        bench.project,
        bench.progress,
        &bench.project.root().join("xtask/page-peers"),
        &peers,
        "the comparison page of Lighthouse CI",
    )?;
    bench
        .progress
        .note(&format!("{} pairs in Chromium", bench.pairs));
    let mut node = bench.project.command("node");
    node.current_dir(bench.project.root().join("tests/browser"))
        .args(["peers.mjs", &bench.pairs.to_string()])
        .env("FIRSTFAULT_PEERS", &peers)
        .env("FIRSTFAULT_PAGE", &bench.page)
        .envs([browser]);
    let said = answer(&mut node)?;
    let times: Value = serde_json::from_str(said.trim()).map_err(|error| unexpected(&error))?;
    let number = |place: &str| {
        times
            .pointer(place)
            .and_then(Value::as_f64)
            .ok_or_else(|| unexpected(&format!("no number at {place}: {said}")))
    };
    let mut rows = Vec::new();
    for (name, field, most) in BESIDE {
        let (page_ms, peer_ms) = (
            number(&format!("/{field}/page"))?,
            number(&format!("/{field}/peer"))?,
        );
        rows.push(Row {
            name: format!("{name}, beside LHCI's"),
            measured: page_ms / peer_ms,
            unit: "x",
            limit: Limit::AtMost(most),
            detail: format!(
                "medians {page_ms:.0} ms and {peer_ms:.0} ms of {} pairs",
                bench.pairs
            ),
        });
    }
    let peer_ms = number("/compare/peer")?;
    for (name, place, most) in OWN {
        let page_ms = number(place)?;
        rows.push(Row {
            name: format!("{name}, beside LHCI's comparison of two"),
            measured: page_ms / peer_ms,
            unit: "x",
            limit: Limit::AtMost(most),
            detail: format!("{page_ms:.0} ms and {peer_ms:.0} ms"),
        });
    }
    Ok(rows)
}

fn unexpected(problem: &dyn std::fmt::Display) -> Error {
    Error::Answer {
        program: "peers.mjs".to_owned(),
        answer: problem.to_string(),
    }
}

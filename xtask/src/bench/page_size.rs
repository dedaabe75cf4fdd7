//! The size of the page: it is sent by mail and opened on a phone.

use std::fs;

use super::{Bench, Limit, Row};
use crate::error::Error;

/// One row: the page without reports.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let bytes = fs::metadata(&bench.page)
        .map_err(Error::file("read", &bench.page))?
        .len();
    Ok(vec![Row {
        name: "the page, one file".to_owned(),
        // No page has 2^52 bytes.
        measured: bytes as f64 / 1000.0,
        unit: "kB",
        limit: Limit::AtMost(600.0),
        detail: format!("{bytes} bytes"),
    }])
}

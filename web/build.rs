//! Embeds the built page, where there is one.
#![allow(
    clippy::print_stdout,
    reason = "this is how a build script speaks to cargo"
)]

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("dist")
        .join("index.html");
    let value = if page.is_file() {
        println!("cargo::rerun-if-changed=dist/index.html");
        format!("Some(include_str!({page:?}))")
    } else {
        // A missing file would make cargo run this script every time; its appearance changes the folder.
        println!("cargo::rerun-if-changed=.");
        "None".to_owned()
    };
    fs::write(
        Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("page.rs"),
        value,
    )
}

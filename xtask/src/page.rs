//! The page: the viewer compiled, bound, made small and packed into one HTML file.

use std::fs;
use std::path::{Path, PathBuf};

use firstfault_web::{Parts, pack};
use wasm_bindgen_cli_support::Bindgen;

use crate::error::Error;
use crate::files::{Contents, Stamp, remove, write_whole};
use crate::progress::{Progress, Step};
use crate::project::{Project, on_path};
use crate::{programs, wasm};

/// Not `--all-features`: browsers refuse what binaryen then makes of the imports.
const OPTIMISE: [&str; 7] = [
    "-Oz",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-reference-types",
];

/// Makes sure that the page is built from what is there now; gives its place.
///
/// A page that needs no change is left alone, since the program that embeds it would be built anew.
pub(crate) fn build(project: &Project, progress: &Progress) -> Result<PathBuf, Error> {
    let page = project.root().join("web/dist/index.html");
    let module = wasm::viewer(project, progress)?.module;
    let optimiser = optimiser(project, progress)?;
    let made_from = Contents::default()
        .path(&module, &[])?
        .path(&project.root().join("web"), &["dist"])?
        .text(if optimiser.is_some() {
            "small"
        } else {
            "as it is"
        })
        .text(&OPTIMISE.join(" "))
        .text(include_str!("page.rs"))
        .digest();
    let stamp = Stamp::at(project.target().join("xtask/page.stamp"));
    if page.is_file() && stamp.says(&with_result(&made_from, &page)?) {
        return Ok(page);
    }
    progress.heading("bind and pack the page");
    let (bytes, glue) = bind(&module)?;
    let bytes = match optimiser {
        Some(wasm_opt) => make_small(project, progress, &wasm_opt, &bytes)?,
        None => bytes,
    };
    write_whole(
        &page,
        pack(
            &Parts {
                wasm: &bytes,
                glue: &glue,
            },
            &[],
        )
        .as_bytes(),
    )?;
    stamp.write(&with_result(&made_from, &page)?)?;
    let size = fs::metadata(&page)
        .map_err(Error::file("read", &page))?
        .len();
    progress.note(&format!("the page has {} kB", size / 1000));
    Ok(page)
}

fn with_result(made_from: &str, page: &Path) -> Result<String, Error> {
    Ok(Contents::default()
        .text(made_from)
        .path(page, &[])?
        .digest())
}

/// wasm-bindgen's two results: the module, and the JavaScript that starts it.
///
/// Without modules, it refuses a dependency that brings JavaScript files of its own.
fn bind(module: &Path) -> Result<(Vec<u8>, String), Error> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true);
    let mut output = bindgen
        .no_modules(true)
        .and_then(|bindgen| bindgen.generate_output())
        .map_err(|error| Error::Page {
            problem: format!("wasm-bindgen: {error:#}"),
        })?;
    let bytes = output.wasm_mut().emit_wasm();
    Ok((bytes, output.js().to_owned()))
}

/// `wasm-opt` of the npm package binaryen. Only smaller, so it may be missing.
fn optimiser(project: &Project, progress: &Progress) -> Result<Option<PathBuf>, Error> {
    if on_path("node").is_none() || on_path("npm").is_none() {
        progress.note(
            "node and npm are not there: the page is built without wasm-opt, about a tenth larger",
        );
        return Ok(None);
    }
    let folder = project.target().join("xtask/wasm-opt");
    let source = project.root().join("xtask/wasm-opt");
    if let Err(error) = programs::npm_ci(project, progress, &source, &folder, "wasm-opt") {
        progress.note(&format!(
            "the page is built without wasm-opt, about a tenth larger: {error}"
        ));
        return Ok(None);
    }
    Ok(Some(folder.join("node_modules/binaryen/bin/wasm-opt")))
}

fn make_small(
    project: &Project,
    progress: &Progress,
    wasm_opt: &Path,
    bytes: &[u8],
) -> Result<Vec<u8>, Error> {
    let folder = project.target().join("xtask");
    let (large, small) = (folder.join("bound.wasm"), folder.join("small.wasm"));
    write_whole(&large, bytes)?;
    let mut command = project.command("node");
    command
        .arg(wasm_opt)
        .args(OPTIMISE)
        .arg(&large)
        .arg("-o")
        .arg(&small);
    progress.run(project, Step::new("make the page small", command))?;
    let result = fs::read(&small).map_err(Error::file("read", &small))?;
    remove(&large)?;
    remove(&small)?;
    Ok(result)
}

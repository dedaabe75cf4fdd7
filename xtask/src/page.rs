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

/// What makes the packed page smaller. `-Oz` makes the module smaller and the page larger: it moves functions and
/// takes data apart, so that less of what is alike lies close together.
///
/// Not `--all-features`: browsers refuse what binaryen then makes of the imports.
const OPTIMISE: [&str; 16] = [
    "--duplicate-function-elimination",
    "--vacuum",
    "--dce",
    "--remove-unused-brs",
    "--remove-unused-names",
    "--merge-blocks",
    "--optimize-instructions",
    "--remove-unused-module-elements",
    "--dae-optimizing",
    "--duplicate-function-elimination",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-reference-types",
];

/// Said where the tools that make the page small are missing.
const LARGER: &str = "the page becomes about a tenth larger than it could be";

/// Makes sure that the page is built from what is there now; gives its place.
///
/// A page that needs no change is left alone, since the program that embeds it would be built anew.
pub(crate) fn build(project: &Project, progress: &Progress) -> Result<PathBuf, Error> {
    let page = project.root().join("web/dist/index.html");
    let module = wasm::viewer(project, progress)?.module;
    let tools = tools(project, progress)?;
    let made_from = Contents::default()
        .path(&module, &[])?
        .path(&project.root().join("web"), &["dist"])?
        .path(&project.root().join("xtask/page-tools"), &[])?
        .text(if tools.is_some() { "small" } else { "as it is" })
        .text(include_str!("page.rs"))
        .digest();
    let stamp = Stamp::at(project.target().join("xtask/page.stamp"));
    if page.is_file() && stamp.says(&with_result(&made_from, &page)?) {
        return Ok(page);
    }
    progress.heading("bind and pack the page");
    let (mut bytes, mut glue) = bind(&module)?;
    if let Some(tools) = tools {
        bytes = make_module_small(project, progress, &tools, &bytes)?;
        glue = make_glue_small(project, progress, &tools, &glue)?;
    }
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

/// The folder of the npm packages binaryen and esbuild. They only make the page smaller, so they may be missing.
fn tools(project: &Project, progress: &Progress) -> Result<Option<PathBuf>, Error> {
    if on_path("node").is_none() || on_path("npm").is_none() {
        progress.note(&format!("{LARGER}: node and npm are not there"));
        return Ok(None);
    }
    let folder = project.target().join("xtask/page-tools");
    let source = project.root().join("xtask/page-tools");
    match programs::npm_ci(
        project,
        progress,
        &source,
        &folder,
        "what makes the page small",
    ) {
        Ok(()) => Ok(Some(folder.join("node_modules"))),
        Err(error) => {
            progress.note(&format!("{LARGER}: {error}"));
            Ok(None)
        }
    }
}

fn make_module_small(
    project: &Project,
    progress: &Progress,
    tools: &Path,
    bytes: &[u8],
) -> Result<Vec<u8>, Error> {
    let folder = project.target().join("xtask");
    let (large, small) = (folder.join("bound.wasm"), folder.join("small.wasm"));
    write_whole(&large, bytes)?;
    let mut command = project.command("node");
    command
        .arg(tools.join("binaryen/bin/wasm-opt"))
        .args(OPTIMISE)
        .arg(&large)
        .arg("-o")
        .arg(&small);
    progress.run(project, Step::new("make the page's program small", command))?;
    let result = fs::read(&small).map_err(Error::file("read", &small))?;
    remove(&large)?;
    remove(&small)?;
    Ok(result)
}

/// Without template literals: esbuild would put line breaks into texts, and the packer trims lines.
fn make_glue_small(
    project: &Project,
    progress: &Progress,
    tools: &Path,
    glue: &str,
) -> Result<String, Error> {
    let folder = project.target().join("xtask");
    let (large, small) = (folder.join("bound.js"), folder.join("small.js"));
    write_whole(&large, glue.as_bytes())?;
    let mut command = project.command("node");
    command
        .arg(tools.join("esbuild/bin/esbuild"))
        .args([
            "--minify-whitespace",
            "--minify-identifiers",
            "--minify-syntax",
            "--supported:template-literal=false",
        ])
        .arg(format!("--outfile={}", small.display()))
        .arg(&large);
    progress.run(
        project,
        Step::new("make the page's JavaScript small", command),
    )?;
    let result = fs::read_to_string(&small).map_err(Error::file("read", &small))?;
    remove(&large)?;
    remove(&small)?;
    Ok(result)
}

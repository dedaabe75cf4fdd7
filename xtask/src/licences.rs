//! The licences of the packages that the programs and the page contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::project::{Project, answer};

/// What is shipped, and the platform that it is built for; none stands for this machine's.
const SHIPPED: [(&str, Option<&str>); 3] = [
    ("firstfault-probe", None),
    ("firstfault-libtorch", None),
    ("firstfault-viewer", Some("wasm32-unknown-unknown")),
];

/// How the names of such files begin.
const NAMES: [&str; 5] = ["licen", "copying", "notice", "copyright", "unlicense"];

/// A package that is shipped inside a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    expression: String,
    folder: PathBuf,
}

/// One text with every package, its licence, and each licence file once.
pub(crate) fn collect(project: &Project, host: &str) -> Result<String, Error> {
    let mut packages = BTreeSet::new();
    for (root, platform) in SHIPPED {
        let mut ask = project.cargo();
        ask.args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            platform.unwrap_or(host),
        ]);
        let metadata: Value = serde_json::from_str(&answer(&mut ask)?).unwrap_or_default();
        packages.extend(contained(&metadata, root));
    }
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &packages {
        for text in licence_texts(&package.folder)? {
            texts
                .entry(text)
                .or_default()
                .push(format!("{} {}", package.name, package.version));
        }
    }
    Ok(render(&packages, &texts))
}

/// Packages from elsewhere that `root` is built from; those that only build it don't count.
fn contained(metadata: &Value, root: &str) -> Vec<Package> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<String> = packages
        .iter()
        .filter(|(_, package)| package["name"] == root)
        .map(|(id, _)| id.clone())
        .collect();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let Some(node) = nodes.get(&id) else { continue };
        for dependency in list(&node["deps"]) {
            if list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
            {
                waiting.push(text(&dependency["pkg"]));
            }
        }
    }
    seen.iter()
        .filter_map(|id| packages.get(id))
        .filter(|package| !package["source"].is_null())
        .map(|package| Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            expression: text(&package["license"]),
            folder: Path::new(&text(&package["manifest_path"]))
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned(),
        })
        .collect()
}

fn licence_texts(folder: &Path) -> Result<Vec<String>, Error> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(Error::file("read", folder))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .filter(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_lowercase();
            NAMES.iter().any(|begin| name.starts_with(begin))
        })
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let bytes = fs::read(path).map_err(Error::file("read", path))?;
            Ok(String::from_utf8_lossy(&bytes)
                .trim_end()
                .replace("\r\n", "\n"))
        })
        .collect()
}

fn render(packages: &BTreeSet<Package>, texts: &BTreeMap<String, Vec<String>>) -> String {
    let mut out =
        String::from("FirstFault contains these packages, each under its own licence.\n\n");
    let line = "=".repeat(80);
    // Writing into a string can't fail.
    for package in packages {
        let _ = writeln!(
            out,
            "{} {}: {}",
            package.name, package.version, package.expression
        );
    }
    for (text, of) in texts {
        let _ = write!(
            out,
            "\n{line}\nThe licence text of {}:\n\n{text}\n",
            of.join(", ")
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_from_elsewhere_that_end_up_in_the_program_count() {
        let metadata = serde_json::json!({
            "packages": [
                { "id": "root", "name": "root", "version": "1", "source": null, "manifest_path": "/r/Cargo.toml" },
                { "id": "used", "name": "used", "version": "2", "license": "MIT", "source": "registry",
                  "manifest_path": "/used/Cargo.toml" },
                { "id": "builder", "name": "builder", "version": "3", "source": "registry", "manifest_path": "/b/C" },
                { "id": "other", "name": "other", "version": "4", "source": "registry", "manifest_path": "/o/C" },
            ],
            "resolve": { "nodes": [
                { "id": "root", "deps": [
                    { "pkg": "used", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "builder", "dep_kinds": [{ "kind": "build" }] },
                ] },
                { "id": "used", "deps": [] }, { "id": "builder", "deps": [] }, { "id": "other", "deps": [] },
            ] },
        });
        let found = contained(&metadata, "root");
        assert_eq!(
            found
                .iter()
                .map(|package| package.name.as_str())
                .collect::<Vec<_>>(),
            ["used"]
        );
        assert_eq!(found[0].folder, Path::new("/used"));
    }
}

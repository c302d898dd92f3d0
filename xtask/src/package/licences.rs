//! Licences of everything that is compiled into the programs, with their texts.

use crate::{command, ui};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OURS: [&str; 3] = ["calmtrader", "calm-cli", "appimage-runtime"];
/// Built into the pages, though npm lists it as a tool.
const UI_RUNTIME: &str = "@inlang/paraglide-js";

/// Something by others, and where its texts may lie.
struct Part {
    name: String,
    licence: String,
    folder: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Crate>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Crate {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    /// `None` for our own.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

#[derive(Deserialize)]
struct NpmPackage {
    version: String,
    license: Option<String>,
    #[serde(default)]
    dependencies: BTreeMap<String, String>,
}

/// What everything by others asks to be told: a table, then each text once.
pub fn text() -> Result<String> {
    let mut parts = crates(&metadata()?)?;
    parts.extend(pages()?);
    parts.sort_by(|one, other| one.name.cmp(&other.name));
    said(&parts)
}

fn metadata() -> Result<Metadata> {
    let version = command::answer(Command::new("rustc").arg("-vV")).context("rustc does not answer")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let mut cargo = command::cargo();
    cargo.args(["metadata", "--format-version=1", "--locked", "--filter-platform", host]);
    let answer = command::answer(&mut cargo).context("cargo does not describe this workspace")?;
    Ok(serde_json::from_str(&answer)?)
}

/// Every crate that is linked into ours, and the C sources that some bring along in a crate for building (`…-src`).
fn crates(metadata: &Metadata) -> Result<Vec<Part>> {
    let packages: BTreeMap<&str, &Crate> = metadata.packages.iter().map(|it| (it.id.as_str(), it)).collect();
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|it| (it.id.as_str(), it)).collect();
    let ours = metadata.packages.iter().filter(|it| it.source.is_none() && OURS.contains(&it.name.as_str()));
    let mut waiting: Vec<&str> = ours.map(|it| it.id.as_str()).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut parts = Vec::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages.get(id).with_context(|| format!("cargo knows no {id}"))?;
        if package.source.is_some() {
            let licence = package.license.clone().with_context(|| format!("{} has no licence", package.name))?;
            let folder = package.manifest_path.parent().map(Path::to_path_buf).unwrap_or_default();
            parts.push(Part { name: format!("{} {}", package.name, package.version), licence, folder });
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            let linked = dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
            let named_src = packages.get(dependency.pkg.as_str()).is_some_and(|it| it.name.ends_with("-src"));
            if linked || named_src {
                waiting.push(&dependency.pkg);
            }
        }
    }
    Ok(parts)
}

/// What the window's pages are built with.
fn pages() -> Result<Vec<Part>> {
    let ui = ui::folder()?;
    let ours: NpmPackage = read(&ui.join("package.json"))?;
    let names = ours.dependencies.keys().map(String::as_str).chain([UI_RUNTIME]);
    let parts = names.map(|name| {
        let folder = ui.join("node_modules").join(name);
        let package: NpmPackage = read(&folder.join("package.json"))?;
        let licence = package.license.with_context(|| format!("{name} has no licence"))?;
        Ok(Part { name: format!("{name} {}", package.version), licence, folder })
    });
    parts.collect()
}

fn read(file: &Path) -> Result<NpmPackage> {
    let cannot = || format!("{} cannot be read", file.display());
    serde_json::from_str(&fs::read_to_string(file).with_context(cannot)?).with_context(cannot)
}

fn said(parts: &[Part]) -> Result<String> {
    let mut said = String::from("CalmTrader is built with the work of others. Under which licences:\n\n");
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for part in parts {
        writeln!(said, "{:<44} {}", part.name, part.licence)?;
        let mut own = Vec::new();
        licence_texts(&part.folder, 0, &mut own)?;
        for text in own {
            texts.entry(text).or_default().push(&part.name);
        }
    }
    if texts.is_empty() {
        bail!("no licence text was found");
    }
    for (text, names) in &texts {
        writeln!(said, "\n{}\n{}\n\n{}", "=".repeat(80), names.join(", "), text.trim())?;
    }
    Ok(said)
}

/// C sources lie a little deeper in a crate than its own licence.
const DEEP: usize = 3;

fn licence_texts(folder: &Path, depth: usize, texts: &mut Vec<String>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEEP && !["node_modules", "tests", "benches", "examples"].contains(&name.as_str()) {
            licence_texts(&entry.path(), depth + 1, texts)?;
        }
        if kind.is_file() && is_licence(&name) {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).replace("\r\n", "\n");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    Ok(())
}

/// By the name of a file, in small letters.
fn is_licence(name: &str) -> bool {
    let named = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
    let code = [".rs", ".c", ".h", ".cpp", ".py", ".js", ".ts", ".json", ".toml", ".pl", ".sh", ".html"];
    named.iter().any(|start| name.starts_with(start)) && !code.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_known_by_their_names() {
        for name in ["license", "license-mit", "licence.txt", "copying", "unlicense", "notice.md", "copyright"] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["readme.md", "license.rs", "licensing_test.c", "lib.rs", "noticeboard.js"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn each_text_stands_once_with_all_that_it_is_for() -> Result<()> {
        let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
        for folder in &folders {
            fs::create_dir(folder.path().join("vendored"))?;
            fs::write(folder.path().join("vendored/LICENSE"), "Do as you like.\n")?;
        }
        let part = |name: &str, at: usize| Part {
            name: name.to_owned(),
            licence: "MIT".to_owned(),
            folder: folders[at].path().to_path_buf(),
        };
        let said = said(&[part("one 1.0", 0), part("two 2.0", 1)])?;
        assert_eq!(said.matches("Do as you like.").count(), 1);
        assert!(said.contains("\none 1.0, two 2.0\n"), "{said}");
        Ok(())
    }

    #[test]
    fn what_is_compiled_in_is_listed_and_tools_are_not() -> Result<()> {
        let parts = crates(&metadata()?)?;
        let has = |name: &str| parts.iter().any(|part| part.name.starts_with(&format!("{name} ")));
        for name in ["tauri", "whisper-rs-sys", "libsqlite3-sys", "openssl-src", "clap"] {
            assert!(has(name), "{name}");
        }
        for name in ["calm-core", "proptest", "bindgen"] {
            assert!(!has(name), "{name}");
        }
        Ok(())
    }
}

//! The walls of the house (docs/ARCHITECTURE.md), read from what cargo knows about the workspace.
//!
//! Only what our own crates name in their `Cargo.toml` counts here: a wall is broken where somebody writes a line.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const ROOMS: [&str; 4] = ["calm-voice", "calm-store", "calm-agent", "calm-models"];
const PURE: [&str; 5] = ["calm-core", "calm-prompts", "calm-knowledge", "calm-memory", "calm-trades"];
const DOORS: [&str; 2] = ["calmtrader", "calm-cli"];

/// Names of what each crate of the workspace depends on when it runs or is built; tests may use more.
struct House(BTreeMap<String, BTreeSet<String>>);

impl House {
    fn read() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
            .current_dir(root)
            .output()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self::from_metadata(&serde_json::from_slice(&output.stdout)?)
    }

    fn from_metadata(metadata: &Value) -> Result<Self> {
        let mut crates = BTreeMap::new();
        for package in metadata["packages"].as_array().context("packages")? {
            let name = package["name"].as_str().context("a name")?;
            let dependencies = package["dependencies"].as_array().context("dependencies")?;
            let needed = dependencies.iter().filter(|dependency| dependency["kind"].as_str() != Some("dev"));
            let names = needed.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned));
            crates.insert(name.to_owned(), names.collect());
        }
        Ok(Self(crates))
    }

    fn of(&self, name: &str) -> &BTreeSet<String> {
        self.0.get(name).unwrap_or_else(|| panic!("there is no crate {name}: has it another name now?"))
    }

    /// Crates of the workspace that `name` depends on.
    fn neighbours<'a>(&'a self, name: &str) -> BTreeSet<&'a str> {
        let names = self.of(name).iter().map(String::as_str);
        names.filter(|name| self.0.contains_key(*name)).collect()
    }

    /// Who depends on something that `matches`.
    fn who_has(&self, matches: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let crates = self.0.iter();
        let having = crates.filter(|(_, dependencies)| dependencies.iter().any(|dependency| matches(dependency)));
        having.map(|(name, _)| name.as_str()).collect()
    }
}

/// Fails with the names of those in `found` that are not `allowed`.
fn only(what: &str, found: &BTreeSet<&str>, allowed: &[&str]) {
    let strangers: Vec<&&str> = found.iter().filter(|name| !allowed.contains(*name)).collect();
    assert!(strangers.is_empty(), "{what}: {strangers:?} must not; allowed are {allowed:?}");
}

#[test]
fn arrows_between_our_crates_point_inwards() -> Result<()> {
    let house = House::read()?;
    let allowed: [(&str, &[&str]); 12] = [
        ("calm-core", &[]),
        ("calm-prompts", &["calm-core"]),
        ("calm-knowledge", &[]),
        ("calm-memory", &["calm-core"]),
        ("calm-trades", &["calm-core"]),
        ("calm-voice", &[]),
        ("calm-models", &[]),
        ("calm-store", &["calm-core"]),
        ("calm-agent", &["calm-core", "calm-prompts"]),
        (
            "calm-app",
            &[
                "calm-core",
                "calm-prompts",
                "calm-knowledge",
                "calm-memory",
                "calm-trades",
                "calm-voice",
                "calm-store",
                "calm-agent",
                "calm-models",
            ],
        ),
        ("calmtrader", &["calm-app"]),
        ("calm-cli", &["calm-app"]),
    ];
    for (name, inwards) in allowed {
        only(&format!("{name} depends on"), &house.neighbours(name), inwards);
    }
    only("xtask depends on", &house.neighbours("xtask"), &["calm-agent", "calm-models"]);
    // It lies outside the house, in front of the AppImage.
    only("appimage-runtime depends on", &house.neighbours("appimage-runtime"), &[]);

    let outside = ["xtask", "appimage-runtime"];
    let known: BTreeSet<&str> = allowed.iter().map(|(name, _)| *name).chain(outside).collect();
    let all: BTreeSet<&str> = house.0.keys().map(String::as_str).collect();
    assert_eq!(all, known, "a new crate needs a place in the house, and a line here");
    Ok(())
}

#[test]
fn the_pure_crates_do_nothing_but_think() -> Result<()> {
    let house = House::read()?;
    // Everything that they may use; when they run, none of it opens a file, a socket or a device.
    let thinking = [
        "calamine",
        "calm-core",
        "chardetng",
        "csv",
        "diffy",
        "encoding_rs",
        "flate2",
        "hayro-syntax",
        "html5ever",
        "include_dir",
        "jiff",
        "libm",
        "memchr",
        "rust-stemmers",
        "rust_decimal",
        "schemars",
        "serde",
        "serde_json",
        "sha2",
        "strsim",
        "thiserror",
        "toml",
        "unicode-normalization",
        "unicode-segmentation",
        "unicode-width",
        "zip",
    ];
    for name in PURE {
        let names = house.of(name).iter().map(String::as_str).collect();
        only(&format!("{name} depends on"), &names, &thinking);
    }
    Ok(())
}

#[test]
fn each_effect_has_one_room() -> Result<()> {
    let house = House::read()?;
    let effects: [(&str, &[&str]); 3] = [
        ("calm-agent", &["reqwest", "rustls", "hyper", "ureq", "curl", "tungstenite", "tokio-tungstenite"]),
        ("calm-store", &["rusqlite", "rusqlite_migration", "libsqlite3-sys", "sqlx", "keyring", "keyring-core"]),
        ("calm-voice", &["cpal", "ort", "whisper-rs", "rubato", "symphonia", "hound"]),
    ];
    for (room, libraries) in effects {
        for library in libraries {
            only(&format!("{library} is used by"), &house.who_has(|name| name == *library), &[room]);
        }
        let main = libraries[0];
        assert!(house.of(room).contains(main), "{room} without {main}: does this test still look at the right crate?");
    }
    Ok(())
}

#[test]
fn window_and_terminal_stay_at_the_doors() -> Result<()> {
    let house = House::read()?;
    let of_the_window = |name: &str| name == "tauri" || name.starts_with("tauri-") || name.starts_with("specta");
    only("the window's libraries are used by", &house.who_has(of_the_window), &["calmtrader"]);
    let of_the_terminal = |name: &str| name.starts_with("clap") || name == "anyhow";
    only(
        "the terminal's libraries are used by",
        &house.who_has(of_the_terminal),
        &["calmtrader", "calm-cli", "xtask", "appimage-runtime"],
    );
    assert!(!house.of("calmtrader").contains("clap"), "the window reads no command line");
    for door in DOORS {
        let below = house.neighbours(door);
        assert!(ROOMS.iter().all(|room| !below.contains(room)), "{door} goes past the conductor");
    }
    Ok(())
}

/// The test itself must see a broken wall.
#[test]
#[should_panic(expected = "calm-store")]
fn a_hole_in_a_wall_is_seen() {
    let metadata = serde_json::json!({ "packages": [
        { "name": "calm-store", "dependencies": [{ "name": "calm-voice", "kind": null }] },
        { "name": "calm-voice", "dependencies": [{ "name": "calm-store", "kind": "dev" }] },
    ]});
    let house = House::from_metadata(&metadata).expect("metadata");
    only("calm-voice depends on", &house.neighbours("calm-voice"), &[]);
    only("calm-store depends on", &house.neighbours("calm-store"), &[]);
}

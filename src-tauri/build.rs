fn main() {
    // The built pages are part of the program.
    println!("cargo::rerun-if-changed=ui/dist");
    if std::env::var_os("CARGO_FEATURE_UPDATES").is_some() && !has_key() {
        println!("cargo::error=feature `updates` needs plugins.updater.pubkey in TAURI_CONFIG: docs/packaging.md");
    }
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}

/// An update that nobody signed could be anybody's.
fn has_key() -> bool {
    println!("cargo::rerun-if-env-changed=TAURI_CONFIG");
    let config = std::env::var("TAURI_CONFIG").unwrap_or_default();
    let value = config.split_once("\"pubkey\"").map(|(_, rest)| rest.trim_start_matches([':', ' ']));
    value.is_some_and(|value| value.starts_with('"') && !value.starts_with("\"\""))
}

fn main() {
    // The built pages are part of the program.
    println!("cargo::rerun-if-changed=ui/dist");
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}

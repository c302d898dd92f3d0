//! WebKit's own driver, for tests and benches of the real window.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;

use crate::desktop::{Display, stop};

/// It starts the app when a window is asked for.
pub struct Driver {
    pub process: Child,
    port: u16,
}

impl Driver {
    pub fn start(display: &Display, data: &Path) -> Driver {
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
        let process = Command::new("WebKitWebDriver")
            .arg(format!("--port={port}"))
            .env("DISPLAY", display.name())
            .env_remove("WAYLAND_DISPLAY")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("CALM_DATA_DIR", data)
            .env("CALM_KEYCHAIN", "off")
            .env("LANG", "en_US.UTF-8")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver starts (Debian: webkit2gtk-driver)");
        Driver { process, port }
    }

    pub async fn window(&self) -> Client {
        let mut capabilities = Capabilities::new();
        let options = json!({"binary": env!("CARGO_BIN_EXE_calmtrader"), "args": []});
        capabilities.insert("webkitgtk:browserOptions".into(), options);
        let address = format!("http://127.0.0.1:{}", self.port);
        for attempt in 0..50 {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder.capabilities(capabilities.clone()).connect(&address).await {
                Ok(client) => return client,
                Err(error) if attempt == 49 => panic!("the window does not open: {error}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
        unreachable!("the last attempt panics")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        stop(&mut self.process);
    }
}

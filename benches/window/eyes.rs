//! What is on the display.

use std::time::{Duration, Instant};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt, EventMask, ImageFormat, MapState, Window};
use x11rb::rust_connection::RustConnection;

/// Letters are smoothed into many shades; an empty window has one or two.
const SHADES: usize = 24;
const BLINK: Duration = Duration::from_millis(5);

pub struct Eyes {
    server: RustConnection,
    root: Window,
}

impl Eyes {
    pub fn on(display: &str) -> Eyes {
        let (server, screen) = x11rb::connect(Some(display)).expect("the display");
        let root = server.setup().roots[screen].root;
        Eyes { server, root }
    }

    /// Waits until a window shows letters.
    pub fn until_written(&self, patience: Duration) {
        self.until(patience, "no window with words in it", || {
            self.windows().into_iter().any(|window| self.shades(window) >= SHADES)
        });
    }

    /// Waits until there is no window.
    pub fn until_empty(&self, patience: Duration) {
        self.until(patience, "the window stays", || self.windows().is_empty());
    }

    /// Asks every window to close, as its cross does.
    pub fn close_windows(&self) {
        let atom = |name: &[u8]| self.server.intern_atom(false, name).expect("asked").reply().expect("an atom").atom;
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        for window in self.windows() {
            let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
            self.server.send_event(false, window, EventMask::NO_EVENT, message).expect("sent");
        }
        self.server.flush().expect("sent");
    }

    fn until(&self, patience: Duration, otherwise: &str, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < patience, "{otherwise}");
            std::thread::sleep(BLINK);
        }
    }

    /// Those that are mapped and large enough to be looked at.
    fn windows(&self) -> Vec<Window> {
        let tree = self.server.query_tree(self.root).expect("asked").reply().expect("the windows");
        let is_seen = |window: &Window| {
            let attributes = self.server.get_window_attributes(*window).ok().and_then(|it| it.reply().ok());
            let size = self.server.get_geometry(*window).ok().and_then(|it| it.reply().ok());
            attributes.is_some_and(|it| it.map_state == MapState::VIEWABLE) && size.is_some_and(|it| it.width > 100)
        };
        tree.children.into_iter().filter(is_seen).collect()
    }

    fn shades(&self, window: Window) -> usize {
        let Some(size) = self.server.get_geometry(window).ok().and_then(|it| it.reply().ok()) else { return 0 };
        let image = self.server.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, size.width, size.height, !0);
        let Some(image) = image.ok().and_then(|it| it.reply().ok()) else { return 0 };
        let mut shades: Vec<&[u8]> = image.data.chunks_exact(4).map(|pixel| &pixel[..3]).collect();
        shades.sort_unstable();
        shades.dedup();
        shades.len()
    }
}

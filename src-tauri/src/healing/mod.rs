//! A window that stays blank, or whose web process ends, is drawn again; the reason is in the log.
//!
//! WebKitGTK has renderers that draw nothing on some graphics cards. So each page tells when it has put a picture on
//! the screen, and where none comes the page is loaded anew once, then the app starts again with a safer renderer.
//! There are three renderers and each is left only for a safer one, so that this comes to an end.

mod rules;
mod watching;

pub use rules::Renderer;
pub use watching::{Healing, prepare};

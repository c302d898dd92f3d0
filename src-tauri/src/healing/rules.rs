//! What is done about a window that shows nothing: no clocks and no windows here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A page that fails again within this after it was loaded anew needs more than that.
pub const REST: Duration = Duration::from_secs(10 * 60);

/// From the fastest to the safest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Renderer {
    /// The system's own choice.
    #[default]
    Usual,
    /// Without buffers shared with the graphics card.
    Unshared,
    /// Without the graphics card.
    Software,
}

impl Renderer {
    /// The next safer one; `None` after the safest, and where the system has no other.
    pub fn safer(self) -> Option<Renderer> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        match self {
            Renderer::Usual => Some(Renderer::Unshared),
            Renderer::Unshared => Some(Renderer::Software),
            Renderer::Software => None,
        }
    }

    /// What WebKitGTK and Mesa are told.
    pub fn variables(self) -> &'static [(&'static str, &'static str)] {
        const ALL: [(&str, &str); 3] = [
            ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
            ("WEBKIT_DISABLE_COMPOSITING_MODE", "1"),
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
        ];
        match self {
            Renderer::Usual => &[],
            Renderer::Unshared => &ALL[..1],
            Renderer::Software => &ALL,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Load the page anew.
    Reload,
    /// Start the app again, drawn so.
    Restart(Renderer),
    /// Say that the window cannot be drawn here; nothing else is tried.
    GiveUp,
    /// It was said already.
    Nothing,
}

/// What was tried since the app started.
#[derive(Debug, Default)]
pub struct Course {
    reloaded_at: Option<Duration>,
    over: bool,
}

impl Course {
    /// What to do about a window that failed at `now`, counted from the start of the app.
    pub fn next(&mut self, now: Duration, renderer: Renderer) -> Remedy {
        if self.over {
            return Remedy::Nothing;
        }
        let rested = self.reloaded_at.is_none_or(|at| now.saturating_sub(at) >= REST);
        if rested {
            self.reloaded_at = Some(now);
            return Remedy::Reload;
        }
        self.over = true;
        renderer.safer().map_or(Remedy::GiveUp, Remedy::Restart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[cfg(target_os = "linux")]
    #[test]
    fn a_window_that_never_shows_is_loaded_anew_once_with_each_renderer_and_then_given_up() {
        let mut renderer = Renderer::Usual;
        let mut tried = Vec::new();
        // Each turn of this loop is a start of the app.
        loop {
            let mut course = Course::default();
            tried.push(course.next(20 * SECOND, renderer));
            let second = course.next(40 * SECOND, renderer);
            tried.push(second);
            assert_eq!(course.next(60 * SECOND, renderer), Remedy::Nothing);
            match second {
                Remedy::Restart(safer) => renderer = safer,
                _ => break,
            }
        }
        use Remedy::{GiveUp, Reload, Restart};
        let all = [Reload, Restart(Renderer::Unshared), Reload, Restart(Renderer::Software), Reload, GiveUp];
        assert_eq!(tried, all);
    }

    #[test]
    fn a_page_that_fails_once_in_a_long_while_is_only_loaded_anew() {
        let mut course = Course::default();
        for hour in 1..9 {
            assert_eq!(course.next(hour * 3600 * SECOND, Renderer::Usual), Remedy::Reload);
        }
    }

    #[test]
    fn the_safer_renderer_keeps_what_the_one_before_it_leaves_out() {
        assert!(Renderer::Usual.variables().is_empty());
        assert!(Renderer::Software.variables().starts_with(Renderer::Unshared.variables()));
    }

    proptest! {
        #[test]
        fn it_never_loops(gaps in prop::collection::vec(0..2000_u64, 0..200)) {
            let (mut now, mut renderer, mut course) = (0, Renderer::Usual, Course::default());
            let (mut restarts, mut reloads) = (0, Vec::new());
            for gap in gaps {
                now += gap;
                match course.next(Duration::from_secs(now), renderer) {
                    Remedy::Reload => reloads.push(now),
                    Remedy::Restart(safer) => {
                        prop_assert!(safer > renderer);
                        restarts += 1;
                        // The new process knows nothing of the reloads of the old one.
                        (now, renderer, course, reloads) = (0, safer, Course::default(), Vec::new());
                    }
                    Remedy::GiveUp | Remedy::Nothing => {}
                }
                let quick = reloads.windows(2).any(|pair| pair[1] - pair[0] < REST.as_secs());
                prop_assert!(!quick, "{reloads:?}");
            }
            prop_assert!(restarts <= 2);
        }
    }
}

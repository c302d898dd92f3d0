//! Where a window stands: in sight, whatever monitors there are.
//!
//! Arithmetic only, in physical pixels; the windows themselves are moved elsewhere.

use serde::{Deserialize, Serialize};

/// So much of a window must be on one monitor for a hand to get hold of it.
const GRIP: i64 = 64;
/// Between the quick window and the edges of its monitor.
const GAP: i64 = 12;

/// A window, or what a monitor leaves free for windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

impl Area {
    fn right(self) -> i64 {
        i64::from(self.x) + i64::from(self.width)
    }

    fn bottom(self) -> i64 {
        i64::from(self.y) + i64::from(self.height)
    }

    fn middle(self) -> (i64, i64) {
        ((i64::from(self.x) + self.right()) / 2, (i64::from(self.y) + self.bottom()) / 2)
    }

    /// Squared distance from a point to the nearest point of this.
    fn distance(self, (x, y): (i64, i64)) -> i64 {
        let dx = (i64::from(self.x) - x).max(x - self.right()).max(0);
        let dy = (i64::from(self.y) - y).max(y - self.bottom()).max(0);
        dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy))
    }

    /// Whether a window's upper edge, by which it is moved, can be taken hold of on this monitor.
    fn holds(self, window: Area) -> bool {
        let across = self.right().min(window.right()) - i64::from(self.x).max(i64::from(window.x));
        let grip = GRIP.min(i64::from(window.width));
        let top = i64::from(window.y);
        across >= grip && top >= i64::from(self.y) && top + GRIP.min(i64::from(window.height)) <= self.bottom()
    }

    /// Moved, and where it is too large made smaller, until it lies wholly on `monitor`.
    fn moved_onto(self, monitor: Area) -> Area {
        let (width, height) = (self.width.min(monitor.width), self.height.min(monitor.height));
        Area {
            x: self.x.min(whole(monitor.right() - i64::from(width))).max(monitor.x),
            y: self.y.min(whole(monitor.bottom() - i64::from(height))).max(monitor.y),
            width,
            height,
        }
    }
}

/// The window as it is, where it can be got hold of; otherwise moved onto the monitor that is nearest to it.
///
/// As it is also where no monitor is known.
pub fn in_sight(window: Area, monitors: &[Area]) -> Area {
    if monitors.iter().any(|monitor| monitor.holds(window)) {
        return window;
    }
    nearest(window.middle(), monitors).map_or(window, |monitor| window.moved_onto(monitor))
}

/// Where the quick window opens: in the corner of the pointer's monitor that is nearest to the pointer, as that is
/// where the tray is. `None` where no monitor is known.
pub fn beside(pointer: (i32, i32), monitors: &[Area], width: u32, height: u32) -> Option<(i32, i32)> {
    let pointer = (i64::from(pointer.0), i64::from(pointer.1));
    let monitor = nearest(pointer, monitors)?;
    let (x, y) = monitor.middle();
    let left = i64::from(monitor.x) + GAP;
    let right = monitor.right() - i64::from(width) - GAP;
    let top = i64::from(monitor.y) + GAP;
    let bottom = monitor.bottom() - i64::from(height) - GAP;
    let at = Area {
        x: whole(if pointer.0 < x { left } else { right }),
        y: whole(if pointer.1 < y { top } else { bottom }),
        width,
        height,
    }
    .moved_onto(monitor);
    Some((at.x, at.y))
}

fn nearest(point: (i64, i64), monitors: &[Area]) -> Option<Area> {
    monitors.iter().copied().min_by_key(|monitor| monitor.distance(point))
}

fn whole(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    const LAPTOP: Area = Area { x: 0, y: 0, width: 1280, height: 800 };
    const SCREEN: Area = Area { x: 1280, y: -200, width: 2560, height: 1440 };

    #[test]
    fn a_window_stays_where_it_was_left() {
        for window in [area(100, 100, 960, 640), area(1200, 40, 960, 640), area(3700, 900, 960, 640)] {
            assert_eq!(in_sight(window, &[LAPTOP, SCREEN]), window);
        }
    }

    #[test]
    fn a_window_on_a_monitor_that_is_gone_comes_back() {
        assert_eq!(in_sight(area(2000, 100, 960, 640), &[LAPTOP]), area(320, 100, 960, 640));
        assert_eq!(in_sight(area(2000, -150, 2000, 1300), &[LAPTOP]), LAPTOP);
    }

    #[test]
    fn a_title_bar_above_or_below_every_monitor_cannot_be_got_hold_of() {
        assert_eq!(in_sight(area(100, -30, 960, 640), &[LAPTOP]), area(100, 0, 960, 640));
        assert_eq!(in_sight(area(100, 790, 960, 640), &[LAPTOP]), area(100, 160, 960, 640));
    }

    #[test]
    fn with_no_monitor_known_nothing_is_moved() {
        assert_eq!(in_sight(area(-9000, 0, 10, 10), &[]), area(-9000, 0, 10, 10));
        assert_eq!(beside((5, 5), &[], 360, 480), None);
    }

    #[test]
    fn the_quick_window_opens_in_the_corner_that_the_pointer_is_near() {
        let both = [LAPTOP, SCREEN];
        assert_eq!(beside((1270, 4), &both, 360, 480), Some((908, 12)));
        assert_eq!(beside((1290, 1230), &both, 360, 480), Some((1292, 748)));
        assert_eq!(beside((3830, -190), &both, 360, 480), Some((3468, -188)));
    }

    fn some_area() -> impl Strategy<Value = Area> {
        (any::<i32>(), any::<i32>(), 1..5000_u32, 1..5000_u32).prop_map(|(x, y, w, h)| area(x, y, w, h))
    }

    fn some_monitor() -> impl Strategy<Value = Area> {
        (-9000..9000, -9000..9000, 320..8000_u32, 200..5000_u32).prop_map(|(x, y, w, h)| area(x, y, w, h))
    }

    proptest! {
        #[test]
        fn whatever_was_remembered_can_be_got_hold_of(
            window in some_area(),
            monitors in prop::collection::vec(some_monitor(), 1..4),
        ) {
            let placed = in_sight(window, &monitors);
            prop_assert!(monitors.iter().any(|monitor| monitor.holds(placed)), "{placed:?}");
            prop_assert_eq!(in_sight(placed, &monitors), placed);
        }

        #[test]
        fn the_quick_window_lies_on_one_monitor(
            x in any::<i32>(),
            y in any::<i32>(),
            monitors in prop::collection::vec(some_monitor(), 1..4),
        ) {
            let (x, y) = beside((x, y), &monitors, 300, 180).expect("a place");
            let inside = |m: &Area| {
                x >= m.x && y >= m.y && i64::from(x) + 300 <= m.right() && i64::from(y) + 180 <= m.bottom()
            };
            prop_assert!(monitors.iter().any(inside), "{x} {y}");
        }
    }
}

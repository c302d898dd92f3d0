//! Content lines: folded lines put together, names, parameters and values taken apart, components closed.

use super::{CalendarError, MOST_ENTRIES};

/// Longest line, put together, in bytes; what is longer is cut.
const LONGEST_LINE: usize = 16 * 1024;
/// The most lines of one component.
const MOST_PROPERTIES: usize = 500;
/// The most components that one may lie in.
const DEEPEST: usize = 16;

#[derive(Debug, Default)]
pub struct Component {
    /// `VEVENT` or `VTIMEZONE`.
    pub kind: String,
    pub properties: Vec<Property>,
}

#[derive(Debug)]
pub struct Property {
    /// Upper case.
    pub name: String,
    parameters: Vec<(String, String)>,
    pub value: String,
}

impl Component {
    pub fn first(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Property> {
        self.properties.iter().filter(move |property| property.name == name)
    }
}

impl Property {
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// As text: `\n`, `\,` and their like undone.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.value.len());
        let mut characters = self.value.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => match characters.next() {
                    Some('n' | 'N') => out.push(' '),
                    Some(other) => out.push(other),
                    None => {}
                },
                c => out.push(c),
            }
        }
        out
    }

    /// `FREQ=DAILY;…` as pairs, names in upper case.
    pub fn pairs(&self) -> Vec<(String, &str)> {
        let pairs = self.value.split(';').filter_map(|pair| pair.split_once('='));
        pairs.map(|(key, value)| (key.trim().to_ascii_uppercase(), value.trim())).collect()
    }
}

/// The events and time zones of a calendar, with their properties; alarms and the like inside them are left out,
/// and the parts of a zone count as the zone's own.
pub fn events(text: &str) -> Result<Vec<Component>, CalendarError> {
    let mut found = Vec::new();
    let mut current: Option<Component> = None;
    // Names of what is open, with the lines where it began.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut began = false;
    for (number, line) in unfolded(text) {
        let Some(property) = property(&line) else { continue };
        let kind = property.value.trim().to_ascii_uppercase();
        match property.name.as_str() {
            "BEGIN" => {
                began |= kind == "VCALENDAR";
                if open.len() >= DEEPEST {
                    return Err(CalendarError::Unbalanced { line: number });
                }
                if current.is_none() && matches!(kind.as_str(), "VEVENT" | "VTIMEZONE") {
                    current = Some(Component { kind: kind.clone(), properties: Vec::new() });
                }
                open.push((kind, number));
            }
            "END" => {
                if open.pop().is_none_or(|(name, _)| name != kind) {
                    return Err(CalendarError::Unbalanced { line: number });
                }
                if current.as_ref().is_some_and(|component| component.kind == kind) {
                    found.extend(current.take());
                    if found.len() > MOST_ENTRIES {
                        return Err(CalendarError::TooMany);
                    }
                }
            }
            _ => {
                let innermost = open.last().map(|(name, _)| name.as_str());
                if let Some(component) = &mut current
                    && (innermost == Some(component.kind.as_str()) || component.kind == "VTIMEZONE")
                    && component.properties.len() < MOST_PROPERTIES
                {
                    component.properties.push(property);
                }
            }
        }
    }
    if !began {
        return Err(CalendarError::NoCalendar);
    }
    match open.first() {
        Some((_, line)) => Err(CalendarError::CutOff { line: *line }),
        None => Ok(found),
    }
}

/// Lines with those put together that a space at the beginning continues; numbers count from 1.
fn unfolded(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split(['\n', '\r']).enumerate().filter(|(_, line)| !line.is_empty()).peekable();
    std::iter::from_fn(move || {
        let (number, first) = lines.next()?;
        let mut whole = first.to_owned();
        while let Some((_, more)) = lines.next_if(|(_, line)| line.starts_with([' ', '\t'])) {
            if whole.len() < LONGEST_LINE {
                whole.push_str(&more[1..]);
            }
        }
        if whole.len() > LONGEST_LINE {
            let end = (0..=LONGEST_LINE).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
            whole.truncate(end);
        }
        Some((number + 1, whole))
    })
}

/// `NAME;PARAMETER="a:b":value`; `None` where there is no value.
fn property(line: &str) -> Option<Property> {
    let (mut quoted, mut colon) = (false, None);
    let mut cuts = Vec::new();
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => cuts.push(at),
            ':' if !quoted => {
                colon = Some(at);
                break;
            }
            _ => {}
        }
    }
    let colon = colon?;
    let head = line.get(..colon)?;
    let mut edges = cuts.clone();
    edges.push(colon);
    let name = head.get(..*edges.first()?)?.trim().to_ascii_uppercase();
    let parameters = edges.windows(2).filter_map(|pair| {
        let (key, value) = line.get(pair[0] + 1..pair[1])?.split_once('=')?;
        Some((key.trim().to_ascii_uppercase(), value.trim().trim_matches('"').to_owned()))
    });
    let parameters = parameters.collect();
    Some(Property { name, parameters, value: line.get(colon + 1..)?.to_owned() })
}

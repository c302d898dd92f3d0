//! Which column of a table holds what, told by the names in its header.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::grid::Row;

/// What a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    Id,
    Order,
    Symbol,
    Side,
    Quantity,
    OpenedAt,
    ClosedAt,
    OpenPrice,
    ClosePrice,
    Commission,
    Swap,
    Tax,
    Fee,
    Profit,
    Currency,
    Account,
    /// Of fees, where it is not the trade's.
    FeeCurrency,
    /// Quantity times price.
    Amount,
    /// What kind of row it is.
    Kind,
    /// Opens or closes.
    OpenClose,
    /// From the trade's currency to the account's.
    Rate,
}

/// Those that a user may name, in the order in which they are told.
const NAMED: [(&str, Field); 15] = [
    ("closed_at", Field::ClosedAt),
    ("profit", Field::Profit),
    ("symbol", Field::Symbol),
    ("side", Field::Side),
    ("quantity", Field::Quantity),
    ("opened_at", Field::OpenedAt),
    ("open_price", Field::OpenPrice),
    ("close_price", Field::ClosePrice),
    ("commission", Field::Commission),
    ("swap", Field::Swap),
    ("tax", Field::Tax),
    ("fee", Field::Fee),
    ("currency", Field::Currency),
    ("account", Field::Account),
    ("id", Field::Id),
];

impl Field {
    /// Names that a user may give, in the order in which they are told.
    pub fn names() -> [&'static str; NAMED.len()] {
        NAMED.map(|(name, _)| name)
    }

    pub fn name(self) -> &'static str {
        NAMED.iter().find(|(_, field)| *field == self).map_or("another column", |(name, _)| name)
    }
}

/// Columns by the user's own word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping(pub(crate) Vec<(String, Field)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    #[error("must be COLUMN=FIELD")]
    Form,
    #[error("the field must be one of {}", Field::names().join(", "))]
    Field,
}

impl Mapping {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds `Column name=field`; a later word for the same field replaces the earlier one.
    ///
    /// # Errors
    /// There is no `=`, or no such field.
    pub fn add(&mut self, text: &str) -> Result<(), MappingError> {
        let (column, field) = text.rsplit_once('=').ok_or(MappingError::Form)?;
        let field = field.trim();
        let (_, field) = *NAMED.iter().find(|(name, _)| *name == field).ok_or(MappingError::Field)?;
        self.0.retain(|(_, known)| *known != field);
        self.0.push((column.trim().to_owned(), field));
        Ok(())
    }
}

impl FromStr for Mapping {
    type Err = MappingError;

    fn from_str(text: &str) -> Result<Mapping, MappingError> {
        let mut mapping = Mapping::default();
        mapping.add(text)?;
        Ok(mapping)
    }
}

/// A name without case, spaces and punctuation.
pub(crate) fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.map(|c| if c == 'ё' { 'е' } else { c }).collect()
}

/// One column of a known table.
pub(crate) struct Column {
    pub field: Field,
    /// In [`plain`] form; the first that is there counts.
    pub names: &'static [&'static str],
    /// Which of several columns of that name, from 0.
    pub nth: usize,
}

pub(crate) const fn column(field: Field, names: &'static [&'static str]) -> Column {
    Column { field, names, nth: 0 }
}

pub(crate) const fn second(field: Field, names: &'static [&'static str]) -> Column {
    Column { field, names, nth: 1 }
}

/// A table that some broker writes.
pub(crate) struct Layout {
    pub columns: &'static [Column],
    /// Without one of them it is another table.
    pub needed: &'static [Field],
}

/// Where the fields of a table stand, and how its header names them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    pub columns: Vec<(Field, usize, String)>,
    /// Columns with a name.
    pub named: usize,
}

impl Places {
    pub fn at(&self, field: Field) -> Option<usize> {
        self.columns.iter().find(|(known, ..)| *known == field).map(|(_, at, _)| *at)
    }

    pub fn name(&self, field: Field) -> String {
        self.columns
            .iter()
            .find(|(known, ..)| *known == field)
            .map_or(field.name().to_owned(), |(.., name)| name.clone())
    }

    /// Share of the table's columns that are known.
    pub fn known(&self) -> f32 {
        if self.named == 0 { 0.0 } else { self.columns.len() as f32 / self.named as f32 }
    }
}

/// The names of a header row, from its cell `skip` on.
pub(crate) struct Names(Vec<(usize, String, String)>);

impl Names {
    pub fn of(row: &Row, skip: usize) -> Names {
        let cells = row.cells.iter().enumerate().skip(skip).map(|(at, cell)| (at, plain(cell), cell.trim().to_owned()));
        Names(cells.filter(|(_, plain, _)| !plain.is_empty()).collect())
    }

    fn find(&self, column: &Column) -> Option<(Field, usize, String)> {
        let at = |name: &str| self.0.iter().filter(|(_, plain, _)| plain == name).nth(column.nth);
        let (at, _, shown) = column.names.iter().find_map(|name| at(name))?;
        Some((column.field, *at, shown.clone()))
    }

    pub fn exact(&self, name: &str) -> Option<(usize, String)> {
        let wanted = plain(name);
        let found =
            self.0.iter().find(|(.., shown)| shown == name).or(self.0.iter().find(|(_, plain, _)| *plain == wanted));
        found.map(|(at, _, shown)| (*at, shown.clone()))
    }

    /// `None` where a needed column is missing.
    pub fn fit(&self, layout: &Layout) -> Option<Places> {
        let mut columns: Vec<(Field, usize, String)> = Vec::new();
        for column in layout.columns {
            let there = columns.iter().any(|(known, ..)| *known == column.field);
            if !there && let Some(found) = self.find(column) {
                columns.push(found);
            }
        }
        let places = Places { columns, named: self.0.len() };
        layout.needed.iter().all(|field| places.at(*field).is_some()).then_some(places)
    }
}

//! How the values of the house lie in SQLite's columns.
//!
//! Times are whole milliseconds since 1970 in UTC (they sort, which text with optional fractions
//! does not), days are `YYYY-MM-DD`, enums are the names they have in
//! JSON, money is decimal text.

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rust_decimal::Decimal;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as JSON text.
pub(crate) struct Json<T>(pub T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(text.into())
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json<T>> {
        // The parser's own message may quote the text, so it ends here.
        serde_json::from_str(value.as_str()?).map(Json).map_err(|_| FromSqlError::InvalidType)
    }
}

/// A unit enum as its bare JSON name.
pub(crate) struct Name<T>(pub T);

impl<T: Serialize> ToSql for Name<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(name)) => Ok(name.into()),
            _ => Err(rusqlite::Error::ToSqlConversionFailure("a name is text".into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Name<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Name<T>> {
        let name = serde_json::Value::from(value.as_str()?);
        serde_json::from_value(name).map(Name).map_err(|_| FromSqlError::InvalidType)
    }
}

pub(crate) struct Millis(pub Timestamp);

impl ToSql for Millis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_millisecond().into())
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Millis> {
        let millis = value.as_i64()?;
        Timestamp::from_millisecond(millis).map(Millis).map_err(|_| FromSqlError::OutOfRange(millis))
    }
}

pub(crate) struct Day(pub Date);

impl ToSql for Day {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl FromSql for Day {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Day> {
        value.as_str()?.parse().map(Day).map_err(|_| FromSqlError::InvalidType)
    }
}

/// Money to the last digit: a float would lose it, and nothing is summed up in SQL.
pub(crate) struct Exact(pub Decimal);

impl ToSql for Exact {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl FromSql for Exact {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Exact> {
        value.as_str()?.parse().map(Exact).map_err(|_| FromSqlError::InvalidType)
    }
}

//! What rows of different tables share: numbered identities, and Debug output that quotes nobody.

/// A row's number: the same in the database, in JSON, on the command line and in an address.
macro_rules! row_id {
    ($($name:ident)+) => {$(
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        pub struct $name(i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<$name, Self::Err> {
                text.parse().map($name)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> $name {
                $name(number)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> i64 {
                id.0
            }
        }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.0.into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<$name> {
                value.as_i64().map($name)
            }
        }
    )+};
}

/// Debug output names the row and nothing that the user wrote.
macro_rules! debug_shows {
    ($($row:ident: $($field:ident),+;)+) => {$(
        impl std::fmt::Debug for $row {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($row))$(.field(stringify!($field), &self.$field))+.finish_non_exhaustive()
            }
        }
    )+};
}

pub(crate) use {debug_shows, row_id};

//! Front matter: the four fields every file of the set begins with.

use crate::Both;
use crate::both::both;

use super::finding::{Finding, Rule};
use super::source::Page;

const FIELDS: [&str; 4] = ["id", "version", "language", "description"];

fn example() -> Both {
    both!(
        "начни файл с ---, id, version, language, description, ---",
        "begin the file with ---, id, version, language, description, ---"
    )
}

pub fn findings(page: &Page<'_>) -> Vec<Finding> {
    let source = &page.source;
    let finding = |line: usize, message: Both, hint: Both| {
        let at = source.lines.get(line).cloned().unwrap_or(0..0);
        source.finding(Rule::FrontMatter, at, message, hint)
    };
    let Some(front) = &source.front else {
        return vec![finding(0, both!("у файла нет шапки", "the file has no front matter"), example())];
    };
    let mut found = Vec::new();
    for field in FIELDS {
        match front.field(field) {
            None => {
                found.push(finding(0, both!("в шапке нет поля {field}", "the front matter has no {field}"), example()))
            }
            Some(("", line)) => found.push(finding(line, both!("поле {field} пустое", "{field} is empty"), example())),
            Some(_) => {}
        }
    }
    if let Some((id, line)) = front.field("id").filter(|(id, _)| !id.is_empty() && !is_of_path(id, page)) {
        let inner = page.inner_path();
        let expected = inner.strip_suffix(".md").unwrap_or(inner);
        found.push(finding(
            line,
            both!("id здесь {id}, а файл {inner}", "the id is {id}, the file is {inner}"),
            both!("напиши id: {expected}", "write id: {expected}"),
        ));
    }
    found
}

/// `check-in/short` for `ru/check-in/short.md`; `envelope/regular` as well as `regular` for `envelope/ru/regular.md`.
fn is_of_path(id: &str, page: &Page<'_>) -> bool {
    let inner = page.inner_path();
    let stem = inner.strip_suffix(".md").unwrap_or(inner);
    let outer = page.source.path.strip_suffix(inner).unwrap_or("").trim_end_matches('/');
    let kind = outer.rsplit('/').nth(1).filter(|kind| matches!(*kind, "envelope" | "knowledge"));
    id == stem || kind.is_some_and(|kind| id.strip_prefix(kind).and_then(|rest| rest.strip_prefix('/')) == Some(stem))
}

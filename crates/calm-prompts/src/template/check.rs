//! What can be said about a file before it is rendered: variables that do not exist, comparisons that cannot hold.

use super::error::{Mistake, closest};
use super::schema::{self, Kind, Named};
use super::syntax::{Expr, Include, Node, Operand, Operator, PathPart, Template, Variable};
use crate::Both;
use crate::both::both;

/// More mistakes in one file help nobody.
pub(super) const MOST_MISTAKES: usize = 100;

/// The mistakes, in the order of the file.
pub(super) fn check(template: &Template) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    template.walk(&mut |node| match node {
        _ if mistakes.len() >= MOST_MISTAKES => {}
        Node::Value(variable) => mistakes.extend(value(variable).err()),
        Node::Include(include) => {
            for part in &include.parts {
                if let PathPart::Value(variable) = part {
                    mistakes.extend(value(variable).err());
                }
            }
        }
        Node::If(branch) => condition(&branch.condition, &mut mistakes),
        Node::Text(_) | Node::Literal(_) | Node::Comment { .. } | Node::Slot { .. } => {}
    });
    mistakes
}

/// Whether a path is made of what the user wrote.
pub(super) fn holds_free_text(include: &Include) -> bool {
    include.parts.iter().any(|part| match part {
        PathPart::Text(_) => false,
        PathPart::Value(variable) => !matches!(schema::named(&variable.path), Named::Variable(Kind::Choice(_))),
    })
}

/// Paths that an include can come to, each value in it taken at every choice; `None` where a value is free text.
pub(super) fn targets(include: &Include) -> Option<Vec<String>> {
    let mut paths = vec![String::new()];
    for part in &include.parts {
        match part {
            PathPart::Text(text) => paths.iter_mut().for_each(|path| path.push_str(text)),
            PathPart::Value(variable) => {
                let Named::Variable(Kind::Choice(names)) = schema::named(&variable.path) else { return None };
                paths = paths.iter().flat_map(|path| names.iter().map(move |name| format!("{path}{name}"))).collect();
                // A path of many values is nobody's prompt, and its product would not fit.
                if paths.len() > 1000 {
                    return None;
                }
            }
        }
    }
    Some(paths)
}

fn value(variable: &Variable) -> Result<Kind, Mistake> {
    match schema::named(&variable.path) {
        Named::Variable(kind) => Ok(kind),
        Named::Group => {
            let path = shown(&variable.path);
            let problem = both!("{path} — это группа значений", "{path} is a group of values");
            let hint = both!("назови одну из её частей", "name one of its parts");
            Err(Mistake::new(variable.offset, problem).hint(hint))
        }
        Named::Nothing => Err(unknown(variable)),
    }
}

fn unknown(variable: &Variable) -> Mistake {
    let path = shown(&variable.path);
    let mistake = Mistake::new(variable.offset, both!("переменной {path} нет", "there is no variable {path}"));
    match schema::near(&variable.path) {
        Some(near) => mistake.hint(both!("может быть, `{near}`?", "did you mean `{near}`?")),
        None => mistake,
    }
}

fn shown(path: &str) -> String {
    match path.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", path.get(..at).unwrap_or_default()),
        None => path.to_owned(),
    }
}

fn condition(expr: &Expr, mistakes: &mut Vec<Mistake>) {
    match expr {
        Expr::Any(parts) | Expr::All(parts) => parts.iter().for_each(|part| condition(part, mistakes)),
        Expr::Not(inner) => condition(inner, mistakes),
        // Whether a group is there at all is a fair question.
        Expr::Is(Operand::Variable(variable)) => {
            if schema::named(&variable.path) == Named::Nothing {
                mistakes.push(unknown(variable));
            }
        }
        Expr::Is(_) => {}
        Expr::Compare { left, operator, right } => {
            let before = mistakes.len();
            let kinds = [left, right].map(|side| match side {
                Operand::Variable(variable) => value(variable).map_err(|mistake| mistakes.push(mistake)).ok(),
                _ => None,
            });
            if mistakes.len() == before {
                for (variable, kind, other) in [(left, kinds[0], right), (right, kinds[1], left)] {
                    if let (Operand::Variable(variable), Some(kind)) = (variable, kind) {
                        mistakes.extend(compared(variable, kind, *operator, other));
                    }
                }
            }
        }
    }
}

fn named_of(operand: &Operand) -> Named {
    match operand {
        Operand::Variable(variable) => schema::named(&variable.path),
        _ => Named::Nothing,
    }
}

fn compared(variable: &Variable, kind: Kind, operator: Operator, other: &Operand) -> Option<Mistake> {
    let ordering = !matches!(operator, Operator::Equal | Operator::NotEqual);
    let path = &variable.path;
    let mistake = |problem: Both| Some(Mistake::new(variable.offset, problem));
    if kind == Kind::List {
        return mistake(both!(
            "{path} — список, он либо есть, либо нет",
            "{path} is a list, which can only be there or not"
        ));
    }
    if let (Operand::Variable(other), Named::Variable(other_kind)) = (other, named_of(other)) {
        let alike = std::mem::discriminant(&kind) == std::mem::discriminant(&other_kind)
            || matches!((kind, other_kind), (Kind::Text | Kind::Choice(_), Kind::Text | Kind::Choice(_)))
            || matches!((kind, other_kind), (Kind::Whole(..) | Kind::Share, Kind::Whole(..) | Kind::Share));
        if !alike {
            let other = &other.path;
            return mistake(both!("в {path} и {other} лежит разное", "{path} and {other} hold different things"));
        }
    }
    if ordering && !matches!(kind, Kind::Whole(..) | Kind::Share) {
        let Both { ru, en } = schema::expected(kind);
        return mistake(both!("{path} не больше и не меньше: это {ru}", "{path} has no order: it is {en}"));
    }
    match (kind, other) {
        (_, Operand::Variable(_)) | (Kind::Text, Operand::Text(_)) | (Kind::Flag, Operand::Flag(_)) => None,
        (Kind::Whole(..) | Kind::Share, Operand::Number(_)) => None,
        (Kind::Choice(names), Operand::Text(name)) if names.contains(&name.as_str()) => None,
        (Kind::Choice(names), Operand::Text(name)) => {
            let (name, all) = (shown(name), names.join(", "));
            let wrong = Mistake::new(variable.offset, both!("{path} не бывает «{name}»", "{path} is never “{name}”"));
            Some(match closest(&name, names.iter().copied()) {
                Some(near) => wrong.hint(both!("может быть, «{near}»?", "did you mean “{near}”?")),
                None => wrong.hint(both!("бывает {all}", "it is {all}")),
            })
        }
        _ => {
            let Both { ru, en } = schema::expected(kind);
            mistake(both!(
                "{path} — это {ru}, а сравнивается с чем-то другим",
                "{path} is {en}, and is compared with something else"
            ))
        }
    }
}

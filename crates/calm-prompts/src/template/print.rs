//! From the syntax tree back to text, in one way of writing it.

use std::fmt::{self, Write};

use super::syntax::{Expr, If, Node, Operand, PathPart, Template};

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nodes(&self.nodes, f)
    }
}

fn nodes(nodes: &[Node], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    nodes.iter().try_for_each(|node| match node {
        Node::Text(text) => f.write_str(text),
        Node::Value(variable) => write!(f, "{{{{{}}}}}", variable.path),
        Node::Literal(text) => write!(f, "{{{{{}}}}}", Quoted(text)),
        Node::Slot { name, .. } => write!(f, "{{{name}}}"),
        Node::Comment { text, alone } => {
            let dashes = if text.contains("}}") { "--" } else { "" };
            write!(f, "{{{{!{dashes} {text} {dashes}}}}}")?;
            end(*alone, f)
        }
        Node::Include(include) => {
            f.write_str("{{include ")?;
            for part in &include.parts {
                match part {
                    PathPart::Text(text) => f.write_str(text)?,
                    PathPart::Value(variable) => write!(f, "{{{{{}}}}}", variable.path)?,
                }
            }
            f.write_str("}}")?;
            end(include.alone, f)
        }
        Node::If(branch) => condition(branch, f),
    })
}

fn condition(branch: &If, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{{{{#if {}}}}}", branch.condition)?;
    end(branch.alone, f)?;
    nodes(&branch.then, f)?;
    if let Some(otherwise) = &branch.otherwise {
        f.write_str("{{else}}")?;
        end(otherwise.alone, f)?;
        nodes(&otherwise.nodes, f)?;
    }
    f.write_str("{{/if}}")?;
    end(branch.end_alone, f)
}

fn end(alone: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if alone { f.write_char('\n') } else { Ok(()) }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Any(parts) => joined(parts, " || ", |_| false, f),
            Expr::All(parts) => joined(parts, " && ", |part| matches!(part, Expr::Any(_)), f),
            Expr::Not(inner) if matches!(**inner, Expr::Any(_) | Expr::All(_) | Expr::Compare { .. }) => {
                write!(f, "!({inner})")
            }
            Expr::Not(inner) => write!(f, "!{inner}"),
            Expr::Compare { left, operator, right } => write!(f, "{left} {} {right}", operator.sign()),
            Expr::Is(operand) => write!(f, "{operand}"),
        }
    }
}

fn joined(parts: &[Expr], sign: &str, bracketed: fn(&Expr) -> bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(sign)?;
        }
        // `(a || b) || c` is not `a || b || c` in the tree.
        let nested = matches!(part, Expr::Any(_)) || matches!(part, Expr::All(_)) && sign == " && ";
        if nested || bracketed(part) { write!(f, "({part})")? } else { write!(f, "{part}")? }
    }
    Ok(())
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Variable(variable) => f.write_str(&variable.path),
            Operand::Text(text) => write!(f, "{}", Quoted(text)),
            Operand::Number(number) => write!(f, "{number}"),
            Operand::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// In whichever quotation marks the text does not hold; the parser lets no text hold both.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.0.contains('"') { '\'' } else { '"' };
        write!(f, "{mark}{}{mark}", self.0)
    }
}

//! The conditions of `{{#if …}}`.

use super::DEEPEST_NESTING;
use super::error::Mistake;
use super::schema;
use super::syntax::{Expr, Operand, Operator, Variable};
use crate::both::both;

const SIGNS: [(&str, Token); 10] = [
    ("==", Token::Compare(Operator::Equal)),
    ("!=", Token::Compare(Operator::NotEqual)),
    (">=", Token::Compare(Operator::AtLeast)),
    ("<=", Token::Compare(Operator::AtMost)),
    ("&&", Token::And),
    ("||", Token::Or),
    (">", Token::Compare(Operator::Greater)),
    ("<", Token::Compare(Operator::Less)),
    ("!", Token::Not),
    ("(", Token::Open),
];

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Compare(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
    Operand(Operand),
}

/// `offset` is where `text` begins in the source.
pub(super) fn parse(text: &str, offset: usize) -> Result<Expr, Mistake> {
    let tokens = tokens(text, offset)?;
    let mut parser = Parser { tokens: &tokens, next: 0, end: offset + text.trim_end().len() };
    let expr = parser.any(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some((at, Token::Close)) => {
            Err(Mistake::new(*at, both!("эта `)` ничего не закрывает", "this `)` closes nothing")))
        }
        Some((at, Token::Compare(_))) => {
            Err(Mistake::new(*at, both!("сравнения подряд не пишутся", "comparisons do not chain"))
                .hint(both!("соедини их через `&&`", "join two of them with `&&`")))
        }
        Some((at, _)) => {
            Err(Mistake::new(*at, both!("здесь не хватает `&&` или `||`", "`&&` or `||` is missing here")))
        }
    }
}

struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    next: usize,
    end: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&(usize, Token)> {
        self.tokens.get(self.next)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek().is_some_and(|(_, token)| token == wanted);
        self.next += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Result<Expr, Mistake> {
        let mut parts = vec![self.all(depth)?];
        while self.take(&Token::Or) {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Expr::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Expr, Mistake> {
        let mut parts = vec![self.not(depth)?];
        while self.take(&Token::And) {
            parts.push(self.not(depth)?);
        }
        Ok(one_or(parts, Expr::All))
    }

    fn not(&mut self, depth: usize) -> Result<Expr, Mistake> {
        let at = self.peek().map_or(self.end, |(at, _)| *at);
        if depth >= DEEPEST_NESTING {
            return Err(Mistake::new(
                at,
                both!("условие вложено слишком глубоко", "the condition is nested too deeply"),
            ));
        }
        if self.take(&Token::Not) {
            return Ok(Expr::Not(Box::new(self.not(depth + 1)?)));
        }
        if self.take(&Token::Open) {
            let inner = self.any(depth + 1)?;
            if !self.take(&Token::Close) {
                return Err(Mistake::new(at, both!("эта `(` не закрыта", "this `(` is never closed")));
            }
            return Ok(inner);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr, Mistake> {
        let left = self.operand()?;
        let Some((_, Token::Compare(operator))) = self.peek() else { return Ok(Expr::Is(left)) };
        let operator = *operator;
        self.next += 1;
        Ok(Expr::Compare { left, operator, right: self.operand()? })
    }

    fn operand(&mut self) -> Result<Operand, Mistake> {
        match self.peek() {
            Some((_, Token::Operand(operand))) => {
                let operand = operand.clone();
                self.next += 1;
                Ok(operand)
            }
            Some((at, _)) => Err(Mistake::new(
                *at,
                both!(
                    "здесь не хватает переменной, текста или числа",
                    "a variable, a text or a number is missing here"
                ),
            )),
            None => Err(Mistake::new(self.end, both!("условие обрывается", "the condition breaks off"))),
        }
    }
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}

fn tokens(text: &str, offset: usize) -> Result<Vec<(usize, Token)>, Mistake> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = offset + text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let sign = SIGNS.iter().find_map(|(sign, token)| Some((rest.strip_prefix(sign)?, token.clone())));
        let (after, token) = if let Some(found) = sign {
            found
        } else if let Some(after) = rest.strip_prefix(')') {
            (after, Token::Close)
        } else if first == '"' || first == '\'' {
            let (after, text) = quoted(rest, at)?;
            (after, Token::Operand(Operand::Text(text)))
        } else {
            word(rest, at)?
        };
        tokens.push((at, token));
        rest = after;
    }
}

/// A text in straight quotes, either kind; the other kind may stand inside.
pub(super) fn quoted(text: &str, at: usize) -> Result<(&str, String), Mistake> {
    let mark = text.chars().next().unwrap_or('"');
    let inner = text.get(mark.len_utf8()..).unwrap_or_default();
    match inner.split_once(mark) {
        Some((quoted, after)) => Ok((after, quoted.to_owned())),
        None => Err(Mistake::new(at, both!("у этой кавычки нет пары", "this quotation mark has no partner"))),
    }
}

fn word(text: &str, at: usize) -> Result<(&str, Token), Mistake> {
    let end = text.find(|c: char| c.is_whitespace() || "=!<>&|()\"'".contains(c)).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let operand = match word {
        "" if text.starts_with('=') => {
            return Err(Mistake::new(at, both!("один `=` ничего не сравнивает", "one `=` compares nothing"))
                .hint(both!("напиши `==`", "write `==`")));
        }
        "" => {
            return Err(Mistake::new(at, both!("не хватает одного знака", "one sign is missing"))
                .hint(both!("напиши `&&` или `||`", "write `&&` or `||`")));
        }
        "true" => Operand::Flag(true),
        "false" => Operand::Flag(false),
        "and" | "or" | "not" => {
            return Err(Mistake::new(at, both!("`{word}` — не оператор", "`{word}` is no operator"))
                .hint(both!("напиши `&&`, `||` или `!`", "write `&&`, `||` or `!`")));
        }
        _ if word.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) => number(word, at)?,
        _ => Operand::Variable(variable(word, at)?),
    };
    Ok((after, Token::Operand(operand)))
}

fn number(word: &str, at: usize) -> Result<Operand, Mistake> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Operand::Number(number)),
        _ => Err(Mistake::new(at, both!("это не число", "this is no number"))
            .hint(both!("числа пишутся как 7 или 0.5", "numbers look like 7 or 0.5"))),
    }
}

/// `name.name.name`
pub(super) fn variable(word: &str, at: usize) -> Result<Variable, Mistake> {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if word.split('.').all(is_name) {
        return Ok(Variable { path: word.to_owned(), offset: at, keys: schema::keys(word) });
    }
    Err(Mistake::new(at, both!("это не переменная", "this is no variable")).hint(both!(
        "переменная пишется как user.name, а текст стоит в кавычках",
        "a variable looks like user.name; a text stands in quotes"
    )))
}

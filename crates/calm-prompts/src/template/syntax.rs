//! The syntax tree.
//!
//! A tag that stands alone on its line has taken the line's blanks and its end with it; `alone` says so, for the
//! printer. Spans are byte offsets into the source.

/// One parsed file.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Text(String),
    /// `{{user.name}}`
    Value(Variable),
    /// `{{"literal"}}`
    Literal(String),
    /// `{{include check-in/{{session.format}}.md}}`
    Include(Include),
    If(If),
    /// `{{! … }}`
    Comment {
        text: String,
        alone: bool,
    },
    /// `{placeholder}` of the envelope.
    Slot {
        name: String,
        offset: usize,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// As it was written, with dots.
    pub path: String,
    pub offset: usize,
    /// The parts of the path, with aliases resolved.
    pub keys: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Include {
    pub parts: Vec<PathPart>,
    pub offset: usize,
    pub alone: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PathPart {
    Text(String),
    Value(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub struct If {
    pub condition: Expr,
    /// Of the opening tag.
    pub offset: usize,
    pub alone: bool,
    pub then: Vec<Node>,
    pub otherwise: Option<Else>,
    /// The closing tag stands alone on its line.
    pub end_alone: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Else {
    pub alone: bool,
    pub nodes: Vec<Node>,
}

/// `||` binds loosest, then `&&`, then `!`; comparisons do not chain.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Any(Vec<Expr>),
    All(Vec<Expr>),
    Not(Box<Expr>),
    Compare { left: Operand, operator: Operator, right: Operand },
    Is(Operand),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Variable(Variable),
    Text(String),
    Number(f64),
    Flag(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    Greater,
    AtLeast,
    Less,
    AtMost,
}

impl Operator {
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Greater => ">",
            Operator::AtLeast => ">=",
            Operator::Less => "<",
            Operator::AtMost => "<=",
        }
    }
}

impl Template {
    /// Every node, those inside conditions too.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        walk(&self.nodes, visit);
    }
}

fn walk<'a>(nodes: &'a [Node], visit: &mut impl FnMut(&'a Node)) {
    for node in nodes {
        visit(node);
        if let Node::If(branch) = node {
            walk(&branch.then, visit);
            if let Some(otherwise) = &branch.otherwise {
                walk(&otherwise.nodes, visit);
            }
        }
    }
}

impl Expr {
    pub fn variables<'a>(&'a self, visit: &mut impl FnMut(&'a Variable)) {
        match self {
            Expr::Any(parts) | Expr::All(parts) => parts.iter().for_each(|part| part.variables(visit)),
            Expr::Not(inner) => inner.variables(visit),
            Expr::Compare { left, right, .. } => [left, right].into_iter().for_each(|it| it.variables(visit)),
            Expr::Is(operand) => operand.variables(visit),
        }
    }
}

impl Operand {
    fn variables<'a>(&'a self, visit: &mut impl FnMut(&'a Variable)) {
        if let Operand::Variable(variable) = self {
            visit(variable);
        }
    }
}

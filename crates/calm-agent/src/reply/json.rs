//! JSON as small models write it: single quotes, bare keys, trailing commas, Python's words, line breaks in strings.

use serde_json::{Map, Value};

/// Nothing that a tool takes is nested deeper.
const DEEPEST: usize = 32;

/// The value at the beginning of `text`: strict JSON where it is, else what was meant. With its length in bytes.
pub fn value_at(text: &str) -> Option<(Value, usize)> {
    let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(value)) = strict.next() {
        return Some((value, strict.byte_offset()));
    }
    let mut lenient = Lenient { text, at: 0 };
    let value = lenient.value(0)?;
    Some((value, lenient.at))
}

/// Named arguments between round brackets, `(mood="calm", minutes=3)`, or an object between them.
pub fn arguments_at(text: &str) -> Option<(Value, usize)> {
    let mut lenient = Lenient { text, at: 0 };
    lenient.eat('(')?;
    lenient.space();
    if lenient.peek() == Some('{') {
        let value = lenient.value(1)?;
        lenient.space();
        lenient.eat(')')?;
        return Some((value, lenient.at));
    }
    let value = lenient.members(')', 1)?;
    Some((value, lenient.at))
}

struct Lenient<'a> {
    text: &'a str,
    at: usize,
}

impl Lenient<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, expected: char) -> Option<()> {
        let found = self.peek()? == expected;
        found.then(|| self.at += expected.len_utf8())
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.space();
        match self.peek()? {
            '{' => {
                self.eat('{')?;
                self.members('}', depth + 1)
            }
            '[' => self.array(depth + 1),
            quote @ ('"' | '\'') => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    /// `key: value` or `key=value`, up to and with `close`.
    fn members(&mut self, close: char, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        loop {
            self.space();
            if self.eat(close).is_some() {
                return Some(Value::Object(members));
            }
            let key = match self.peek()? {
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => self.bare()?.to_owned(),
            };
            self.space();
            self.eat(':').or_else(|| self.eat('='))?;
            let value = self.value(depth)?;
            members.insert(key, value);
            self.space();
            if self.eat(',').is_none() && self.peek()? != close {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.eat('[')?;
        let mut items = Vec::new();
        loop {
            self.space();
            if self.eat(']').is_some() {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.space();
            if self.eat(',').is_none() && self.peek()? != ']' {
                return None;
            }
        }
    }

    /// A quote ends the string only where something may follow it: models forget to escape those inside.
    fn string(&mut self, quote: char) -> Option<String> {
        self.eat(quote)?;
        let mut said = String::new();
        loop {
            let letter = self.peek()?;
            self.at += letter.len_utf8();
            match letter {
                '\\' => self.escape(&mut said)?,
                letter if letter == quote => {
                    let next = self.rest().trim_start_matches([' ', '\t', '\r', '\n']).chars().next();
                    if next.is_none_or(|next| matches!(next, ',' | ':' | '}' | ']' | ')' | '=')) {
                        return Some(said);
                    }
                    said.push(letter);
                }
                letter => said.push(letter),
            }
        }
    }

    fn escape(&mut self, said: &mut String) -> Option<()> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        said.push(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' | 'f' => ' ',
            'u' => self.code_point()?,
            other => other,
        });
        Some(())
    }

    /// Behind `\u`; half a pair without the other half becomes the sign for what cannot be read.
    fn code_point(&mut self) -> Option<char> {
        let high = self.four_digits()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let after_high = self.at;
        if self.eat('\\').is_some() && self.eat('u').is_some() {
            let low = self.four_digits()?;
            if (0xdc00..0xe000).contains(&low) {
                return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
        }
        self.at = after_high;
        Some(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let number = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(number)
    }

    fn bare(&mut self) -> Option<&str> {
        let rest = &self.text[self.at..];
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+')));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        (!word.is_empty()).then_some(word)
    }

    fn word(&mut self) -> Option<Value> {
        Some(match self.bare()? {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "undefined" => Value::Null,
            word => number(word).unwrap_or_else(|| Value::String(word.to_owned())),
        })
    }
}

fn number(word: &str) -> Option<Value> {
    if !word.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.')) {
        return None;
    }
    if let Ok(whole) = word.parse::<i64>() {
        return Some(whole.into());
    }
    word.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::strict(r#"{"a": 1} and more"#, json!({"a": 1}), 8)]
    #[case::python("{'tool': 'x', 'ok': True, 'no': None,}", json!({"tool": "x", "ok": true, "no": null}), 38)]
    #[case::bare_keys("{tool: x, n: -2.5}", json!({"tool": "x", "n": -2.5}), 18)]
    #[case::a_quote_inside(r#"{"a": "he said "no" and left"}"#, json!({"a": "he said \"no\" and left"}), 30)]
    #[case::a_line_break("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"}), 16)]
    #[case::apostrophe("{'a': 'don't'}", json!({"a": "don't"}), 14)]
    #[case::escapes("{'a': '\\ud83d\\ude42\\ud83d!'}", json!({"a": "🙂\u{fffd}!"}), 28)]
    #[case::nested("[{'a': [1, 2,]},]", json!([{"a": [1, 2]}]), 17)]
    fn as_it_was_meant(#[case] text: &str, #[case] expected: Value, #[case] length: usize) {
        assert_eq!(value_at(text), Some((expected, length)));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::unfinished("{\"a\": [1, 2")]
    #[case::no_value("{\"a\": }")]
    #[case::prose("{see below}")]
    fn no_json(#[case] text: &str) {
        assert_eq!(value_at(text), None);
    }

    #[test]
    fn depth_is_no_danger() {
        assert_eq!(value_at(&"[".repeat(100_000)), None);
        assert_eq!(value_at(&"{'a':".repeat(100_000)), None);
    }

    #[rstest]
    #[case::named("(mood='calm', minutes=3)", json!({"mood": "calm", "minutes": 3}), 24)]
    #[case::object("({\"minutes\": 3})", json!({"minutes": 3}), 16)]
    #[case::none("()", json!({}), 2)]
    fn arguments(#[case] text: &str, #[case] expected: Value, #[case] length: usize) {
        assert_eq!(arguments_at(text), Some((expected, length)));
    }
}

//! Holding a value against a schema of [`super::specs`], forgiving what changes no meaning.
//!
//! Numbers as text, the case of a name, `check_in` for `check-in`, fields that nobody knows, an object as JSON text:
//! put right. A value out of range or a name that is not in the list: refused, with the place and what would fit.

use serde_json::{Map, Value};

use super::BadCall;

/// Longest JSON that is read out of a text, in bytes.
const LONGEST_JSON: usize = 64 * 1024;

pub fn fit(schema: &Value, value: &Value, path: &str) -> Result<Value, BadCall> {
    let joined = joined(schema, value);
    let value = joined.as_ref().unwrap_or(value);
    let may_be_null = is_type(schema, "null");
    if value.is_null() || may_be_null && says_nothing(schema, value) {
        return if may_be_null { Ok(Value::Null) } else { Err(BadCall::new(path, expected(schema))) };
    }
    let fitted = if is_type(schema, "object") {
        return object(schema, value, path);
    } else if is_type(schema, "array") {
        return array(schema, value, path);
    } else if schema.get("enum").is_some() {
        name(schema, value)
    } else if is_type(schema, "integer") {
        whole(schema, value)
    } else if is_type(schema, "number") {
        number(schema, value)
    } else if is_type(schema, "boolean") {
        truth(value)
    } else {
        text(schema, value)
    };
    fitted.ok_or_else(|| BadCall::new(path, expected(schema)))
}

fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    }
}

/// "None", "n/a" and an empty text, where nothing may be said and none of the names is called so.
fn says_nothing(schema: &Value, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let empty = matches!(plain(text).as_str(), "" | "null" | "none" | "na" | "unknown" | "notdiscussed" | "undefined");
    empty && name(schema, value).is_none()
}

/// The value that is expected at a place, for whoever has to repair the call.
fn expected(schema: &Value) -> String {
    let or_null = if is_type(schema, "null") { ", or null" } else { "" };
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        return format!("must be one of {}{or_null}", names.join(", "));
    }
    let bounds = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        _ => String::new(),
    };
    let kind = if is_type(schema, "object") {
        "an object"
    } else if is_type(schema, "array") {
        "a list"
    } else if is_type(schema, "integer") {
        "a whole number"
    } else if is_type(schema, "number") {
        "a number"
    } else if is_type(schema, "boolean") {
        "true or false"
    } else {
        let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or_default();
        return format!("must be a text of 1 to {longest} characters{or_null}");
    };
    format!("must be {kind}{bounds}{or_null}")
}

/// Letters and figures alone, in lower case: how names are compared.
pub fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(60).collect()
}

/// JSON that came as a text.
pub fn unpacked(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    (text.len() <= LONGEST_JSON && text.starts_with(['{', '['])).then(|| serde_json::from_str(text).ok())?
}

fn object(schema: &Value, value: &Value, path: &str) -> Result<Value, BadCall> {
    let unpacked = unpacked(value);
    let given = unpacked.as_ref().unwrap_or(value);
    let Some(given) = given.as_object() else { return Err(BadCall::new(path, expected(schema))) };
    let mut out = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, of_key) in properties.into_iter().flatten() {
        let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key));
        let wanted = plain(key);
        let found = given.get(key).or_else(|| given.iter().find(|(name, _)| plain(name) == wanted).map(|(_, v)| v));
        match found {
            // Not said, and not asked for either.
            None | Some(Value::Null) if !required => {}
            None => return Err(BadCall::new(&place, format!("is missing: it {}", expected(of_key)))),
            Some(found) => {
                let fitted = fit(of_key, found, &place)?;
                if required || !fitted.is_null() {
                    out.insert(key.clone(), fitted);
                }
            }
        }
    }
    Ok(Value::Object(out))
}

fn array(schema: &Value, value: &Value, path: &str) -> Result<Value, BadCall> {
    let unpacked = unpacked(value);
    let given = match unpacked.as_ref().unwrap_or(value) {
        Value::Array(items) => items.as_slice(),
        Value::Object(_) => return Err(BadCall::new(path, expected(schema))),
        one => std::slice::from_ref(one),
    };
    let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
    if given.len() as u64 > most {
        return Err(BadCall::new(path, format!("must hold at most {most} items")));
    }
    let items = given.iter().enumerate().map(|(at, item)| fit(&schema["items"], item, &format!("{path}[{at}]")));
    items.collect::<Result<Vec<Value>, BadCall>>().map(Value::Array)
}

fn name(schema: &Value, value: &Value) -> Option<Value> {
    let said = plain(value.as_str()?);
    let names = schema.get("enum")?.as_array()?.iter();
    names.filter_map(Value::as_str).find(|name| plain(name) == said).map(Value::from)
}

fn whole(schema: &Value, value: &Value) -> Option<Value> {
    let said = match value {
        Value::Number(number) => number.as_i64().or_else(|| whole_of(number.as_f64()?))?,
        Value::String(text) => {
            let text = text.trim();
            text.parse::<i64>().ok().or_else(|| whole_of(text.parse().ok()?))?
        }
        _ => return None,
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    let fits = bound("minimum").is_none_or(|least| said >= least) && bound("maximum").is_none_or(|most| said <= most);
    fits.then(|| Value::from(said))
}

/// 7.0 is 7; 7.5 is neither.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked, and so is that nothing is lost")]
fn whole_of(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

fn number(schema: &Value, value: &Value) -> Option<Value> {
    let said = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().replace(',', ".").parse::<f64>().ok()?,
        _ => return None,
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let fits = bound("minimum").is_none_or(|least| said >= least) && bound("maximum").is_none_or(|most| said <= most);
    // Infinity and what is no number become no JSON.
    serde_json::Number::from_f64(said).filter(|_| fits).map(Value::Number)
}

fn truth(value: &Value) -> Option<Value> {
    let said = match value {
        Value::Bool(said) => *said,
        Value::Number(number) => match number.as_i64()? {
            0 => false,
            1 => true,
            _ => return None,
        },
        Value::String(text) => match plain(text).as_str() {
            "true" | "yes" => true,
            "false" | "no" => false,
            _ => return None,
        },
        _ => return None,
    };
    Some(Value::Bool(said))
}

/// A list of texts where one text is wanted.
fn joined(schema: &Value, value: &Value) -> Option<Value> {
    let several = value.as_array().filter(|_| is_type(schema, "string") && schema.get("enum").is_none())?;
    let texts: Option<Vec<&str>> = several.iter().take(50).map(Value::as_str).collect();
    Some(Value::from(texts?.join("; ")))
}

/// A number is its own text.
fn text(schema: &Value, value: &Value) -> Option<Value> {
    let said = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let fits = !said.is_empty() && said.chars().count() as u64 <= longest;
    fits.then_some(Value::String(said))
}

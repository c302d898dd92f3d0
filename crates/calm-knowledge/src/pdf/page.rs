//! The content of a page: a small program that shows glyphs. It is run for the text alone.

use super::Work;
use super::font::Font;
use super::lines::Lines;
use super::matrix::Matrix;
use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::{Array, Dict, Name, Object, dict_or_stream};
use hayro_syntax::page::{Page, Resources};
use std::collections::HashMap;
use std::rc::Rc;

/// Forms within forms; deeper ones are shown by no printer.
const DEEPEST: usize = 12;
/// Saved states, and stretches of marked content within one another.
const MOST_NESTED: usize = 512;
/// What drawing a form costs beyond its length: a file may draw a small one without end.
const FORM: usize = 4096;

/// Why a page could not be run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The work or the text allowed for the whole document is used up.
    Spent,
}

/// What a page showed.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) lines: Lines,
    /// Glyphs with and without a text.
    pub(super) known: usize,
    pub(super) unknown: usize,
    pub(super) picture: bool,
    /// Some content could not be unpacked.
    pub(super) damaged: bool,
}

/// Fonts of a document by where their dictionary stands.
#[derive(Default)]
pub(super) struct Fonts(HashMap<(usize, usize), Rc<Font>>);

pub(super) fn run(page: &Page<'_>, fonts: &mut Fonts, work: &mut Work) -> Result<Shown, Stop> {
    let mut shown = Shown::default();
    let content = content(page, &mut shown, work)?;
    loop {
        let mut runner = Runner { shown, fonts, work, used: Vec::new() };
        runner.content(&content, page.resources(), Graphics::default(), 0)?;
        let Runner { shown: done, used, .. } = runner;
        // A font found to be another than it said: once more, from the start.
        if used.iter().filter(|font| font.turns_cyrillic()).count() == 0 {
            return Ok(done);
        }
        work.spend(content.len())?;
        shown = Shown { damaged: done.damaged, ..Shown::default() };
    }
}

fn content(page: &Page<'_>, shown: &mut Shown, work: &mut Work) -> Result<Vec<u8>, Stop> {
    let mut content = Vec::new();
    let mut add = |object: Object<'_>| -> Result<(), Stop> {
        let Object::Stream(stream) = object else {
            shown.damaged = true;
            return Ok(());
        };
        match work.unpack(&stream)? {
            Some(bytes) => {
                content.extend(bytes);
                content.push(b' ');
            }
            None => shown.damaged = true,
        }
        Ok(())
    };
    match page.raw().get::<Object<'_>>("Contents") {
        Some(Object::Array(streams)) => streams.iter::<Object<'_>>().take(MOST_NESTED * 8).try_for_each(add)?,
        Some(object) => add(object)?,
        None => {}
    }
    Ok(content)
}

#[derive(Clone)]
struct Graphics {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl Default for Graphics {
    fn default() -> Self {
        Self {
            matrix: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// A stretch of content that says what it is.
enum Mark {
    Plain,
    /// Page numbers, running heads.
    Pagination,
    /// What its glyphs stand for; taken by the first of them.
    Instead(Option<String>),
}

struct Runner<'w> {
    shown: Shown,
    fonts: &'w mut Fonts,
    work: &'w mut Work,
    used: Vec<Rc<Font>>,
}

/// The state of one stretch of content.
struct Run<'r, 'a> {
    resources: &'r Resources<'a>,
    now: Graphics,
    saved: Vec<Graphics>,
    text: Matrix,
    line: Matrix,
    marks: Vec<Mark>,
    depth: usize,
}

impl Runner<'_> {
    fn content(&mut self, bytes: &[u8], resources: &Resources<'_>, now: Graphics, depth: usize) -> Result<(), Stop> {
        let (text, line) = (Matrix::IDENTITY, Matrix::IDENTITY);
        let mut run = Run { resources, now, saved: Vec::new(), text, line, marks: Vec::new(), depth };
        let mut instructions = UntypedIter::new(bytes);
        while let Some(instruction) = instructions.next() {
            self.step(&mut run, &instruction)?;
        }
        Ok(())
    }

    fn step(&mut self, run: &mut Run<'_, '_>, instruction: &Instruction<'_, '_>) -> Result<(), Stop> {
        let operator: &[u8] = instruction.operator.as_ref();
        let number = |index| match instruction.operands().nth(index) {
            Some(Object::Number(number)) => number.as_f64(),
            _ => 0.0,
        };
        match operator {
            b"q" if run.saved.len() < MOST_NESTED => run.saved.push(run.now.clone()),
            b"Q" => run.now = run.saved.pop().unwrap_or_else(|| run.now.clone()),
            b"cm" => run.now.matrix = Matrix(std::array::from_fn(number)).then(run.now.matrix),
            b"BT" => (run.text, run.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Tf" => {
                run.now.size = number(1);
                if let Some(Object::Name(name)) = instruction.operands().next() {
                    run.now.font = self.font(run.resources, name)?;
                }
            }
            b"Tc" => run.now.letter_space = number(0),
            b"Tw" => run.now.word_space = number(0),
            b"Tz" => run.now.scale = number(0) / 100.0,
            b"TL" => run.now.leading = number(0),
            b"Ts" => run.now.rise = number(0),
            b"Td" => run.next_line(number(0), number(1)),
            b"TD" => {
                run.now.leading = -number(1);
                run.next_line(number(0), number(1));
            }
            b"Tm" => {
                run.line = Matrix(std::array::from_fn(number));
                run.text = run.line;
            }
            b"T*" => run.next_line(0.0, -run.now.leading),
            b"Tj" => self.show_operand(run, instruction.operands().next())?,
            b"'" | b"\"" => {
                if operator == b"\"" {
                    (run.now.word_space, run.now.letter_space) = (number(0), number(1));
                }
                run.next_line(0.0, -run.now.leading);
                self.show_operand(run, instruction.operands().last())?;
            }
            b"TJ" => {
                if let Some(Object::Array(array)) = instruction.operands().next() {
                    self.show_array(run, array)?;
                }
            }
            b"BI" => self.shown.picture = true,
            b"Do" => {
                if let Some(Object::Name(name)) = instruction.operands().next() {
                    self.draw(run, name)?;
                }
            }
            b"BMC" if run.marks.len() < MOST_NESTED => run.marks.push(Mark::Plain),
            b"BDC" if run.marks.len() < MOST_NESTED => {
                let mark = run.mark(instruction);
                run.marks.push(mark);
            }
            b"EMC" => drop(run.marks.pop()),
            _ => {}
        }
        Ok(())
    }

    fn font(&mut self, resources: &Resources<'_>, name: &Name<'_>) -> Result<Option<Rc<Font>>, Stop> {
        let Some(dict) = resources.get_font(name) else { return Ok(None) };
        let key = (dict.data().as_ptr().addr(), dict.data().len());
        if !self.fonts.0.contains_key(&key) {
            let (mut spent, work) = (Ok(()), &mut *self.work);
            let font = Font::new(&dict, &mut |stream| match work.unpack(stream) {
                Ok(bytes) => bytes,
                Err(stop) => {
                    spent = Err(stop);
                    None
                }
            });
            spent?;
            work.spend(FORM)?;
            self.fonts.0.insert(key, Rc::new(font));
        }
        let font = self.fonts.0.get(&key).cloned();
        if let Some(font) = &font
            && !self.used.iter().any(|used| Rc::ptr_eq(used, font))
            && self.used.len() < MOST_NESTED
        {
            self.used.push(Rc::clone(font));
        }
        Ok(font)
    }

    fn draw(&mut self, run: &Run<'_, '_>, name: &Name<'_>) -> Result<(), Stop> {
        let Some(object) = run.resources.x_objects.get::<Object<'_>>(name) else { return Ok(()) };
        let Some((dict, stream)) = dict_or_stream(&object) else { return Ok(()) };
        // The stream of a picture was hidden from the parser, and only its dictionary is left.
        if dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Image") {
            self.shown.picture = true;
            return Ok(());
        }
        let Some(stream) = stream.filter(|_| run.depth < DEEPEST) else { return Ok(()) };
        self.work.spend(FORM)?;
        let Some(content) = self.work.unpack(stream)? else {
            self.shown.damaged = true;
            return Ok(());
        };
        let mut now = run.now.clone();
        if let Some(matrix) = dict.get::<Array<'_>>("Matrix") {
            let mut numbers = matrix.iter::<f32>().map(f64::from);
            now.matrix = Matrix(std::array::from_fn(|_| numbers.next().unwrap_or(0.0))).then(now.matrix);
        }
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.content(&content, &Resources::new(own), now, run.depth + 1),
            None => self.content(&content, run.resources, now, run.depth + 1),
        }
    }

    fn show_array(&mut self, run: &mut Run<'_, '_>, array: &Array<'_>) -> Result<(), Stop> {
        for item in array.iter::<Object<'_>>() {
            match item {
                Object::Number(number) => {
                    let back = number.as_f64() / 1000.0 * run.now.size * run.now.scale;
                    run.text = Matrix::shift(-back, 0.0).then(run.text);
                }
                item => self.show_operand(run, Some(&item))?,
            }
        }
        Ok(())
    }

    fn show_operand(&mut self, run: &mut Run<'_, '_>, operand: Option<&Object<'_>>) -> Result<(), Stop> {
        let Some(Object::String(string)) = operand else { return Ok(()) };
        let Some(font) = run.now.font.clone() else { return Ok(()) };
        let mut rest: &[u8] = string;
        while !rest.is_empty() {
            let (code, length) = font.code(rest);
            rest = &rest[length..];
            self.show(run, &font, code, length)?;
        }
        Ok(())
    }

    fn show(&mut self, run: &mut Run<'_, '_>, font: &Font, code: u32, length: usize) -> Result<(), Stop> {
        let now = &run.now;
        let width = font.width(code) * now.size;
        let word_space = if length == 1 && code == 32 { now.word_space } else { 0.0 };
        let place = Matrix([now.scale, 0.0, 0.0, 1.0, 0.0, now.rise]).then(run.text).then(now.matrix);
        let (from, to) = (place.at(0.0, 0.0), place.at(width, 0.0));
        let (top, scale) = (place.at(0.0, now.size), now.scale);
        let (letter_space, size) = (now.letter_space, (top.0 - from.0).hypot(top.1 - from.1));
        let text = font.text(code);
        match &text {
            Some(_) => self.shown.known += 1,
            None => self.shown.unknown += 1,
        }
        let mut text = text.unwrap_or_default();
        for mark in run.marks.iter_mut().rev() {
            match mark {
                Mark::Plain => {}
                Mark::Pagination => text.clear(),
                Mark::Instead(instead) => text = instead.take().unwrap_or_default(),
            }
        }
        self.work.write(&text)?;
        self.shown.lines.glyph(&text, from, to, size);
        run.text = Matrix::shift((width + letter_space + word_space) * scale, 0.0).then(run.text);
        Ok(())
    }
}

impl Run<'_, '_> {
    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.text = self.line;
    }

    fn mark(&self, instruction: &Instruction<'_, '_>) -> Mark {
        let properties = match instruction.operands().nth(1) {
            Some(Object::Dict(dict)) => Some(dict.clone()),
            Some(Object::Name(name)) => self.resources.properties.get::<Dict<'_>>(name),
            _ => None,
        };
        let Some(properties) = properties else { return Mark::Plain };
        if properties.get::<Name<'_>>("Type").is_some_and(|kind| kind.as_ref() == b"Pagination") {
            return Mark::Pagination;
        }
        match properties.get::<hayro_syntax::object::String<'_>>("ActualText") {
            Some(text) => Mark::Instead(Some(super::text_string(&text))),
            None => Mark::Plain,
        }
    }
}

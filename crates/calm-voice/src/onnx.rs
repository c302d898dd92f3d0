//! ONNX Runtime: found once, started once, shared by every small model.
//!
//! The library is loaded at run time from a path, so that a machine without it gets an error and not a crash.

use ort::environment::Environment;
use ort::session::Session;
use std::path::Path;
use std::sync::Mutex;

/// Kept for the life of the process: `ort` allows one environment and none after it.
static RUNTIME: Mutex<Option<Environment>> = Mutex::new(None);

#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    #[error("the ONNX Runtime library is not there")]
    LibraryMissing,
    #[error("the ONNX Runtime library cannot be used: {0}")]
    Library(String),
    #[error("ONNX Runtime is not started")]
    NotStarted,
    #[error("the model file is not there")]
    ModelMissing,
    #[error("the model cannot be loaded: {0}")]
    Model(String),
    #[error("the model has no `{0}`: it is a model for something else")]
    WrongModel(&'static str),
    #[error("the model failed to run: {0}")]
    Run(String),
}

/// For running only; opening a model has its own errors.
impl From<ort::Error> for OnnxError {
    fn from(error: ort::Error) -> Self {
        Self::Run(error.message().to_owned())
    }
}

/// Loads ONNX Runtime (1.24 or newer) from `library`. Once it is loaded, further calls do nothing.
///
/// # Errors
/// The file is missing, is not ONNX Runtime, or is too old. A later call may try another path.
pub fn start_onnxruntime(library: &Path) -> Result<(), OnnxError> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if runtime.is_some() {
        return Ok(());
    }
    // An absolute path: a bare name would be looked up beside the program and then in the system's folders.
    let library = library.canonicalize().map_err(|_| OnnxError::LibraryMissing)?;
    if !library.is_file() {
        return Err(OnnxError::LibraryMissing);
    }
    let environment = ort::init_from(&library)
        .map_err(|error| OnnxError::Library(error.to_string()))?
        .with_name("calm")
        .with_telemetry(false)
        .build()
        .map_err(|error| OnnxError::Library(error.message().to_owned()))?;
    *runtime = Some(environment);
    Ok(())
}

/// Opens a model that has the named inputs and outputs, on one thread: these models take milliseconds, and the
/// cores belong to the recogniser.
pub(crate) fn open(model: &Path, inputs: &[&'static str], outputs: &[&'static str]) -> Result<Session, OnnxError> {
    open_with(model, 1, inputs, outputs)
}

/// Opens a model that has the named inputs and outputs, on so many threads.
pub(crate) fn open_with(
    model: &Path,
    threads: usize,
    inputs: &[&'static str],
    outputs: &[&'static str],
) -> Result<Session, OnnxError> {
    let environment =
        RUNTIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone().ok_or(OnnxError::NotStarted)?;
    if !model.is_file() {
        return Err(OnnxError::ModelMissing);
    }
    let session = build(&environment, model, threads).map_err(|error| OnnxError::Model(error.message().to_owned()))?;
    let missing = |have: &[ort::value::Outlet], want: &[&'static str]| {
        want.iter().copied().find(|name| have.iter().all(|outlet| outlet.name() != *name))
    };
    match missing(session.inputs(), inputs).or_else(|| missing(session.outputs(), outputs)) {
        Some(name) => Err(OnnxError::WrongModel(name)),
        None => Ok(session),
    }
}

fn build(environment: &Environment, model: &Path, threads: usize) -> ort::Result<Session> {
    Session::builder(environment)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        // Threads that wait spinning are slow where another program wants the core.
        .with_intra_op_spinning(false)?
        .commit_from_file(model)
}

/// Why a model file could not be loaded.
package enum LlamaModelError: Error, Equatable, Sendable {
  case missingFile(path: String)
  case notARegularFile(path: String)
  /// `code` is the errno of opening or reading it.
  case unreadable(path: String, code: Int32)
  /// `magic` holds the first four bytes, or fewer where the file is shorter.
  case notGGUF(path: String, magic: [UInt8])
  /// llama.cpp rejected it as truncated, damaged, or of an unknown kind.
  case refused(path: String, fileSize: Int64, log: [String])
  case noVocabulary(path: String)
  case noChatTemplate(path: String)
  /// It does not write one token after another: a diffusion model or an encoder.
  case notAutoregressive(path: String)
  /// llama.cpp cannot read its chat template.
  case templateRefused(path: String, reason: String)
  /// It is a projector, but not for images.
  case noImages(path: String)
}

extension LlamaModelError: CustomStringConvertible {
  /// One line for the log.
  package var description: String {
    switch self {
    case .missingFile(let path): "no such file: \(path)"
    case .notARegularFile(let path): "not a regular file: \(path)"
    case .unreadable(let path, let code): "cannot be read (errno \(code)): \(path)"
    case .notGGUF(let path, let magic):
      "not a GGUF file (begins with \(String(decoding: magic, as: UTF8.self).debugDescription)): \(path)"
    case .refused(let path, let fileSize, let log):
      "refused by llama.cpp (\(fileSize) bytes; \(log.joined(separator: "; "))): \(path)"
    case .noVocabulary(let path): "has no vocabulary: \(path)"
    case .noChatTemplate(let path): "has no chat template: \(path)"
    case .notAutoregressive(let path):
      "is of a kind that does not write token by token (diffusion, or an encoder): \(path)"
    case .templateRefused(let path, let reason): "chat template refused (\(reason)): \(path)"
    case .noImages(let path): "is not an image projector: \(path)"
    }
  }
}

/// Why a context, a template or a generation failed; loading has its own ``LlamaModelError``.
package enum LlamaError: Error, Equatable, Sendable {
  /// llama.cpp created no context of this size, usually for lack of memory.
  case contextRefused(contextSize: Int, log: [String])
  case unknownSequence(Int32)
  case emptyPrompt
  case contextSizeExceeded(contextSize: Int, tokenCount: Int)
  /// The context does not fit, and would not without any earlier history either.
  case promptTooLarge(contextSize: Int, tokenCount: Int)
  /// The text ran to the end of the window and is neither a complete answer nor a call.
  case windowFilled(contextSize: Int, promptCount: Int)
  case cancelled
  /// `code` is what `llama_decode` returned.
  case decodeFailed(code: Int32)
  /// A saved state is damaged or does not fit this context.
  case stateRefused(byteCount: Int)
  case templateRefused(reason: String)
  case renderingFailed(reason: String)
  /// The model's chat template shows it no tools, or defines no form for its calls.
  case templateCannotCarryTools
  case requiredCallWithoutTools
  /// The model's chat template lets it think but has no such level.
  case unknownReasoningLevel(level: String)
  case samplingFailed(reason: String)
  /// An image cannot be decoded, or the projector cannot compute it.
  case imageRefused(reason: String)
  /// The model's answer does not have the form that its template defines.
  case unparseableOutput(text: String, reason: String)
  /// The model ended its answer without the required call.
  case requiredCallMissing(text: String)
}

extension LlamaError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .contextRefused(let size, let log):
      "llama.cpp could not create a context of \(size) tokens (\(log.joined(separator: "; ")))"
    case .unknownSequence(let number): "the context has no sequence \(number)"
    case .emptyPrompt: "the prompt is empty"
    case .contextSizeExceeded(let size, let count):
      "\(count) tokens do not fit into a window of \(size)"
    case .promptTooLarge(let size, let count):
      "\(count) tokens do not fit into a window of \(size), even without earlier history"
    case .windowFilled(let size, let count):
      "an answer to a prompt of \(count) tokens ran to the end of a window of \(size)"
    case .cancelled: "it was cancelled"
    case .decodeFailed(let code): "llama.cpp could not compute the tokens (code \(code))"
    case .stateRefused(let count):
      "a saved state of \(count) bytes is damaged, or belongs to another context"
    case .templateRefused(let reason): "the chat template cannot be used: \(reason)"
    case .renderingFailed(let reason): "the chat template could not be rendered: \(reason)"
    case .templateCannotCarryTools: "the chat template does not support tools"
    case .requiredCallWithoutTools: "a call is required, and there are no tools"
    case .unknownReasoningLevel(let level): "the chat template has no reasoning level '\(level)'"
    case .samplingFailed(let reason): "no next token could be chosen: \(reason)"
    case .imageRefused(let reason): "an image cannot be shown to the model: \(reason)"
    case .unparseableOutput(let text, let reason):
      "the model's answer does not follow its chat template (\(reason)): \(text)"
    case .requiredCallMissing(let text):
      "the model ended its answer without the required call: \(text)"
    }
  }
}

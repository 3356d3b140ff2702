/// Why a model takes no images.
package enum VisionUnavailable: Sendable, Equatable {
  case noProjector
  /// A projector lies beside the model but cannot be used.
  case refused(path: String, reason: String)

  /// Finds out whether a model sees by loading its projector.
  ///
  /// - Throws: `LlamaModelError` about a projector that was named explicitly.
  static func test(
    _ file: ProjectorFile?,
    _ model: LlamaModel
  ) throws(LlamaModelError) -> (Projector?, VisionUnavailable?) {
    guard let file else { return (nil, .noProjector) }
    do {
      return (try Projector(path: file.path, model: model), nil)
    } catch {
      guard case .found(let path) = file else { throw error }
      return (nil, .refused(path: path, reason: "\(error)"))
    }
  }

  /// Returns the explanation for a person.
  func sentence(of model: String, at path: String) -> String {
    let lead = "The model '\(model)' does not accept images."
    let advice =
      " Its projector, a GGUF file with 'mmproj' in its name, belongs next to \(path). --projector"
      + " names another one, and LlamaLanguageModel(file:projector:) that of an agent's own model."
    switch self {
    case .noProjector: return lead + advice
    case .refused(_, let reason):
      return lead + " The projector next to it cannot be used: \(reason)." + advice
    }
  }
}

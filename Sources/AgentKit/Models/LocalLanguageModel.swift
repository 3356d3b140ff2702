/// A model in this process: its window is known, and tokens can be counted.
package protocol LocalLanguageModel: LanguageModel {
  /// The size of the window, in tokens.
  var contextSize: Int { get }

  /// The languages that the model declares, as BCP 47 codes; empty if it declares none.
  var languages: [String] { get }

  /// The name of the model for people.
  var displayName: String { get }

  /// Why the model does not accept images and what would change that, or `nil` if it accepts them.
  var visionUnavailable: String? { get }

  /// Returns the number of tokens in a text by itself.
  ///
  /// It uses only the vocabulary, so it is fast and possible at any time.
  func tokenCount(of text: String) -> Int

  /// Returns the number of tokens in entries as given to the model, including its template's
  /// markup.
  nonisolated(nonsending) func tokenCount(
    of entries: [Transcript.Entry],
    tools: [Transcript.ToolDefinition]
  ) async throws -> Int
}

/// A model that is only a name in AgentKit; the process that runs the agent supplies the real one.
package protocol NamedLanguageModel: LanguageModel {
  /// Returns the model that the name stands for.
  ///
  /// - Throws: The reason why the process cannot supply the model.
  nonisolated(nonsending) func supplied() async throws -> any LanguageModel
}

extension LanguageModel {
  /// The model in this process that this model stands for, if there is one and it is open.
  package var open: (any LocalLanguageModel)? {
    switch self {
    case let model as any LocalLanguageModel: model
    case is SystemLanguageModel: SystemLanguageModel.localModel
    case let model as LlamaLanguageModel: ModelSupply.supplier?.openModel(for: model)
    default: nil
    }
  }

  /// Returns the model in this process that this model stands for, if there is one.
  ///
  /// - Throws: The reason why the process cannot supply a model that is only a name.
  nonisolated(nonsending) package func local() async throws -> (any LocalLanguageModel)? {
    if let named = self as? any NamedLanguageModel {
      return try await named.supplied() as? any LocalLanguageModel
    }
    return self as? any LocalLanguageModel
  }
}

/// A model in this process: how much it can read is known, and what is read can be counted.
package protocol LocalLanguageModel: LanguageModel {
  /// How many tokens a context may have.
  var contextSize: Int { get }

  /// The languages that the model says it knows, as BCP 47 codes; empty when it says nothing.
  var languages: [String] { get }

  /// What people call the model.
  var displayName: String { get }

  /// Why the model takes no images, and what would make it; `nil` for one that takes them.
  var blindness: String? { get }

  /// How many tokens a text is by itself.
  ///
  /// It asks only the vocabulary: quick, and possible at any time.
  func tokenCount(of text: String) -> Int

  /// How many tokens entries are as the model is given them, with the marks of its chat template.
  nonisolated(nonsending) func tokenCount(
    of entries: [Transcript.Entry],
    tools: [Transcript.ToolDefinition]
  ) async throws -> Int
}

/// A model that is only a name in AgentKit: the process that runs the agent supplies the model.
package protocol NamedLanguageModel: LanguageModel {
  /// The model that the name stands for.
  ///
  /// - Throws: What keeps the process from supplying it.
  nonisolated(nonsending) func supplied() async throws -> any LanguageModel
}

extension LanguageModel {
  /// The model of this process behind a model, where there is one and it is open.
  package var open: (any LocalLanguageModel)? {
    switch self {
    case let model as any LocalLanguageModel: model
    case is SystemLanguageModel: SystemLanguageModel.localModel
    case let model as LlamaLanguageModel: ModelSupply.supplier?.openModel(for: model)
    default: nil
    }
  }

  /// The model of this process behind a model, where there is one.
  ///
  /// - Throws: What keeps the process from supplying a model that is only a name.
  nonisolated(nonsending) package func local() async throws -> (any LocalLanguageModel)? {
    if let named = self as? any NamedLanguageModel {
      return try await named.supplied() as? any LocalLanguageModel
    }
    return self as? any LocalLanguageModel
  }
}

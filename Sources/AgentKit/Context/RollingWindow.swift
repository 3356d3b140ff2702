/// The amount of history that a rolling window shows.
public enum RollingWindowSize: Sendable, Equatable {
  /// A number of entries, not counting the instructions.
  case entries(Int)
  /// A number of tokens in the entire context, including instructions and tools.
  case tokens(Int)
}

// The history utilities are disfavored overloads: in FoundationModels they are a separate package,
// and an agent that declares a modifier of the same name means its own.

extension LanguageModelSession.DynamicProfile {
  /// Shows the model only the last entries of the history; nothing is stored.
  ///
  /// The instructions always stay. The window begins with a prompt, so that no call is separated
  /// from its output; it may therefore be smaller than requested. The current exchange is always
  /// shown in full, even if it is larger. To cut as FoundationModels' own utility does, use
  /// `rollingWindow(entries:keepingInstructions:)`.
  ///
  /// When entries leave the window, the beginning of what the model sees changes, and everything
  /// after it is computed again. A window that is rarely full costs nothing.
  ///
  /// - Parameter count: The maximum number of entries to show, not counting the instructions.
  @_disfavoredOverload
  public func rollingWindow(entries count: Int) -> some LanguageModelSession.DynamicProfile {
    rollingWindow(size: .entries(count))
  }

  /// Shows the model only the last entries of the history, with or without the instructions;
  /// nothing is stored.
  ///
  /// Without the instructions, the window is that of FoundationModels' own utility: exactly the
  /// last entries, of which the instructions are the first. A longer conversation loses them, and
  /// may begin with an answer, or with an output whose call is cut off, which some chat templates
  /// and servers refuse. The tools stay available.
  ///
  /// - Parameters:
  ///   - count: The maximum number of entries to show; at least the last one is shown.
  ///   - keepingInstructions: Whether the instructions stay and the window begins with a prompt, as
  ///     with `rollingWindow(entries:)`.
  @_disfavoredOverload
  public func rollingWindow(
    entries count: Int,
    keepingInstructions: Bool
  ) -> some LanguageModelSession.DynamicProfile {
    let count = max(1, count)
    return historyTransform { entries in
      keepingInstructions ? Exchanges(entries).last(count) : entries.suffix(count)
    }
  }

  /// Shows the model only the end of the history; nothing is stored.
  ///
  /// Like that of `rollingWindow(entries:)`, the window begins with a prompt. If the model runs in
  /// this process, tokens are counted with its vocabulary and chat template. For any other model, a
  /// token is assumed to be three bytes of text, which overestimates most languages.
  @_disfavoredOverload
  public func rollingWindow(
    size: RollingWindowSize
  ) -> some LanguageModelSession.DynamicProfile {
    with { resolved in
      resolved.transforms.insert(
        { entries, model in
          let exchanges = Exchanges(entries)
          return switch size {
          case .entries(let count): exchanges.last(max(1, count))
          case .tokens(let count): try await exchanges.fitting(count, of: TokenCounter(model))
          }
        },
        at: 0
      )
    }
  }
}

/// A counter of the tokens that a model is given.
struct TokenCounter {
  private let model: any LanguageModel

  init(_ model: any LanguageModel) {
    self.model = model
  }

  nonisolated(nonsending) func count(_ entries: [Transcript.Entry]) async throws -> Int {
    let tools = entries.leadingInstructions?.toolDefinitions ?? []
    if let local = try await model.local() {
      return try await local.tokenCount(of: entries, tools: tools)
    }
    let definitions = tools.map { $0.name + $0.description + $0.parameters.debugDescription }
    let bytes = (entries.map(\.text) + definitions).reduce(0) { $0 + $1.utf8.count }
    return (bytes + 2) / 3
  }
}

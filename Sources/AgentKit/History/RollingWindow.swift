/// How much of a history a rolling window shows.
public enum RollingWindowSize: Sendable, Equatable {
  /// So many entries, the instructions not counted.
  case entries(Int)
  /// So many tokens, instructions and tools counted: what the model is given altogether.
  case tokens(Int)
}

// Disfavored, as the other utilities are: in FoundationModels they are a package of their own, and an
// agent that declares a modifier of the same name means its own.

extension LanguageModelSession.DynamicProfile {
  /// Shows the model the last entries of the history only, and stores nothing.
  ///
  /// The instructions always stay, and the window begins with a prompt, so that no call is parted
  /// from its output: it may be smaller than asked for. The exchange that is under way is shown
  /// whole, even when it is larger. FoundationModels' own utility cuts anywhere, and takes the
  /// instructions for an entry of the history.
  ///
  /// Entries that leave the window change the beginning of what the model sees, and everything
  /// after them is computed again; a window that is hardly ever full costs nothing.
  /// - Parameter count: How many entries may be shown, the instructions not counted.
  @_disfavoredOverload
  public func rollingWindow(entries count: Int) -> some LanguageModelSession.DynamicProfile {
    rollingWindow(size: .entries(count))
  }

  /// Shows the model the end of the history only, and stores nothing.
  ///
  /// The window begins with a prompt, as that of `rollingWindow(entries:)` does. Tokens are counted by
  /// the model's own vocabulary and chat template when it runs in this process; for any other model a
  /// token is taken for three bytes of text, which overestimates most languages.
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

/// Counts what a model is given.
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

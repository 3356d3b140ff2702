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

/// A history cut where prompts begin, so that what belongs together stays together.
struct Exchanges {
  private let leading: ArraySlice<Transcript.Entry>
  private let history: ArraySlice<Transcript.Entry>
  /// Where exchanges begin.
  private let starts: [Int]

  init(_ entries: [Transcript.Entry]) {
    let hasInstructions = if case .instructions = entries.first { true } else { false }
    leading = entries.prefix(hasInstructions ? 1 : 0)
    history = entries[leading.endIndex...]
    let all = history
    starts = all.indices.filter { if case .prompt = all[$0] { true } else { false } }
  }

  /// The exchanges that begin among the last entries, and the last one in any case.
  func last(_ count: Int) -> [Transcript.Entry] {
    guard history.count > count else { return Array(leading + history) }
    let earliest = history.endIndex - count
    guard let start = starts.first(where: { $0 >= earliest }) ?? starts.last else {
      return Array(leading + history.suffix(count))
    }
    return Array(leading + history[start...])
  }

  /// As many of the last exchanges as fit, and the last one in any case.
  nonisolated(nonsending) func fitting(
    _ tokens: Int,
    of counter: TokenCounter
  ) async throws -> [Transcript.Entry] {
    let whole = Array(leading + history)
    guard let last = starts.indices.last, try await counter.count(whole) > tokens else {
      return whole
    }
    // The later it begins, the shorter it is: halving finds the first beginning that fits.
    var (low, high) = (1, last)
    while low < high {
      let middle = (low + high) / 2
      if try await counter.count(from(middle)) > tokens { low = middle + 1 } else { high = middle }
    }
    return from(min(low, last))
  }

  private func from(_ exchange: Int) -> [Transcript.Entry] {
    Array(leading + history[starts[exchange]...])
  }
}

/// Counts what a model is given.
struct TokenCounter {
  private let model: any LanguageModel

  init(_ model: any LanguageModel) {
    self.model = model
  }

  nonisolated(nonsending) func count(_ entries: [Transcript.Entry]) async throws -> Int {
    var tools: [Transcript.ToolDefinition] = []
    if case .instructions(let entry) = entries.first { tools = entry.toolDefinitions }
    if let local = try await model.local() {
      return try await local.tokenCount(of: entries, tools: tools)
    }
    let definitions = tools.map { $0.name + $0.description + $0.parameters.debugDescription }
    let bytes = (entries.map(\.text) + definitions).reduce(0) { $0 + $1.utf8.count }
    return (bytes + 2) / 3
  }
}

/// A history divided at its prompts, so that related entries stay together.
struct Exchanges {
  private let leading: ArraySlice<Transcript.Entry>
  /// The entries without leading instructions.
  let history: ArraySlice<Transcript.Entry>
  /// The indices at which exchanges begin; entries before the first prompt belong to no exchange.
  let starts: [Int]

  init(_ entries: [Transcript.Entry]) {
    leading = entries.leading
    history = entries[leading.endIndex...]
    let all = history
    starts = all.indices.filter { if case .prompt = all[$0] { true } else { false } }
  }

  /// Returns the exchanges that begin within the given number of last entries, but at least the
  /// last one.
  func last(_ count: Int) -> [Transcript.Entry] {
    guard history.count > count else { return Array(leading + history) }
    let earliest = history.endIndex - count
    guard let start = starts.first(where: { $0 >= earliest }) ?? starts.last else {
      return Array(leading + history.suffix(count))
    }
    return Array(leading + history[start...])
  }

  /// Returns as many of the last exchanges as fit, but at least the last one.
  nonisolated(nonsending) func fitting(
    _ tokens: Int,
    of counter: TokenCounter
  ) async throws -> [Transcript.Entry] {
    let whole = Array(leading + history)
    guard let last = starts.indices.last, try await counter.count(whole) > tokens else {
      return whole
    }
    // Later starting points give shorter histories, so a binary search finds the first one that
    // fits.
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

extension Exchanges {
  /// Returns a prompt and all entries up to the next one.
  func entries(of exchange: Int) -> ArraySlice<Transcript.Entry> {
    history[starts[exchange]..<start(of: exchange + 1)]
  }

  /// Returns the entries before an exchange, or all entries if there is no such exchange.
  func entries(before exchange: Int) -> ArraySlice<Transcript.Entry> {
    history[..<start(of: exchange)]
  }

  private func start(of exchange: Int) -> Int {
    exchange < starts.count ? starts[exchange] : history.endIndex
  }

  /// Returns the identity of the prompt that begins an exchange.
  func id(of exchange: Int) -> String { history[starts[exchange]].id }
}

/// A history cut where prompts begin, so that what belongs together stays together.
struct Exchanges {
  private let leading: ArraySlice<Transcript.Entry>
  /// The entries without leading instructions.
  let history: ArraySlice<Transcript.Entry>
  /// Where exchanges begin; what comes before the first prompt belongs to none.
  let starts: [Int]

  init(_ entries: [Transcript.Entry]) {
    leading = entries.leading
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

extension Exchanges {
  /// A prompt, and everything up to the next one.
  func entries(of exchange: Int) -> ArraySlice<Transcript.Entry> {
    history[starts[exchange]..<start(of: exchange + 1)]
  }

  /// What comes before an exchange; everything, where there is no such exchange.
  func entries(before exchange: Int) -> ArraySlice<Transcript.Entry> {
    history[..<start(of: exchange)]
  }

  private func start(of exchange: Int) -> Int {
    exchange < starts.count ? starts[exchange] : history.endIndex
  }

  /// The identity of the prompt with which an exchange begins.
  func id(of exchange: Int) -> String { history[starts[exchange]].id }
}

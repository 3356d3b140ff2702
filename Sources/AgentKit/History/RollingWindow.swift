extension LanguageModelSession.DynamicProfile {
  /// Shows the model the last entries of the history only, and stores nothing.
  ///
  /// The instructions always stay, and the window begins with a prompt, so that no call is parted
  /// from its output: it may be smaller than asked for. The exchange that is under way is shown
  /// whole, even when it is larger. FoundationModels' own utility cuts anywhere.
  ///
  /// Entries that leave the window change the beginning of what the model sees, and everything
  /// after them is computed again; a window that is hardly ever full costs nothing.
  /// - Parameter count: How many entries may be shown, the instructions not counted.
  public func rollingWindow(entries count: Int) -> some LanguageModelSession.DynamicProfile {
    historyTransform { RollingWindow(count: max(1, count)).shown($0) }
  }
}

private struct RollingWindow {
  let count: Int

  func shown(_ entries: [Transcript.Entry]) -> [Transcript.Entry] {
    var leading: ArraySlice<Transcript.Entry> = []
    if case .instructions = entries.first { leading = entries.prefix(1) }
    let history = entries[leading.endIndex...]
    guard history.count > count else { return entries }
    let prompts = history.indices.filter { if case .prompt = history[$0] { true } else { false } }
    let earliest = history.endIndex - count
    guard let start = prompts.first(where: { $0 >= earliest }) ?? prompts.last else {
      return Array(leading + history.suffix(count))
    }
    return Array(leading + history[start...])
  }
}

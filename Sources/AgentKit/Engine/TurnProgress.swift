struct TurnProgress {
  let watcher: TurnWatcher?
  var modes: [GenerationOptions.ToolCallingMode.Kind] = []
  var entries: [Transcript.Entry] = []
  var usage = LanguageModelSession.Usage()
  /// The cap that the last request reached.
  var capMet: String?

  init(watcher: TurnWatcher?) {
    self.watcher = watcher
  }

  func show(_ generated: GenerationCollector? = nil) {
    guard let watcher else { return }
    var usage = usage
    if let generated { usage += generated.usage }
    watcher.see(
      .init(
        answer: generated?.answerText ?? "",
        isWhole: false,
        entries: (entries + (generated?.entries ?? []))[...],
        usage: usage
      )
    )
  }

  /// Shows the complete answer, whose entries are recorded.
  func show(answer: Transcript.Response) {
    watcher?.see(
      .init(answer: answer.answerText, isWhole: true, entries: entries[...], usage: usage)
    )
  }

  /// The exit of a turn that ends in an answer.
  var answerExit: TurnExit {
    if let capMet { return .cap(capMet) }
    // An answer ends a required loop only because the mode changed on the way.
    return modes.last != .required && modes.contains(.required) ? .modeChanged : .answered
  }

  func outcome(_ exit: TurnExit?, response: Transcript.Response?) -> TurnOutcome {
    TurnOutcome(exit: exit, response: response, entries: entries[...], usage: usage)
  }
}

import AgentKit

/// A host that records everything it receives, and answers as its test specifies.
struct RecordingHost: TurnHost {
  var log = Log()
  /// Decides about a request, given how many there have been.
  var admission: @Sendable (Int) throws -> RoundAdmission = { _ in .go(maximumTokens: nil) }
  var admittedCalls = Int.max
  /// The indices of repeated calls.
  var repeatedCalls: [Int] = []
  var goesOn = true
  /// Called when an entry has been stored.
  var afterRecord: @Sendable (Transcript.Entry) throws -> Void = { _ in }
  /// Called when an output has been stored early.
  var afterEarly: @Sendable (Transcript.ToolOutput) -> Void = { _ in }
  var progress: @Sendable (Transcript.ToolCall) -> CallProgress = { _ in .perhapsRun }
  /// The calls that are to be finished first; `nil` for those that the transcript shows as open.
  var unfinishedCalls: [Transcript.ToolCall]?
  var exitOfCancellation = TurnExit.cancelled
  /// What the sender of the prompt asks of the turn.
  var options: TurnOptions?

  func admitRequest() async throws -> RoundAdmission {
    log.add("admit")
    return try admission(log.lines.count { $0 == "admit" })
  }

  func record(
    _ entries: [Transcript.Entry],
    usage: LanguageModelSession.Usage?
  ) async throws -> AdmittedCalls {
    let tokens = usage.map { " (\($0.totalTokenCount))" } ?? ""
    log.add("record \(entries.map(\.outline).joined(separator: " + "))\(tokens)")
    for entry in entries { try afterRecord(entry) }
    return AdmittedCalls(count: admittedCalls, repeated: repeatedCalls)
  }

  func count(_ usage: LanguageModelSession.Usage) async throws {
    log.add("count \(usage.totalTokenCount)")
  }

  func recordEarly(_ output: Transcript.ToolOutput) async throws {
    log.add("early \(Transcript.Entry.toolOutput(output).outline)")
    afterEarly(output)
  }

  func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall] {
    unfinishedCalls ?? transcript.openCalls
  }

  func progress(of call: Transcript.ToolCall) -> CallProgress { progress(call) }

  func show(_ change: TextChange) async {
    log.add("show \(change.added)")
  }

  func continues(after calls: Transcript.ToolCalls) async -> Bool {
    log.add("continues")
    return goesOn
  }
}

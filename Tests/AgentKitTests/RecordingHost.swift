import AgentKit

/// A host that records everything it receives, and answers as its test specifies.
struct RecordingHost: TurnHost {
  var log = Log()
  /// The entries that were recorded without being awaited.
  var ahead = Log()
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

  func admit(
    round: Int,
    mode: GenerationOptions.ToolCallingMode.Kind
  ) async throws -> RoundAdmission {
    log.add("admit \(round) \(mode)")
    return try admission(round)
  }

  func record(
    _ entry: Transcript.Entry,
    usage: LanguageModelSession.Usage?,
    isAwaited: Bool
  ) async throws {
    let tokens = usage.map { " (\($0.totalTokenCount))" } ?? ""
    log.add("record \(entry.outline)\(tokens)")
    if !isAwaited { ahead.add(entry.outline) }
    try afterRecord(entry)
  }

  func count(_ usage: LanguageModelSession.Usage) async throws {
    log.add("count \(usage.totalTokenCount)")
  }

  func settle() async throws { log.add("settle") }

  func admit(_ calls: Transcript.ToolCalls) async throws -> Int {
    log.add("admit \(calls.count) calls")
    return min(calls.count, admittedCalls)
  }

  func keepEarly(_ output: Transcript.ToolOutput) async throws {
    log.add("early \(Transcript.Entry.toolOutput(output).outline)")
    afterEarly(output)
  }

  func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall] {
    unfinishedCalls ?? transcript.openCalls
  }

  func progress(of call: Transcript.ToolCall) -> CallProgress { progress(call) }

  func repeated(in calls: Transcript.ToolCalls) async throws -> Set<String> {
    Set(repeatedCalls.filter(calls.indices.contains).map { calls[$0].id })
  }

  func show(_ snapshot: EntrySnapshot) async {
    log.add("show \(snapshot.text)")
  }

  func continues(after calls: Transcript.ToolCalls) async -> Bool {
    log.add("continues")
    return goesOn
  }
}

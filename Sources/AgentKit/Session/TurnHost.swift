/// The host of a turn, which limits the loop, stores what happens, and may end the turn.
///
/// A standalone session has a host that allows everything. In a worker, the host represents the
/// coordinator, which counts the caps and keeps the journal.
package protocol TurnHost: Sendable {
  /// Decides before each request to the model whether and how it may be made.
  ///
  /// - Throws: An error that ends the turn.
  func admitRequest() async throws -> RoundAdmission

  /// Stores finished entries together, and returns when they are stored.
  ///
  /// - Parameters:
  ///   - entries: What one request has generated, or the output of one call.
  ///   - usage: The usage of the model that generated the entries, or of a tool's own sessions.
  /// - Returns: Which calls of the last entry may be made.
  /// - Throws: An error that ends the turn.
  @discardableResult
  func record(
    _ entries: [Transcript.Entry],
    usage: LanguageModelSession.Usage?
  ) async throws -> AdmittedCalls

  /// Counts the usage of sessions that the agent's own code runs without an entry to report it
  /// with.
  ///
  /// They are sessions run by hooks and by tools that throw.
  ///
  /// - Throws: An error that ends the turn.
  func count(_ usage: LanguageModelSession.Usage) async throws

  /// Asks a person whether a recorded call may be made.
  func approve(_ call: Transcript.ToolCall) async throws -> Approval

  /// The functions that the client of the turn performs.
  var clientFunctions: [ClientFunction] { get }

  /// Has the client perform recorded calls, and waits until it has performed all of them.
  ///
  /// - Returns: The outputs by the identities of the calls.
  /// - Throws: An error that ends the turn.
  func performByClient(_ calls: [Transcript.ToolCall]) async throws -> [String: [Transcript
    .Segment]]

  /// What the sender of the prompt asks of the turn, or `nil` for what the prompt itself asks.
  var options: TurnOptions? { get }

  /// The requirements for the context, or `nil` to leave it unchanged.
  var contextPolicy: ContextPolicy? { get }

  /// The exit of the turn if its task is cancelled.
  var exitOfCancellation: TurnExit { get }

  /// Decides whether the model may be asked for a summary, which is optional for the turn.
  ///
  /// - Returns: The maximum number of tokens, or `nil` if the model may not be asked.
  func admitSummary() async throws -> Int?

  /// Stores how the context was made to fit, on which the next request depends.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - usage: The usage of the summary, if one was written.
  /// - Throws: An error that ends the turn.
  func record(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws

  /// Stores what a call returned before its output can be recorded, because earlier calls still
  /// run.
  ///
  /// - Throws: An error that ends the turn.
  func recordEarly(_ output: Transcript.ToolOutput) async throws

  /// Returns the calls that another process left without outputs, in order.
  ///
  /// They need not be those that the transcript shows as open, because an agent may have rewritten
  /// the history since.
  func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall]

  /// Returns how far a call had come that another process left without an output.
  func progress(of call: Transcript.ToolCall) -> CallProgress

  /// Ends a turn with the answer that a tool has thrown.
  ///
  /// - Returns: The history that the turn leaves, or `nil` if only the thrown error tells of the
  ///   answer, and the turn leaves what one that fails does.
  func close(with answer: FinalAnswer) async -> Transcript.HistoryView?

  /// Shows how the text of an entry that is being generated has changed.
  func show(_ change: TextChange) async

  /// Decides after each round of calls whether the model is asked again.
  func continues(after calls: Transcript.ToolCalls) async -> Bool
}

extension TurnHost {
  package func count(_ usage: LanguageModelSession.Usage) async throws {}

  package var exitOfCancellation: TurnExit { .cancelled }

  package var clientFunctions: [ClientFunction] { [] }

  /// Never called, because by default a host has no functions of a client.
  package func performByClient(
    _ calls: [Transcript.ToolCall]
  ) async throws -> [String: [Transcript.Segment]] { [:] }

  package var options: TurnOptions? { nil }

  /// Leaves the context unchanged by default.
  package var contextPolicy: ContextPolicy? { nil }

  package func admitSummary() async throws -> Int? { nil }

  package func record(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws {}

  /// Denies the call, because by default a host has no person to ask.
  package func approve(_ call: Transcript.ToolCall) async throws -> Approval {
    .denied("No one is available to approve it.")
  }

  package func recordEarly(_ output: Transcript.ToolOutput) async throws {}

  /// Returns those of the transcript, because by default a host knows of no others.
  package func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall] {
    transcript.openCalls
  }

  package func close(with answer: FinalAnswer) async -> Transcript.HistoryView? { nil }

  /// Assumes by default that the call may have been made.
  package func progress(of call: Transcript.ToolCall) -> CallProgress { .perhapsRun }
}

/// A host that by default allows everything and stores nothing.
package protocol LenientHost: TurnHost {}

extension LenientHost {
  package func admitRequest() async throws -> RoundAdmission { .go(maximumTokens: nil) }

  package func record(
    _ entries: [Transcript.Entry],
    usage: LanguageModelSession.Usage?
  ) async throws -> AdmittedCalls { .all }

  package func show(_ change: TextChange) async {}

  package func continues(after calls: Transcript.ToolCalls) async -> Bool { true }
}

/// The host of a standalone session.
struct OpenHost: LenientHost {}

/// The outcome of a turn in the session that ran it.
package struct TurnOutcome: Sendable {
  /// Why the turn ended, or `nil` if the host did not let the model be asked again.
  ///
  /// The latter means that the baton was passed and the turn continues elsewhere.
  package let exit: TurnExit?
  package let response: Transcript.Response?
  package let entries: ArraySlice<Transcript.Entry>
  package internal(set) var usage: LanguageModelSession.Usage

  /// Returns the outcome of a turn that ended with this text and nothing else.
  static func said(_ text: String) -> TurnOutcome {
    TurnOutcome(
      exit: .answered,
      response: .init(segments: [.text(.init(content: text))]),
      entries: [],
      usage: .init()
    )
  }
}

/// The starting point of a turn.
package enum TurnStart: Sendable {
  /// A prompt that is not in the transcript yet.
  case prompt(Transcript.Prompt)
  /// The current transcript.
  ///
  /// Its last entry is a prompt that is already recorded, or a tool output that another agent left
  /// when it passed the baton.
  case transcript
}

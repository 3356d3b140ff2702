/// What a turn is run for: it bounds the loop, keeps what happens, and may end it.
///
/// A session on its own has a host that allows everything. In a worker the host speaks for the
/// coordinator, where the caps are counted and the journal is kept.
package protocol TurnHost: Sendable {
  /// Decides before each request to the model whether and how it may be made.
  ///
  /// What was recorded before need not be kept yet: a model that is asked changes nothing.
  /// - Throws: To end the turn.
  func admit(round: Int, mode: GenerationOptions.ToolCallingMode.Kind) async throws
    -> RoundAdmission

  /// Keeps a finished entry.
  /// - Parameters:
  ///   - usage: What the model used that made it, or what a tool's own sessions used.
  ///   - isAwaited: Whether something follows from the entry at once, which happens only after this
  ///     has returned. Where not, this may return before the entry is kept; `settle` waits for it.
  /// - Throws: To end the turn.
  func record(
    _ entry: Transcript.Entry,
    usage: LanguageModelSession.Usage?,
    isAwaited: Bool
  ) async throws

  /// Counts what sessions have used that the agent's own code runs, where no entry comes with it: in
  /// hooks, and in tools that throw.
  /// - Throws: To end the turn.
  func count(_ usage: LanguageModelSession.Usage) async throws

  /// Returns when everything that was recorded is kept.
  /// - Throws: To end the turn.
  func settle() async throws

  /// Decides how many of the calls that were just recorded may be made, counted from the first.
  func admit(_ calls: Transcript.ToolCalls) async throws -> Int

  /// The identities of those calls that have returned the same so often that they are not made again.
  func repeated(in calls: Transcript.ToolCalls) async throws -> Set<String>

  /// Has a person asked whether a call that was recorded may be made.
  func approve(_ call: Transcript.ToolCall) async throws -> Approval

  /// What is wanted of the context; `nil` leaves it as it is.
  var contextPolicy: ContextPolicy? { get }

  /// Why the turn ends when its task is cancelled.
  var exitOfCancellation: TurnExit { get }

  /// Decides whether the model may be asked for a summary, which the turn can do without.
  /// - Returns: How many tokens it may have; `nil` when it may not be asked.
  func admitSummary() async throws -> Int?

  /// Keeps how the context was made to fit. The next request follows from it.
  func keep(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws

  /// Keeps what a call has returned whose output cannot be recorded yet, because earlier calls of its
  /// round still run.
  /// - Throws: To end the turn.
  func keepEarly(_ output: Transcript.ToolOutput) async throws

  /// Says how far a call had come that another process has left without an output.
  func progress(of call: Transcript.ToolCall) -> CallProgress

  /// Shows what an entry is so far.
  func show(_ snapshot: EntrySnapshot) async

  /// Decides after each round of calls whether the model is asked again.
  func continues(after calls: Transcript.ToolCalls) async -> Bool
}

extension TurnHost {
  /// A host that keeps entries while it is told of them has nothing left to do.
  package func settle() async throws {}

  package func count(_ usage: LanguageModelSession.Usage) async throws {}

  /// A host that counts nothing finds nothing repeated.
  package func repeated(in calls: Transcript.ToolCalls) async throws -> Set<String> { [] }

  package var exitOfCancellation: TurnExit { .cancelled }

  /// A host that says nothing of the context wants it as it is.
  package var contextPolicy: ContextPolicy? { nil }

  package func admitSummary() async throws -> Int? { nil }

  package func keep(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws {}

  /// A host without a person denies.
  package func approve(_ call: Transcript.ToolCall) async throws -> Approval {
    .denied("No one is available to approve it.")
  }

  package func keepEarly(_ output: Transcript.ToolOutput) async throws {}

  /// A host that was not told assumes that the call was made.
  package func progress(of call: Transcript.ToolCall) -> CallProgress { .perhapsRun }
}

/// How far a call had come when its process ended.
package enum CallProgress: Sendable, Equatable, Codable {
  /// A cap had left nothing for it.
  case refused
  /// It had returned the same too often.
  case repeated
  /// Something had to happen before its tool could run, and has not happened.
  case notRun
  /// Its tool may have run.
  case perhapsRun
  /// It had returned this, while calls before it still ran.
  case returned([Transcript.Segment])
}

/// How a request may be made.
package enum RoundAdmission: Sendable, Equatable, Codable {
  /// As the profile says, with at most so many tokens.
  case go(maximumTokens: Int?)
  /// For the last time, because a cap is reached: without tools, so that it ends in an answer.
  case lastAnswer(cap: String, maximumTokens: Int?)

  var maximumTokens: Int? {
    switch self {
    case .go(let maximumTokens), .lastAnswer(_, let maximumTokens): maximumTokens
    }
  }

  /// The cap that an answer meets which has so many tokens; `nil` when it meets none.
  func cap(met tokens: Int) -> String? {
    switch self {
    case .lastAnswer(let cap, _): cap
    case .go(let maximumTokens):
      // As whoever counts sees it: the tokens are used up, whether the answer is whole or not.
      maximumTokens.flatMap { tokens >= $0 ? "tokens" : nil }
    }
  }
}

/// An entry that is still being generated.
package struct EntrySnapshot: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case response, reasoning
  }

  package let entryID: String
  package let kind: Kind
  package let text: String
}

/// A host that allows everything and keeps nothing, but for what it says otherwise.
package protocol LenientHost: TurnHost {}

extension LenientHost {
  package func admit(
    round: Int,
    mode: GenerationOptions.ToolCallingMode.Kind
  ) async throws -> RoundAdmission { .go(maximumTokens: nil) }

  package func record(
    _ entry: Transcript.Entry,
    usage: LanguageModelSession.Usage?,
    isAwaited: Bool
  ) async throws {}

  package func admit(_ calls: Transcript.ToolCalls) async throws -> Int { calls.count }

  package func show(_ snapshot: EntrySnapshot) async {}

  package func continues(after calls: Transcript.ToolCalls) async -> Bool { true }
}

/// The host of a session on its own.
struct OpenHost: LenientHost {}

/// How a turn ended in the session that ran it.
package struct TurnOutcome: Sendable {
  /// Why the turn ended; `nil` when the host did not let the model be asked again, because the baton
  /// was passed and the turn goes on elsewhere.
  package let exit: TurnExit?
  package let response: Transcript.Response?
  package let entries: ArraySlice<Transcript.Entry>
  package internal(set) var usage: LanguageModelSession.Usage

  /// A turn that ended in these words, and nothing else.
  static func said(_ text: String) -> TurnOutcome {
    TurnOutcome(
      exit: .answered,
      response: .init(segments: [.text(.init(content: text))]),
      entries: [],
      usage: .init()
    )
  }
}

/// What a turn begins with.
package enum TurnStart: Sendable {
  /// A prompt that is not in the transcript yet.
  case prompt(Transcript.Prompt)
  /// The transcript as it is: its last entry is a prompt that is recorded already, or a tool output
  /// that another agent left when it passed the baton.
  case transcript
}

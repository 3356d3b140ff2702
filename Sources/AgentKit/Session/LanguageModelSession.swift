public import Observation
import Synchronization

/// A conversation with a model: a transcript, a profile, and the loop that answers prompts.
///
/// The profile says how to answer at any moment. The loop asks the model, runs the tools that it
/// calls, and asks again until the model has answered.
///
/// A session answers one prompt at a time, and refuses another with
/// ``LanguageModelSession/Error/concurrentRequests`` while it responds. To stop a response, cancel
/// the task that requested it.
///
/// `transcript`, `isResponding` and `usage` are observable, and change while a response is
/// generated.
///
/// ```swift
/// struct Summarizer {
///   func summary(of text: String) async throws -> String {
///     let session = LanguageModelSession(instructions: "Summarize in one sentence.")
///     return try await session.respond(to: text).content
///   }
/// }
/// ```
///
/// ## Topics
///
/// ### Creating a session
///
/// - ``init(profile:history:isolation:)``
/// - ``init(model:dynamicInstructions:history:isolation:)``
///
/// ### Profiles
///
/// - ``DynamicProfile``
/// - ``Profile``
/// - ``SessionProperty``
///
/// ### Asking for an answer
///
/// - ``respond(to:options:)-(Prompt,_)``
/// - ``respond(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
/// - ``respond(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
/// - ``Response``
///
/// ### Streaming an answer
///
/// - ``streamResponse(to:options:)-(Prompt,_)``
/// - ``streamResponse(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
/// - ``streamResponse(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
/// - ``ResponseStream``
///
/// ### State
///
/// - ``transcript``
/// - ``isResponding``
/// - ``usage``
/// - ``properties``
///
/// ### Errors
///
/// - ``Error``
/// - ``ToolCallError``
/// - ``transcriptErrorHandlingPolicy``
public final class LanguageModelSession: @unchecked Sendable, Observable {
  // Unchecked because a profile and its hooks need not be Sendable: `profile`, `active` and
  // `onExit` are used only by the one turn that `state` admits and, while the session is idle, by
  // `prewarm` under `preparing`.
  let profile: any DynamicProfile
  /// The actor to which the types of the profile may belong, which may own the session.
  weak let isolation: (any Actor)?
  var active: [ResolvedProfile.Activation] = []
  /// The hooks to call when the turn ends.
  var onExit: [ProfileHooks.ExitAction] = []
  let executors = ExecutorCache()
  let state: Mutex<State>
  /// Held while a turn begins, and while `prewarm` evaluates the profile.
  let preparing = Mutex(())
  let observations = ObservationRegistrar()

  /// The values shared by everything in the session.
  public let properties: SessionPropertyValues

  struct State {
    enum Phase {
      case idle, responding
    }

    var phase = Phase.idle
    /// The recorded transcript.
    var transcript: Transcript
    var images = Transcript.Images()
    /// The entries that the model is generating, which are not yet recorded.
    var growing: [Transcript.Entry] = []
    var usage = Usage()
    var historyRewrites = 0
    var errorPolicy: TranscriptErrorHandlingPolicy?
    /// The misuse that occurred during the turn in a place that could not throw.
    var fault: Error?
    /// What the agent sees of a history that it shares with agents whose windows are wider.
    var view: ContextView?
    /// The window of the model that was last asked, if known.
    var window: Int?
    /// Whether the model that was last asked can be shown images.
    var seesImages = false

    init(transcript: Transcript) {
      self.transcript = transcript
    }
  }

  init(
    erased profile: any DynamicProfile,
    transcript: Transcript,
    isolation: (any Actor)? = nil
  ) {
    self.profile = profile
    self.isolation = isolation
    properties = SessionPropertyValues()
    state = Mutex(State(transcript: transcript))
    properties.attach(self)
  }

  /// The conversation so far, including what the model is generating.
  ///
  /// It can be set while the session is not responding. Setting it during a response is a
  /// programming error, and a setter cannot throw: the new value has no effect, and the response
  /// ends with ``LanguageModelSession/Error/transcriptMutationWhileResponding``. While `onExit`
  /// runs, the new value has no effect either, but no error reports it. To act during a response,
  /// use the hooks of its profile.
  public var transcript: Transcript {
    get {
      observations.access(self, keyPath: \.transcript)
      return state.withLock { $0.transcript + $0.growing }
    }
    set { changeTranscript { $0.transcript = newValue } }
  }

  /// Replaces the history, as setting that of `transcript` does.
  ///
  /// It stays the history also where it begins with instructions and none precede it, as in a
  /// process that takes up another's conversation.
  package func replaceHistory(with history: Transcript.HistoryView) {
    changeTranscript { $0.write(history: history) }
  }

  private func changeTranscript(_ change: (inout State) -> Void) {
    self.change(\.transcript) { state in
      guard state.phase == .idle else {
        state.fault = .transcriptMutationWhileResponding
        return
      }
      change(&state)
    }
  }

  /// The conversation so far, without what the model is still generating.
  package var recordedTranscript: Transcript { state.withLock { $0.transcript } }

  /// Whether a response is in progress.
  public var isResponding: Bool {
    observations.access(self, keyPath: \.isResponding)
    return state.withLock { $0.phase == .responding }
  }

  /// The usage of the session since it was created.
  public var usage: Usage {
    observations.access(self, keyPath: \.usage)
    return state.withLock { $0.usage }
  }

  /// What happens to the transcript when a turn fails, unless the profile overrides it.
  ///
  /// If `nil`, the initial value, the transcript is reverted.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { state.withLock { $0.errorPolicy } }
    set { state.withLock { $0.errorPolicy = newValue } }
  }

  /// Changes the state, and notifies the observers of the affected property.
  func change<Member, Result>(
    _ member: KeyPath<LanguageModelSession, Member>,
    _ change: (inout State) throws -> Result
  ) rethrows -> Result where Result: Sendable {
    try observations.withMutation(of: self, keyPath: member) {
      try state.withLock { try change(&$0) }
    }
  }
}

import Synchronization

/// A conversation with a model: a transcript, a profile that says how to answer now, and the loop
/// that asks the model, runs the tools that it calls, and asks again until it has answered.
///
/// A session answers one prompt at a time. A second one while it responds is refused with
/// `Error.concurrentRequests`. To stop a response, cancel the task that asked for it.
public final class LanguageModelSession: @unchecked Sendable {
  // Unchecked because a profile and its hooks need not be Sendable: `profile` and `active` are only
  // used by the one turn that `state` admits, and while idle by `prewarm`.
  let profile: any DynamicProfile
  var active: ActiveProfile?
  let executors = ExecutorCache()
  let state: Mutex<State>

  /// What everything in the session shares.
  public let properties: SessionPropertyValues

  struct State {
    enum Phase {
      case idle, responding
    }

    var phase = Phase.idle
    var transcript: Transcript
    var usage = Usage()
    var historyRewrites = 0
    var errorPolicy: TranscriptErrorHandlingPolicy?
  }

  /// The profile that was resolved last, for as long as it stays active.
  struct ActiveProfile {
    let identity: [ResolvedProfile.Step]
    let onDeactivate: [ProfileHooks.Notice]
  }

  private init(erased profile: any DynamicProfile, transcript: Transcript) {
    self.profile = profile
    properties = SessionPropertyValues()
    state = Mutex(State(transcript: transcript))
    properties.attach(self)
  }

  /// Begins a conversation that follows a profile.
  /// - Parameter history: What was said before.
  public convenience init(
    profile: some DynamicProfile,
    history: some Collection<Transcript.Entry> = []
  ) {
    self.init(erased: profile, transcript: Transcript(entries: history))
  }

  /// Begins a conversation that follows instructions which change with the app's state.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: some DynamicInstructions,
    history: some Collection<Transcript.Entry> = []
  ) {
    let profile = Profile(erased: dynamicInstructions).model(model)
    self.init(erased: profile, transcript: Transcript(entries: history))
  }

  /// Begins a conversation with fixed instructions and tools.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    let fixed = FixedInstructions(instructions: instructions, tools: tools)
    // What never changes can be seen before the first prompt.
    var resolved = ResolvedInstructions()
    fixed.resolve(into: &resolved)
    self.init(
      erased: Profile(erased: fixed).model(model),
      transcript: Transcript(entries: [.instructions(.init(resolved))])
    )
  }

  /// Begins a conversation with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    tools: [any Tool] = [],
    instructions: String? = nil
  ) {
    self.init(model: model, tools: tools, instructions: instructions.map { Instructions($0) })
  }

  /// Begins a conversation with fixed instructions and tools.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel = SystemLanguageModel.default,
    tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// Continues a conversation.
  ///
  /// Its instructions are taken from the transcript.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    tools: [any Tool] = [],
    transcript: Transcript
  ) {
    var told: Instructions?
    if case .instructions(let entry) = transcript.first {
      told = Instructions(segments: entry.segments)
    }
    let fixed = FixedInstructions(instructions: told, tools: tools)
    self.init(erased: Profile(erased: fixed).model(model), transcript: transcript)
  }

  /// What was said.
  ///
  /// It can be set while the session does not respond; setting it during a response is a programmer
  /// error and stops the program.
  public var transcript: Transcript {
    get { state.withLock { $0.transcript } }
    set {
      state.withLock { state in
        precondition(
          state.phase == .idle,
          "\(Error.transcriptMutationWhileResponding): wait until isResponding is false"
        )
        state.transcript = newValue
      }
    }
  }

  /// Whether a response is under way.
  public var isResponding: Bool { state.withLock { $0.phase == .responding } }

  /// What the session has used since it began.
  public var usage: Usage { state.withLock { $0.usage } }

  /// What becomes of the transcript when a turn fails, where the profile does not say.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { state.withLock { $0.errorPolicy } }
    set { state.withLock { $0.errorPolicy = newValue } }
  }
}

/// Instructions and tools that do not change.
private struct FixedInstructions: DynamicInstructions, InstructionsLeaf {
  let instructions: Instructions?
  let tools: [any Tool]

  func resolve(into resolved: inout ResolvedInstructions) {
    if let instructions { instructions.resolve(into: &resolved) }
    resolved.tools += tools
  }
}

public import Observation
import Synchronization

/// A conversation with a model: a transcript, a profile that says how to answer now, and the loop
/// that asks the model, runs the tools that it calls, and asks again until it has answered.
///
/// A session answers one prompt at a time. A second one while it responds is refused with
/// `Error.concurrentRequests`. To stop a response, cancel the task that asked for it.
///
/// `transcript`, `isResponding` and `usage` can be observed; they change while a response is
/// generated.
public final class LanguageModelSession: @unchecked Sendable, Observable {
  // Unchecked because a profile and its hooks need not be Sendable: `profile`, `active` and `onExit`
  // are only used by the one turn that `state` admits, and while idle by `prewarm`, under `preparing`.
  let profile: any DynamicProfile
  var active: [ResolvedProfile.Activation] = []
  /// Who wants to be told why the turn ended.
  var onExit: [ProfileHooks.ExitAction] = []
  let executors = ExecutorCache()
  let state: Mutex<State>
  /// Held while a turn begins, and while `prewarm` evaluates the profile.
  let preparing = Mutex(())
  let observations = ObservationRegistrar()

  /// What everything in the session shares.
  public let properties: SessionPropertyValues

  struct State {
    enum Phase {
      case idle, responding
    }

    var phase = Phase.idle
    /// Only appended to, but for the instructions in front; `replace` does what else is done to it.
    var transcript: Transcript
    var images = Transcript.Images()
    /// The entries that the model is generating, which nobody has recorded yet.
    var growing: [Transcript.Entry] = []
    var usage = Usage()
    var historyRewrites = 0
    var errorPolicy: TranscriptErrorHandlingPolicy?
    /// What was done wrong during the turn, where nothing could be thrown.
    var fault: Error?
    /// What the agent sees of a history that is shared with agents of wider windows.
    var view: ContextView?
    /// The window of the model that was asked last, where it is known.
    var window: Int?

    init(transcript: Transcript) {
      self.transcript = transcript
    }

    mutating func replace(_ change: (inout Transcript) -> Void) {
      change(&transcript)
      images = Transcript.Images()
    }
  }

  init(erased profile: any DynamicProfile, transcript: Transcript) {
    self.profile = profile
    properties = SessionPropertyValues()
    state = Mutex(State(transcript: transcript))
    properties.attach(self)
  }

  /// What was said, including what the model is generating.
  ///
  /// It can be set while the session does not respond. During a response that is a programmer's
  /// error, and a setter cannot throw: the new value has no effect, and the response ends with
  /// `Error.transcriptMutationWhileResponding`, where that comes before its exit is told; while
  /// `onExit` runs, the new value has no effect, and nothing says so. What a response does while it
  /// runs belongs into the hooks of its profile.
  public var transcript: Transcript {
    get {
      observations.access(self, keyPath: \.transcript)
      return state.withLock { state in
        // Joined only where there is something to join: that copies all that was ever said.
        state.growing.isEmpty
          ? state.transcript : Transcript(entries: state.transcript.entries + state.growing)
      }
    }
    set {
      change(\.transcript) { state in
        guard state.phase == .idle else {
          state.fault = .transcriptMutationWhileResponding
          return
        }
        state.replace { $0 = newValue }
      }
    }
  }

  /// What was said, without what the model is still generating.
  package var recordedTranscript: Transcript { state.withLock { $0.transcript } }

  /// Whether a response is under way.
  public var isResponding: Bool {
    observations.access(self, keyPath: \.isResponding)
    return state.withLock { $0.phase == .responding }
  }

  /// What the session has used since it began.
  public var usage: Usage {
    observations.access(self, keyPath: \.usage)
    return state.withLock { $0.usage }
  }

  /// What becomes of the transcript when a turn fails, where the profile does not say.
  ///
  /// `nil`, as it is at first, reverts the transcript.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { state.withLock { $0.errorPolicy } }
    set { state.withLock { $0.errorPolicy = newValue } }
  }

  /// Changes the state, and tells whoever observes the part that changes.
  func change<Member, Result>(
    _ member: KeyPath<LanguageModelSession, Member>,
    _ change: (inout State) throws -> Result
  ) rethrows -> Result where Result: Sendable {
    try observations.withMutation(of: self, keyPath: member) {
      try state.withLock { try change(&$0) }
    }
  }
}

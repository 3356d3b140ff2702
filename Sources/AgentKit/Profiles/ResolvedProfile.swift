/// The result of resolving a dynamic profile at a given moment.
struct ResolvedProfile {
  /// A function that returns what a model sees of the entries.
  typealias Transform =
    nonisolated(nonsending) (
      [Transcript.Entry], any LanguageModel
    ) async throws -> [Transcript.Entry]

  /// A branch taken, or a modifier or type passed, on the way to the active profile.
  ///
  /// Two resolutions with equal identities are the same profile, as in SwiftUI.
  enum Step: Equatable {
    case first, second, modifier
    case type(ObjectIdentifier)
  }

  /// The hooks for a part of the profile that appears or disappears.
  ///
  /// The path identifies the part: an outer profile stays while the inner one changes.
  struct Activation {
    let path: [Step]
    var onActivate: ProfileHooks.Notice?
    var onDeactivate: ProfileHooks.Notice?
  }

  var identity: [Step] = []
  /// The activations, outermost first.
  var activations: [Activation] = []
  var instructions = ResolvedInstructions()
  var model: (any LanguageModel)?
  var options = GenerationOptions()
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var contextManagement: ContextManagement?
  /// Whether a hook keeps the history short.
  var rewritesHistory = false
  var errorPolicy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  var host: HostRequirement?
  /// The transforms, outermost first; the modifier written last runs first.
  var transforms: [Transform] = []
  /// Predicates for the calls that need approval, in addition to tools that require it themselves.
  var approvals: [(Transcript.ToolCall) -> Bool] = []
  var hooks = ProfileHooks()

  /// Whether the agent itself decides what its model sees of the history.
  var managesHistory: Bool {
    switch contextManagement {
    case .automatic: false
    case .manual: true
    case nil: rewritesHistory || !transforms.isEmpty
    }
  }

  /// Shows the model only a part of the history, for the next request.
  mutating func show(_ view: ContextView) {
    let transform: Transform = { entries, _ in
      let leading = entries.leading
      let history = entries[leading.endIndex...]
      return leading + (view.applied(to: history) ?? Array(history))
    }
    // A view is of the recorded history, and was counted with the transforms after it.
    transforms.insert(transform, at: 0)
  }

  mutating func append(_ profile: some LanguageModelSession.DynamicProfile) {
    if let leaf = profile as? any ProfileLeaf {
      leaf.resolve(into: &self)
    } else {
      identity.append(.type(ObjectIdentifier(type(of: profile))))
      append(SessionScope.inBody(of: type(of: profile)) { profile.body })
    }
  }
}

extension ResolvedProfile {
  init(_ profile: some LanguageModelSession.DynamicProfile, in scope: SessionScope) {
    self.init()
    SessionScope.$current.withValue(scope) { append(profile) }
  }
}

/// The hooks of a profile.
///
/// Each list is ordered outermost first.
struct ProfileHooks {
  typealias Action<Payload> = nonisolated(nonsending) (Payload) async throws -> Void
  typealias Notice = @isolated(any) () async -> Void
  typealias ExitAction = nonisolated(nonsending) (TurnExit) async -> Void

  var onPrompt: [Action<Transcript.Prompt>] = []
  var onReasoning: [Action<Transcript.Reasoning>] = []
  var onToolCall: [Action<Transcript.ToolCall>] = []
  var onToolOutput: [Action<(Transcript.ToolCall, Transcript.ToolOutput)>] = []
  var onResponse: [Action<Transcript.Response>] = []
  var onExit: [ExitAction] = []
}

/// A dynamic profile that resolves itself instead of having a body.
protocol ProfileLeaf: LanguageModelSession.DynamicProfile where Body == Never {
  func resolve(into resolved: inout ResolvedProfile)
}

extension ProfileLeaf {
  /// Never called, because this profile resolves itself.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

/// What a dynamic profile comes to at one moment.
struct ResolvedProfile {
  /// Makes what a model sees of the entries.
  typealias Transform =
    nonisolated(nonsending) (
      [Transcript.Entry], any LanguageModel
    ) async throws -> [Transcript.Entry]

  /// Which branches were taken on the way to the active profile, and which modifiers and types
  /// passed.
  ///
  /// Two resolutions with equal identities are the same profile, as in SwiftUI.
  enum Step: Equatable {
    case first, second, modifier
    case type(ObjectIdentifier)
  }

  /// Who wants to be told that a part of the profile came or went.
  ///
  /// Its path is the part's identity: an outer profile stays while the inner one changes.
  struct Activation {
    let path: [Step]
    var onActivate: ProfileHooks.Notice?
    var onDeactivate: ProfileHooks.Notice?
  }

  var identity: [Step] = []
  /// Outermost first.
  var activations: [Activation] = []
  var instructions = ResolvedInstructions()
  var model: (any LanguageModel)?
  var options = GenerationOptions()
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var contextManagement: ContextManagement?
  /// Whether a hook keeps the history short.
  var rewritesHistory = false
  var errorPolicy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  /// Outermost first: the modifier that was written last runs first.
  var transforms: [Transform] = []
  /// Which calls a person is asked about, beside those of tools that say so themselves.
  var approvals: [(Transcript.ToolCall) -> Bool] = []
  var hooks = ProfileHooks()

  /// Whether the agent decides itself what its model sees of the history.
  var managesHistory: Bool {
    switch contextManagement {
    case .automatic: false
    case .manual: true
    case nil: rewritesHistory || !transforms.isEmpty
    }
  }

  /// Shows the model a part of the history only, for the next request.
  mutating func show(_ view: ContextView) {
    transforms.append { entries, _ in
      let leading = entries.leading
      let history = entries[leading.endIndex...]
      return leading + (view.applied(to: history) ?? Array(history))
    }
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
  /// What a profile comes to in a scope.
  init(_ profile: some LanguageModelSession.DynamicProfile, in scope: SessionScope) {
    self.init()
    SessionScope.$current.withValue(scope) { append(profile) }
  }
}

/// What a profile wants to be told.
///
/// Each list is outermost first.
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
  /// Never called: what resolves itself has no body.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

extension LanguageModelSession {
  /// The configuration of a session at a given moment: instructions, tools, a model and options.
  ///
  /// It is resolved anew before every request to the model, and therefore also after every round of
  /// tool calls. A body evaluates to exactly one `Profile`. It may be evaluated more than once per
  /// request, so it must only read state.
  ///
  /// ```swift
  /// struct Brainstorm: LanguageModelSession.DynamicProfile {
  ///   var hasChosen = false
  ///
  ///   var body: some LanguageModelSession.DynamicProfile {
  ///     if hasChosen {
  ///       LanguageModelSession.Profile { Instructions("Develop the chosen idea.") }.temperature(0.2)
  ///     } else {
  ///       LanguageModelSession.Profile { Instructions("Collect many ideas.") }.temperature(1)
  ///     }
  ///   }
  /// }
  /// ```
  @_typeEraser(AnyDynamicProfile)
  public protocol DynamicProfile {
    /// The type of the body.
    associatedtype Body: LanguageModelSession.DynamicProfile

    /// The profile that is currently active.
    @LanguageModelSession.DynamicProfileBuilder var body: Body { get }
  }

  /// Instructions and tools that are active together.
  ///
  /// Modifiers set the model and the options, and add hooks:
  ///
  /// ```swift
  /// struct Tutor: LanguageModelSession.DynamicProfile {
  ///   var body: some LanguageModelSession.DynamicProfile {
  ///     LanguageModelSession.Profile { Instructions("Explain one step at a time.") }
  ///       .temperature(0.3)
  ///       .maximumResponseTokens(200)
  ///   }
  /// }
  /// ```
  public struct Profile: DynamicProfile, ProfileLeaf {
    private let instructions: any DynamicInstructions

    /// Creates a profile from instructions and tools.
    public init(
      @DynamicInstructionsBuilder _ dynamicInstructions: () -> some DynamicInstructions
    ) {
      instructions = dynamicInstructions()
    }

    init(erased instructions: any DynamicInstructions) {
      self.instructions = instructions
    }

    func resolve(into resolved: inout ResolvedProfile) {
      resolved.instructions.append(instructions)
    }
  }

  /// A type-erased dynamic profile.
  public struct AnyDynamicProfile: DynamicProfile, ProfileLeaf {
    private let content: any DynamicProfile

    /// Erases the type of a dynamic profile.
    public init(_ content: any DynamicProfile) { self.content = content }

    /// Erases the type of a dynamic profile.
    public init(erasing content: some DynamicProfile) { self.content = content }

    func resolve(into resolved: inout ResolvedProfile) {
      // Different types behind the erasure are different profiles.
      resolved.identity.append(.type(ObjectIdentifier(type(of: content))))
      resolved.append(content)
    }
  }

  /// One of two dynamic profiles.
  public struct ConditionalDynamicProfile<
    TrueContent: DynamicProfile,
    FalseContent: DynamicProfile
  >:
    DynamicProfile, ProfileLeaf
  {
    enum Branch {
      case first(TrueContent)
      case second(FalseContent)
    }

    let branch: Branch

    func resolve(into resolved: inout ResolvedProfile) {
      switch branch {
      case .first(let content):
        resolved.identity.append(.first)
        resolved.append(content)
      case .second(let content):
        resolved.identity.append(.second)
        resolved.append(content)
      }
    }
  }

  /// Builds the body of a dynamic profile: exactly one profile, chosen by `if`-`else` or `switch`.
  @resultBuilder
  public enum DynamicProfileBuilder {
    /// Passes through the only profile of a body.
    public static func buildBlock<T: DynamicProfile>(_ content: T) -> T { content }

    /// Uses the first branch.
    public static func buildEither<T: DynamicProfile, F: DynamicProfile>(
      first content: T
    ) -> ConditionalDynamicProfile<T, F> {
      ConditionalDynamicProfile(branch: .first(content))
    }

    /// Uses the second branch.
    public static func buildEither<T: DynamicProfile, F: DynamicProfile>(
      second content: F
    ) -> ConditionalDynamicProfile<T, F> {
      ConditionalDynamicProfile(branch: .second(content))
    }

    /// Rejects several profiles at once.
    @available(
      *,
      unavailable,
      message: "The body of a 'DynamicProfile' must evaluate to a single active profile"
    )
    public static func buildBlock<each Content: DynamicProfile>(
      _ contents: repeat each Content
    ) -> Never {
      preconditionFailure("unavailable")
    }

    /// Rejects a profile that may be absent.
    @available(
      *,
      unavailable,
      message: "The body of a 'DynamicProfile' must evaluate to a single active profile; add 'else'"
    )
    public static func buildOptional<P: DynamicProfile>(_ content: P?) -> P {
      preconditionFailure("unavailable")
    }

    /// Uses a profile that requires a newer platform.
    public static func buildLimitedAvailability(
      _ content: some DynamicProfile
    ) -> AnyDynamicProfile {
      AnyDynamicProfile(erasing: content)
    }
  }
}

extension LanguageModelSession.DynamicProfile {
  /// Instructions and tools that are active together.
  public typealias Profile = LanguageModelSession.Profile
  /// The configuration of a session at a given moment.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
  /// A value shared by everything in a session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension Never: LanguageModelSession.DynamicProfile {}

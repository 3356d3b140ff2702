extension LanguageModelSession {
  /// A set of modifiers under a name of its own.
  public protocol DynamicProfileModifier {
    /// What the body is made of.
    associatedtype Body: LanguageModelSession.DynamicProfile

    /// What is modified.
    typealias Content = LanguageModelSession.DynamicProfileModifierContent<Self>

    /// The profile with the modifiers.
    @LanguageModelSession.DynamicProfileBuilder func body(content: Content) -> Body
  }

  /// The profile that a modifier is applied to.
  public struct DynamicProfileModifierContent<Modifier: DynamicProfileModifier>: DynamicProfile,
    ProfileLeaf
  {
    let content: any DynamicProfile

    func resolve(into resolved: inout ResolvedProfile) { resolved.append(content) }
  }

  /// A profile with a modifier applied.
  public struct ModifiedDynamicProfile<Content: DynamicProfile, Modifier: DynamicProfileModifier>:
    DynamicProfile, ProfileLeaf
  {
    let content: Content
    let modifier: Modifier

    func resolve(into resolved: inout ResolvedProfile) {
      resolved.append(modifier.body(content: DynamicProfileModifierContent(content: content)))
    }
  }
}

extension LanguageModelSession.DynamicProfileModifier {
  /// What a session is at the moment.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
  /// A value that everything in a session shares.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfile {
  /// The profile with a modifier applied.
  public func modifier<M: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: M
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.ModifiedDynamicProfile(content: self, modifier: modifier)
  }
}

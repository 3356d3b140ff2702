extension LanguageModelSession {
  /// A named set of modifiers.
  public protocol DynamicProfileModifier {
    /// The type of the body.
    associatedtype Body: LanguageModelSession.DynamicProfile

    /// The profile to modify.
    typealias Content = LanguageModelSession.DynamicProfileModifierContent<Self>

    /// Returns the profile with the modifiers applied.
    @LanguageModelSession.DynamicProfileBuilder func body(content: Content) -> Body
  }

  /// The profile to which a modifier is applied.
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
  /// The configuration of a session at a given moment.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
  /// A value shared by everything in a session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfile {
  /// Applies a modifier to the profile.
  public func modifier<M: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: M
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.ModifiedDynamicProfile(content: self, modifier: modifier)
  }
}

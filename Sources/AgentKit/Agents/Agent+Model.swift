extension Agent {
  /// The model of the profile that the agent begins with; `nil` for the configured one.
  package var initialModel: (any LanguageModel)? {
    let scope = SessionScope(SessionPropertyValues(), .body(Self.self))
    return ResolvedProfile(self, in: scope).model
  }
}

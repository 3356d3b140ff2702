extension Agent {
  /// The model of the agent's initial profile, or `nil` if the agent uses the configured one.
  package var initialModel: (any LanguageModel)? {
    let scope = SessionScope(SessionPropertyValues(), .body(Self.self))
    return ResolvedProfile(self, in: scope).model
  }
}

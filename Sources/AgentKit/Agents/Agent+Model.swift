extension Agent {
  /// The model of the profile that the agent begins with; `nil` for the configured one.
  package var initialModel: (any LanguageModel)? {
    SessionScope.$current.withValue(
      SessionScope(SessionPropertyValues(), .body(String(describing: Self.self)))
    ) {
      var resolved = ResolvedProfile()
      resolved.append(self)
      return resolved.model
    }
  }
}

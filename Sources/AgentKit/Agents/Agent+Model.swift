extension Agent {
  /// The model of the profile that the agent begins with; `nil` for the configured one.
  package var initialModel: (any LanguageModel)? {
    SessionPropertyValues.$current.withValue(SessionPropertyValues()) {
      var resolved = ResolvedProfile()
      resolved.append(self)
      return resolved.model
    }
  }
}

import AgentKit

/// Writes titles, as a friend that is asked one question and knows nothing else.
struct Title: Agent {
  let name = "title"
  let description = "writes project titles"

  var body: some DynamicProfile {
    Profile {
      Instructions("Write a creative title for the project the user names.")
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(48)
  }
}

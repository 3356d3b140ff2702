import AgentKit

/// Writes titles: a friend, who is asked one thing and knows nothing else.
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

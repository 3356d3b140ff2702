import AgentKit

/// Looks at what the person has made, and helps to make it better.
struct Coach: Agent {
  let name = "coach"
  let description = "reviews finished work"

  var body: some DynamicProfile {
    Profile {
      Instructions("You give kind feedback on craft projects. Be kind and specific.")
      PassBaton(to: "tutorial", "brainstorm", name: "hand_over")
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

import AgentKit

/// Looks at what the person has made, and helps to improve it.
struct Coach: Agent {
  let name = "coach"
  let description = "reviews finished work"

  var body: some DynamicProfile {
    Profile {
      Instructions(
        """
        You give kind feedback on craft projects. Praise first, then give one tip. \
        Pass the baton to the tutorial for folding steps, and to brainstorm for new ideas.
        """
      )
      PassBaton(
        to: "tutorial",
        "brainstorm",
        description: """
          Give control to a different agent: \
          tutorial (explains how to fold a model) or brainstorm (suggests projects).
          """
      )
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

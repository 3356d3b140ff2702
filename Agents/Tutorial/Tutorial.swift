import AgentKit

/// Teaches how to fold things, using a small origami database.
struct Tutorial: Agent {
  let name = "tutorial"
  let description = "explains how to fold a model"

  var body: some DynamicProfile {
    Profile {
      Instructions(
        """
        You write origami tutorials. Look the model up in the database before you answer. \
        It has: \(OrigamiDatabase.names.joined(separator: ", ")). \
        Pass the baton to the coach for feedback, and to brainstorm for new ideas.
        """
      )
      QueryOrigamiDatabase()
      ShowDirections()
      PassBaton(
        to: "brainstorm",
        "coach",
        description: """
          Give control to a different agent: \
          brainstorm (suggests projects) or coach (reviews finished work).
          """
      )
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

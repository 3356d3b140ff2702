import AgentKit

/// Finds a craft project together with the person.
struct Brainstorm: Agent {
  let name = "brainstorm"
  let description = "suggests craft projects"

  var body: some DynamicProfile {
    Profile {
      Instructions(
        """
        You are a warm and friendly expert crafting brainstorm facilitator. \
        Suggest projects that fit what the user has. \
        Pass the baton to the tutorial for folding steps, and to the coach for feedback.
        """
      )
      PhoneAFriend(
        "title",
        name: "generate_title",
        description: "Ask a friend to write a creative project title.",
        parameter: "topic",
        prompt: { "A project about \($0)." }
      )
      PassBaton(
        to: "tutorial",
        "coach",
        description: """
          Give control to a different agent: \
          tutorial (explains how to fold a model) or coach (reviews finished work).
          """
      )
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

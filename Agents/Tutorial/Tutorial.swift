import AgentKit

/// Teaches how to fold things, from a small database of origami.
struct Tutorial: Agent {
  let name = "tutorial"
  let description = "explains how to fold a model"

  var body: some DynamicProfile {
    Profile {
      Instructions("You write origami tutorials.")
      QueryOrigamiDatabase()
      PassBaton(to: "brainstorm", "coach", name: "hand_over")
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

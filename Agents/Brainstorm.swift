import AgentKit

/// Finds a craft project with the person.
struct Brainstorm: Agent {
  let name = "brainstorm"
  let description = "suggests craft projects"

  var body: some DynamicProfile {
    Profile {
      Instructions("You are a cheerful assistant who suggests things to make.")
      PassBaton(to: "tutorial", "coach", name: "hand_over")
      PhoneAFriend(
        "title",
        name: "make_title",
        description: "Ask a friend to write a project title.",
        parameter: "topic",
        prompt: { "A project about \($0)" }
      )
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(200)
    .rollingWindow(entries: 16)
  }
}

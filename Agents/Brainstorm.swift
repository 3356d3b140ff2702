import AgentKit

/// Finds a craft project with the person.
struct Brainstorm: Agent {
  let name = "brainstorm"
  let description = "suggests craft projects"

  var body: some DynamicProfile {
    Profile {
      Instructions("You are a warm and friendly expert crafting brainstorm facilitator.")
      PhoneAFriend(
        "title",
        name: "generate_title",
        description: "Generate a creative project title.",
        parameter: "topic",
        prompt: { "A project about \($0)" }
      )
      PassBaton(to: "tutorial", "coach", description: "Give control to a different agent.")
    }
    .samplingMode(.greedy)
  }
}

/// An agent that answers whoever comes in.
enum Porter {
  static let source = """
    import AgentKit
    import Foundation

    struct Porter: Agent {
      let name = "porter"
      let description = "answers whoever comes in"

      var body: some DynamicProfile {
        Profile { Instructions("Greet.") }
          .model(ScriptedLanguageModel(deciding: { _ in .text("welcome") }))
      }
    }
    """
}

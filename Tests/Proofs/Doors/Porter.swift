/// An agent that answers every prompt but one.
enum Porter {
  /// The prompt that is never answered.
  static let wait = "wait"

  static let source = """
    import AgentKit
    import Foundation

    struct Porter: Agent {
      let name = "porter"
      let description = "answers every prompt"

      var body: some DynamicProfile {
        Profile { Instructions("Greet.") }
          .model(
            ScriptedLanguageModel(deciding: { request in
              request.transcript.last?.description == "wait" ? .silence : .text("welcome")
            })
          )
      }
    }
    """
}

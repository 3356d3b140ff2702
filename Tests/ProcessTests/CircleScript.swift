/// The source of an agent that goes in circles.
enum CircleScript {
  static let source = #"""
    import AgentKit

    /// Makes the same call again and again, as long as it may.
    struct Circler: Agent {
      @SessionProperty(\.lastExit) var lastExit
      let name = "circler"
      let description = "goes in circles"

      static let model = ScriptedLanguageModel { request in
        request.enabledToolDefinitions.isEmpty
          ? .text(request.transcript.last?.description ?? "") : .call("look")
      }

      var body: some DynamicProfile {
        Profile { Look() }
          .model(Self.model)
          .onExit { lastExit = $0.description }
      }
    }

    struct Look: Tool {
      let name = "look"
      let description = "Looks."
      @Generable struct Arguments {}

      func call(arguments: Arguments) async throws -> String { "nothing" }
    }

    extension SessionPropertyValues {
      @SessionPropertyEntry var lastExit: String = ""
    }
    """#
}

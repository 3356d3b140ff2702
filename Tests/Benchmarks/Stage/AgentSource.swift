/// The source of an agent, as a person would write it.
struct AgentSource {
  let type: String
  let text: String

  /// Answers with the model.
  static func answering(
    _ type: String,
    instructions: String,
    tokens: Int,
    sampling: String = ".samplingMode(.greedy)"
  ) -> AgentSource {
    AgentSource(
      type: type,
      text: """
        import AgentKit

        struct \(type): Agent {
          let name = "\(type.lowercased())"
          let description = "answers"

          var body: some DynamicProfile {
            Profile { Instructions("\(instructions)") }
              \(sampling)
              .maximumResponseTokens(\(tokens))
          }
        }
        """
    )
  }

  /// Phones a friend with each line of what it is asked, all in one round, and then answers.
  ///
  /// What the model would decide is scripted, because random weights decide nothing.
  static func caller(of friend: String) -> AgentSource {
    AgentSource(
      type: "Caller",
      text: """
        import AgentKit

        struct Caller: Agent {
          static let model = ScriptedLanguageModel(deciding: { request in
            guard case .prompt(let prompt) = request.transcript.last else { return .text("done") }
            let lines = "\\(Transcript.Entry.prompt(prompt))".split(separator: "\\n")
            return .calls(lines.map { .init("ask", "{\\"question\\": \\"\\($0)\\"}") })
          })

          let name = "caller"
          let description = "asks"

          var body: some DynamicProfile {
            Profile { PhoneAFriend("\(friend)", name: "ask", description: "Asks a friend.") }
              .model(Self.model)
          }
        }
        """
    )
  }

  /// Passes the baton on, or phones a friend, as it is told; what the model would decide is scripted.
  static func host(of specialist: String) -> AgentSource {
    AgentSource(
      type: "Host",
      text: """
        import AgentKit

        struct Host: Agent {
          static let model = ScriptedLanguageModel(deciding: { request in
            switch request.transcript.last {
            case .toolOutput(let output) where output.toolName == "ask": return .text("done")
            case .prompt(let prompt) where "\\(Transcript.Entry.prompt(prompt))".hasPrefix("phone "):
              let question = "\\(Transcript.Entry.prompt(prompt))".dropFirst(6)
              return .call("ask", "{\\"question\\": \\"\\(question)\\"}")
            default: return .call("pass_baton", "{\\"to\\": \\"\(specialist)\\"}")
            }
          })

          let name = "host"
          let description = "hosts"

          var body: some DynamicProfile {
            Profile {
              PassBaton(to: "\(specialist)")
              PhoneAFriend("\(specialist)", name: "ask", description: "Asks a friend.")
            }
            .model(Self.model)
          }
        }
        """
    )
  }

  /// Answers with the model, and after each answer has to pass the baton to the host before the
  /// next: with the model too, held to the call by the tool-calling mode.
  static func specialist(instructions: String, tokens: Int) -> AgentSource {
    AgentSource(
      type: "Specialist",
      text: """
        import AgentKit
        import Synchronization

        struct Specialist: Agent {
          static let hasAnswered = Mutex(false)

          let name = "specialist"
          let description = "knows"

          var body: some DynamicProfile {
            Profile {
              Instructions("\(instructions)")
              PassBaton(to: "host")
            }
            .toolCallingMode(Self.hasAnswered.withLock { $0 } ? .required : .allowed)
            .onResponse { Self.hasAnswered.withLock { $0 = true } }
            .onToolCall { Self.hasAnswered.withLock { $0 = false } }
            .samplingMode(.greedy)
            .maximumResponseTokens(\(tokens))
          }
        }
        """
    )
  }
}

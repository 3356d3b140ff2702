/// The source of an agent, as a person would write it.
struct AgentSource {
  let type: String
  let text: String

  /// An agent that answers with the model.
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

  /// An agent that phones a friend with each line of its prompt, all in one round, and then
  /// answers.
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

  /// An agent that passes the baton or phones a friend, as told; what the model would decide is
  /// scripted.
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

  /// An agent that answers with the model and after each answer must pass the baton to the host
  /// before the next.
  ///
  /// It passes the baton with the model too, which the tool-calling mode holds to the call. It
  /// samples, because random weights repeat their likeliest tokens, and a turn ends at that; they
  /// may spell a call letter by letter, so a call has more room than an answer.
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

          private var mustPass: Bool { Self.hasAnswered.withLock { $0 } }

          var body: some DynamicProfile {
            Profile {
              Instructions("\(instructions)")
              PassBaton(to: "host")
            }
            .toolCallingMode(mustPass ? .required : .allowed)
            .onResponse { Self.hasAnswered.withLock { $0 = true } }
            .onToolCall { Self.hasAnswered.withLock { $0 = false } }
            .samplingMode(.random(top: 40, seed: 7))
            .maximumResponseTokens(mustPass ? 192 : \(tokens))
          }
        }
        """
    )
  }
}

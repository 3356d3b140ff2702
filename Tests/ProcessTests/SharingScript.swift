/// The sources of two agents that share properties, of which only one knows their meaning.
enum SharingScript {
  /// Keeps a topic and counts how often it was set.
  static let keeper = #"""
    import AgentKit

    struct Keeper: Agent {
      let name = "keeper"
      let description = "keeps what it is told"

      @SessionProperty(\.topic) var topic
      @SessionProperty(\.sets) var sets
      @SessionProperty(\.history) var history

      static let model = ScriptedLanguageModel { request in
        let last = request.transcript.last?.description ?? ""
        if case .toolOutput(let output)? = request.transcript.last, output.toolName == "keep" {
          return .text(last)
        }
        switch last.prefix(while: { $0 != " " }) {
        case "pass": return .call("pass_baton", #"{"to": "courier"}"#)
        case "set", "get":
          return .call("keep", GeneratedContent(properties: ["line": last]).jsonString)
        default:
          let prompts = request.transcript.filter { if case .prompt = $0 { true } else { false } }
          return .text(prompts.map(\.description).joined(separator: " | "))
        }
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Keep it.")
          Keep()
          PassBaton(to: "courier", briefing: { "\($0) has it" })
        }
        .model(Self.model)
        .onPrompt {
          if history.last?.description == "forget" { history = history.suffix(1) }
        }
      }
    }

    struct Keep: Tool {
      let name = "keep"
      let description = "Keeps a topic, and says what it is."
      @SessionProperty(\.topic) var topic
      @SessionProperty(\.sets) var sets

      @Generable struct Arguments { var line: String }

      func call(arguments: Arguments) async throws -> String {
        let words = arguments.line.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2 {
          topic = words[1]
          sets += 1
        }
        return "\(topic), \(sets) set"
      }
    }

    extension SessionPropertyValues {
      @SessionPropertyEntry var topic: String = "nothing"
      @SessionPropertyEntry var sets: Int = 0
    }
    """#

  /// Declares one property of its own and none of the keeper's.
  static let courier = #"""
    import AgentKit

    struct Courier: Agent {
      let name = "courier"
      let description = "carries what it does not read"

      static let model = ScriptedLanguageModel { request in
        switch request.transcript.last?.description {
        case "back": .call("pass_baton", #"{"to": "puppet"}"#)
        case "courier has it": .text("courier has it")
        default: .text(request.transcript.first?.description ?? "")
        }
      }

      var body: some DynamicProfile {
        Profile {
          Seals()
          PassBaton(to: "puppet", briefing: { _ in "get" })
        }
        .model(Self.model)
      }
    }

    struct Seals: DynamicInstructions {
      @SessionProperty(\.seals) var seals

      var body: some DynamicInstructions { Instructions("\(seals) sealed") }
    }

    extension SessionPropertyValues {
      @SessionPropertyEntry var seals: Int = 0
    }
    """#
}

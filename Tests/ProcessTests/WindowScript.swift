/// The sources of two agents with windows of different sizes.
enum WindowScript {
  static let talker = source("Talker", "talker", window: 400, partner: "small")
  static let small = source("Small", "small", window: 120, partner: "puppet")

  private static func source(_ type: String, _ name: String, window: Int, partner: String) -> String
  {
    #"""
    import AgentKit

    struct \#(type): Agent {
      let name = "\#(name)"
      let description = "talks"

      static let model = ScriptedLanguageModel { request in
        let last = request.transcript.last?.description ?? ""
        if last.hasPrefix("Summarise the conversation") {
          return .text("talk of \(request.transcript.count) entries")
        }
        let words = last.split(separator: " ", maxSplits: 1).map(String.init)
        switch request.transcript.last {
        case .toolOutput(let output) where output.toolName == "read" || last.contains("failed"):
          return .text(last)
        case .prompt:
          // What a summary has put before the prompt is no command.
          switch last.split(separator: "\n").last?.prefix(while: { $0 != " " }) {
          case "pass", "back": return .call("pass_baton", #"{"to": "\#(partner)"}"#)
          case "read":
            let count = Int(words.last ?? "") ?? 1
            return .call("read", GeneratedContent(properties: ["count": count]).jsonString)
          case "say": return .text("x " + String(last.dropFirst(4)))
          default: break
          }
        default: break
        }
        return .text("\#(name) sees \(request.transcript.count - 1) entries")
      }

      var body: some DynamicProfile {
        Profile {
          Read()
          PassBaton(to: "\#(partner)")
        }
        .model(Self.model.contextSize(\#(window)))
      }
    }

    struct Read: Tool {
      let name = "read"
      let description = "Reads so many words."
      @Generable struct Arguments { var count: Int }

      func call(arguments: Arguments) async throws -> String {
        Array(repeating: "y", count: arguments.count).joined(separator: " ")
      }
    }
    """#
  }
}

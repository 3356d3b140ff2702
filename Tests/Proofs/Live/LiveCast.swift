import Foundation

/// An honest agent, and others that it asks whose workers are fake.
enum LiveCast {
  static let clerk = "clerk"

  /// Returns what the clerk answers when asked to say something.
  static func answer(to number: Int) -> String { "said \(number)" }

  /// - Parameters:
  ///   - others: The names of the agents whose workers are stand-ins.
  ///   - readers: The names of agents that answer from the coordinator's model.
  static func write(to folder: String, others: [String] = [], readers: [String] = []) throws {
    var sources = ["Clerk": clerk(others + readers)]
    let script = ".model(ScriptedLanguageModel(deciding: { _ in .text(\"good\") }))"
    for name in others { sources[name.capitalized] = other(name, script) }
    for name in readers { sources[name.capitalized] = other(name) }
    for (name, source) in sources {
      try source.write(toFile: "\(folder)/\(name).swift", atomically: true, encoding: .utf8)
    }
  }

  /// An agent that does what its prompt says: says a number, asks others this many times at once,
  /// or passes the baton.
  private static func clerk(_ others: [String]) -> String {
    let tools = others.flatMap { name in
      [
        #"PhoneAFriend("\#(name)", name: "ask_\#(name)", description: "Asks.")"#,
        #"PassBaton(to: "\#(name)", name: "pass_\#(name)")"#,
      ]
    }
    return ##"""
      import AgentKit

      struct Clerk: Agent {
        let name = "clerk"
        let description = "asks others"

        static let model = ScriptedLanguageModel { request in
          guard case .prompt? = request.transcript.last else {
            return .text(request.transcript.last?.description ?? "")
          }
          let words = (request.transcript.last?.description ?? "").split(separator: " ")
          guard words.count > 1 else { return .silence }
          switch words[0] {
          case "say": return .text("said \(words[1])")
          case "pass": return .call("pass_\(words[1])", #"{"to": "\#(words[1])"}"#)
          default:
            // A prompt may come to it tampered with.
            let times = words.count > 2 ? min(max(Int(words[2]) ?? 1, 0), 64) : 1
            return .calls(
              (0..<times).map { .init("ask_\(words[1])", #"{"question": "number \#($0)"}"#) }
            )
          }
        }

        var body: some DynamicProfile {
          Profile {
            Instructions("Ask others.")
            \##(tools.joined(separator: "\n      "))
          }
          .model(Self.model)
        }
      }
      """##
  }

  private static func other(_ name: String, _ model: String = "") -> String {
    """
    import AgentKit

    struct \(name.capitalized): Agent {
      let name = "\(name)"
      let description = "is not what it should be"

      var body: some DynamicProfile {
        Profile { Instructions("Be good.") }
          \(model)
      }
    }
    """
  }
}

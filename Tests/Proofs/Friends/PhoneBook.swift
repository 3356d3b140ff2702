/// The agents of the proof: one that a person asks, one that it asks, and the many that the second
/// asks.
///
/// A friend phones the many, so that what a conversation keeps of them goes when it ends; whatever
/// grows then is not a transcript.
enum PhoneBook {
  static let agents = ["Caller": caller, "Broker": broker, "Friend": friend]
  /// The agents that may each have a spare standing by.
  static let phoned = [broker, friend]

  private static let caller = #"""
    import AgentKit

    struct Caller: Agent {
      let name = "caller"
      let description = "has others phone"

      static let model = ScriptedLanguageModel { request in
        let last = request.transcript.last
        guard case .prompt? = last else { return .text(last?.description ?? "") }
        return .call("ask", GeneratedContent(properties: ["question": "\(last!)"]).jsonString)
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Have it asked.")
          PhoneAFriend("broker", name: "ask", description: "Asks many.")
        }
        .model(Self.model)
      }
    }
    """#

  private static let broker = #"""
    import AgentKit

    struct Broker: Agent {
      let name = "broker"
      let description = "phones many friends"

      /// A prompt is how many friends are phoned, and how many of them at a time.
      static let model = ScriptedLanguageModel { request in
        var (answers, right) = (0, 0)
        var others: [String] = []
        for entry in request.transcript.reversed() {
          switch entry {
          case .toolOutput:
            answers += 1
            if entry.description.contains("heard") {
              right += 1
            } else {
              others.append(entry.description)
            }
          case .prompt:
            let numbers = entry.description.split(separator: " ").compactMap { Int($0) }
            guard answers < numbers[0] else {
              return .text(([String(right)] + others).joined(separator: "\n"))
            }
            let next = answers..<min(numbers[0], answers + numbers[1])
            return .calls(
              next.map {
                .init("phone", GeneratedContent(properties: ["question": "number \($0)"]).jsonString)
              }
            )
          default: break
          }
        }
        return .text("")
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Phone them all.")
          PhoneAFriend("friend", name: "phone", description: "Phones one.")
        }
        .model(Self.model)
      }
    }
    """#

  private static let friend = #"""
    import AgentKit

    struct Friend: Agent {
      let name = "friend"
      let description = "answers once"

      static let model = ScriptedLanguageModel { request in
        .text("heard \(request.transcript.last?.description ?? "")")
      }

      var body: some DynamicProfile {
        Profile { Instructions("Answer.") }.model(Self.model)
      }
    }
    """#
}

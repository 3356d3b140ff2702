import Foundation

/// The agents of the proof: each turn has calls with effects, a friend with an effect of its own,
/// and a pass of the baton.
///
/// What the model would decide is scripted by the transcript, so that a new process continues where
/// another one stopped.
struct KillCast {
  /// The file to which the tool adds a line for each effect.
  let effects: String
  /// The hosts on which all of them run; `nil` for this machine.
  var host: String?

  static let names = ["clerk", "archivist", "runner"]

  /// Returns the answer of a turn.
  static func answer(to prompt: String) -> String { "done \(prompt)" }

  /// Returns the effects of a turn in which nothing is killed.
  static func effects(of prompt: String) -> [String] {
    ["\(prompt).1", "\(prompt).2", "\(prompt).3", "\(prompt).friend"]
  }

  /// - Parameter isIdempotent: Whether the tool claims, falsely, that it can be called again.
  func write(to folder: String, isIdempotent: Bool) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let sources = [
      "Clerk": clerk("Clerk", partner: "archivist", isIdempotent),
      "Archivist": clerk("Archivist", partner: "clerk", isIdempotent),
      "Runner": runner(isIdempotent),
    ]
    for (name, source) in sources {
      try source.write(toFile: "\(folder)/\(name).swift", atomically: true, encoding: .utf8)
    }
  }

  private func clerk(_ type: String, partner: String, _ isIdempotent: Bool) -> String {
    """
    import AgentKit
    import Foundation

    struct \(type): Agent {
      let name = "\(type.lowercased())"
      let description = "stamps papers"
      let permissions: [Permission] = [.writing("\(folder)")]

      static let model = ScriptedLanguageModel { request in
        let (prompt, outputs) = progress(request.transcript)
        switch outputs {
        case 0: return .calls([.init("stamp", token("\\(prompt).1")), .init("stamp", token("\\(prompt).2"))])
        case 2: return .call("ask", #"{"question": "\\#(prompt)"}"#)
        case 3: return .call("pass_baton", #"{"to": "\(partner)"}"#)
        case 4: return .call("stamp", token("\\(prompt).3"))
        default: return .reasoned("That was all.", text: "done \\(prompt)")
        }
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Stamp papers.")
          Stamp()
          PhoneAFriend("runner", name: "ask", description: "Asks the runner.")
          PassBaton(to: "\(partner)")
        }
        .model(Self.model)\(placement)
      }
    }

    \(common(isIdempotent))
    """
  }

  private func runner(_ isIdempotent: Bool) -> String {
    """
    import AgentKit
    import Foundation

    struct Runner: Agent {
      let name = "runner"
      let description = "runs errands"
      let permissions: [Permission] = [.writing("\(folder)")]

      static let model = ScriptedLanguageModel { request in
        let (prompt, outputs) = progress(request.transcript)
        return outputs == 0 ? .call("stamp", token("\\(prompt).friend")) : .text("ran for \\(prompt)")
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Run errands.")
          Stamp()
        }
        .model(Self.model)\(placement)
      }
    }

    \(common(isIdempotent))
    """
  }

  private var placement: String { host.map { ".host(\"\($0)\")" } ?? "" }

  private var folder: String { (effects as NSString).deletingLastPathComponent }

  private func common(_ isIdempotent: Bool) -> String {
    """
    /// The last prompt, and how many outputs of tools came after it.
    private func progress(_ transcript: Transcript) -> (prompt: String, outputs: Int) {
      var outputs = 0
      for entry in transcript.reversed() {
        switch entry {
        case .toolOutput: outputs += 1
        case .prompt: return (entry.description, outputs)
        default: break
        }
      }
      return ("", outputs)
    }

    private func token(_ text: String) -> String { #"{"token": "\\#(text)"}"# }

    struct Stamp: Tool {
      let description = "Stamps a paper, which cannot be undone."
      let name = "stamp"
      let isIdempotent = \(isIdempotent)

      @Generable
      struct Arguments {
        var token: String
      }

      func call(arguments: Arguments) async throws -> String {
        let file = open("\(effects)", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        let line = Array("\\(arguments.token)\\n".utf8)
        guard file >= 0, write(file, line, line.count) == line.count else {
          throw ToolCallRejection("There is no ink.")
        }
        close(file)
        // The effect is there and the output is not: the moment that is hard to survive.
        usleep(15_000)
        return "stamped \\(arguments.token)"
      }
    }
    """
  }
}

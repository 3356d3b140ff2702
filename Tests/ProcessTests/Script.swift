import TestSupport

/// The sources of the agents of these tests.
enum Script {
  static let sources = [
    "Puppet": puppet("Puppet", "puppet"),
    "Partner": puppet("Partner", "partner"),
    "Friend": puppet("Friend", "friend"),
    "Thinker": puppet("Thinker", "thinker", model: "Thinking(script: script)") + thinking,
    "Sleeper": sleeper,
    "Prisoner": Prisoner.source(),
    "Keeper": SharingScript.keeper,
    "Courier": SharingScript.courier,
    "Scholar": scholar,
    "Scribbler": PrefixScript.scribbler,
    "Talker": WindowScript.talker,
    "Small": WindowScript.small,
  ]

  /// An agent that obeys its prompt: the first word names the action, the rest is its argument.
  private static func puppet(
    _ type: String,
    _ name: String,
    model: String = "script"
  ) -> String {
    #"""
    import AgentKit
    import Foundation

    struct \#(type): Agent {
      let name = "\#(name)"
      let description = "does what it is told"

      init() {
        print("a \#(name) is made")
      }

      static let model = \#(model)
      static let script = ScriptedLanguageModel { request in
        guard case .prompt? = request.transcript.last else {
          var outputs: [String] = []
          for entry in request.transcript.reversed() {
            guard case .toolOutput = entry else { break }
            outputs.insert(entry.description, at: 0)
          }
          return .text(outputs.joined(separator: " + "))
        }
        let words = (request.transcript.last?.description ?? "").split(separator: " ", maxSplits: 1)
        let rest = words.count > 1 ? String(words[1]) : ""
        func argument(_ name: String, _ value: String) -> String {
          GeneratedContent(properties: [name: value]).jsonString
        }
        switch words.first {
        case "do":
          let acts = rest.split(separator: ";").map(String.init)
          return .calls(acts.map { .init("act", argument("what", $0)) })
        case "phone":
          let questions = rest.split(separator: ";").map(String.init)
          return .calls(questions.map { .init("phone", argument("question", $0)) })
        case "shout":
          // Questions that are longer than one piece, between others that are not.
          return .calls(
            (0..<16).map { index in
              let question = String(repeating: "x", count: index % 2 == 0 ? 300_000 : 10)
              return .init("phone", argument("question", question))
            }
          )
        case "pass": return .call("pass_baton", argument("to", "partner"))
        case "silence": return .silence
        case "recite": return .text(request.transcript.map(\.description).joined(separator: " | "))
        default: return .text(rest)
        }
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Do what you are told.")
          Act()
          PhoneAFriend("friend", name: "phone", description: "Asks a friend.")
          PassBaton(to: "partner", briefing: { "\($0) has it" })
        }
        .model(Self.model)
      }
    }

    \#(act)
    \#(ProgramScript.source)
    \#(ExcessScript.source)
    """#
  }

  /// A model that computes on the real one before it does what a script says.
  private static let thinking = #"""

    struct Thinking: LanguageModel {
      let script: ScriptedLanguageModel
      var capabilities: LanguageModelCapabilities { script.capabilities }
      var executorConfiguration: Executor.Configuration { script.executorConfiguration }

      struct Executor: LanguageModelExecutor {
        typealias Configuration = ScriptedLanguageModel.Executor.Configuration

        let executor: ScriptedLanguageModel.Executor

        init(configuration: Configuration) throws {
          executor = try ScriptedLanguageModel.Executor(configuration: configuration)
        }

        nonisolated(nonsending) func respond(
          to request: LanguageModelExecutorGenerationRequest,
          model: Thinking,
          streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {
          let thought = LanguageModelSession(model: SystemLanguageModel.default)
          let options = GenerationOptions(maximumResponseTokens: 3)
          _ = try await thought.respond(to: "Hello", options: options)
          try await executor.respond(to: request, model: model.script, streamingInto: channel)
        }
      }
    }
    """#

  /// A tool that does to its process what tools should not do.
  private static let act = #"""
    struct Act: Tool {
      let name = "act"
      let description = "Acts."

      @Generable
      struct Arguments {
        var what: String
      }

      func call(arguments: Arguments) async throws -> String {
        switch arguments.what {
        case "abort": abort()
        case "exit": exit(3)
        case "kill": signalSelf(SIGKILL)
        case "trap": fatalError("on purpose")
        case "stop": signalSelf(SIGSTOP)
        case "block": block()
        case "hoard": hoard()
        case "fill": fill()
        case "write": put(files: 8, of: 1 << 20)
        case "litter": put(files: 2000, of: 1)
        case "unlink": put(files: 8, of: 1 << 20, isRemoved: true)
        case "hide": hide()
        case "keep": put(files: 8, of: 1 << 20, in: "../../prefixes")
        case "note": put(files: 4, of: 1000)
        case "map": map()
        case "lend": lend()
        case "multiply": multiply()
        case "leak": return try leak(fails: false)
        case "leakAndFail": return try leak(fails: true)
        case "crowd": return crowd()
        case "mistake": makeMistake()
        case "leave": return "left behind \(leave())"
        case "part": return "\(part())"
        case "echo": return try echo()
        case "print": return printed()
        case "consult":
          let model = ScriptedLanguageModel(.text("yes"))
          return try await LanguageModelSession(model: model).respond(to: "May I?").content
        case "close": for fd in 0..<3 as Range<Int32> { close(fd) }
        case "throw": throw CocoaError(.fileNoSuchFile)
        default: break
        }
        return "\(getpid())"
      }

      /// Another thread may take the signal a little later; this one must not go on meanwhile.
      private func signalSelf(_ signal: Int32) {
        kill(getpid(), signal)
        block()
      }

      private func block() {
        while true { _ = Glibc.sleep(600) }
      }

      /// Asks for memory, and does nothing with it, until there is no more.
      private func hoard() {
        while true { _ = UnsafeMutableRawPointer.allocate(byteCount: 1 << 24, alignment: 16) }
      }

      /// Occupies memory until there is no more.
      private func fill() {
        while true {
          let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
          memory.initializeMemory(as: UInt8.self, repeating: 1, count: 1 << 20)
        }
      }

      /// Puts files into a folder; where that is too much, it goes no further.
      private func put(files: Int, of size: Int, isRemoved: Bool = false, in folder: String = ".") {
        for number in 0..<files {
          let file = open("\(folder)/\(number)", O_WRONLY | O_CREAT, 0o600)
          _ = write(file, [UInt8](repeating: 1, count: size), size)
          if isRemoved { unlink("\(folder)/\(number)") } else { close(file) }
        }
        if files > 4 { block() }
      }

      private func hide() {
        mkdir("hidden", 0o300)
        put(files: 8, of: 1 << 20, in: "hidden")
      }

      /// Writes behind the end of some memory, from two threads.
      private func makeMistake() {
        let address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8))
        let ends = DispatchSemaphore(value: 0)
        let here = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        for number in 0..<2 {
          // In libc, because the code of agents is compiled without a sanitizer.
          Thread.detachNewThread {
            here[number].signal()
            here[1 - number].wait()
            if let memory = UnsafeMutableRawPointer(bitPattern: address) { memset(memory, 1, 9) }
            ends.signal()
          }
        }
        for _ in 0..<2 { ends.wait() }
      }

      private func printed() -> String {
        print("a stray line")
        let garbage: [UInt8] = [0, 0, 0, 9, 1, 0xFF, 0x0A]
        _ = write(1, garbage, garbage.count)
        for _ in 0..<20_000 { print("a flood of useless lines") }
        return readLine() ?? "no input"
      }

      /// Starts a process in the group of this one, and does not wait for it.
      private func leave() -> Int32 {
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        posix_spawnp(&pid, "sleep", nil, nil, words, environ)
        return pid
      }
    }
    """#

  /// An agent that can be described but is never ready.
  private static let sleeper = #"""
    import AgentKit
    import Foundation

    struct Sleeper: Agent {
      let name = "sleeper"
      let description = "never wakes up"

      init() {
        guard CommandLine.arguments.contains("--run") else { return }
        print("asleep")
        while true { _ = Glibc.sleep(600) }
      }

      var body: some DynamicProfile {
        Profile { Instructions("Sleep.") }
      }
    }
    """#

  /// An agent with long instructions.
  private static let scholar = #"""
    import AgentKit

    struct Scholar: Agent {
      let name = "scholar"
      let description = "has read much"

      var body: some DynamicProfile {
        Profile { Instructions(String(repeating: "Fold the paper in half. ", count: 500)) }
      }
    }
    """#
}

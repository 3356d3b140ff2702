import AgentKit
import CSystemCalls
import Llama
import PlatformLibraries
import Wire

/// Answers questions about this build and about plugins, then exits.
enum InfoCommand {
  /// The most bytes that a file written here may have, including redirected output.
  private static let fileSize: UInt64 = 16 << 20
  /// The most seconds of a core that an agent's code may take here.
  private static let seconds: UInt64 = 300

  static func run(_ verb: String, _ arguments: [String]) -> Never {
    // The caller may be gone, and an agent's code may never return. The alarm comes later than any
    // caller waits before reporting a timeout.
    alarm(90)
    switch (verb, arguments.first) {
    case ("--fingerprint", nil):
      leave(saying: Plugin.fingerprint)
    case ("--describe", .some(let path)) where arguments.count <= 2:
      describe(path, mode(arguments.dropFirst()))
    case ("--facts", let model):
      let projector = arguments.dropFirst().first
      // With a projector, the whole model is loaded, and the caller waits accordingly.
      if projector != nil { alarm(330) }
      showFacts(model, projector: projector)
    case ("--prefixes", .some(let path)) where (2...3).contains(arguments.count):
      showPrefixes(of: path, on: arguments[1], mode(arguments.dropFirst(2)))
    case ("--tools", .some(let path)) where (3...4).contains(arguments.count):
      showTools(of: path, on: arguments[1], with: arguments[2], mode(arguments.dropFirst(3)))
    default:
      refuse()
    }
  }

  private static func refuse() -> Never {
    Log.write("unknown arguments; orchestrator itself starts workers")
    exit(64)
  }

  /// Returns how strictly an agent's code is confined, which the last argument may say.
  private static func mode(_ rest: ArraySlice<String>) -> Confinement.Mode {
    guard let word = rest.first else { return .default }
    guard let mode = Confinement.Mode(rawValue: word) else { refuse() }
    return mode
  }

  /// Prints an agent's description as JSON on the last line, because its own code may print before
  /// it.
  private static func describe(_ path: String, _ mode: Confinement.Mode) -> Never {
    finish {
      try confine(path, mode)
      return AgentDescription(try Plugin.load(path).init())
    }
  }

  /// Confines this process: an agent's code is confined here as in a worker.
  private static func confine(
    _ plugin: String,
    _ mode: Confinement.Mode,
    allowing permissions: [Permission] = []
  ) throws {
    let configuration = WorkerConfiguration(
      run: RunID("description"),
      plugin: plugin,
      model: nil,
      contextSize: nil,
      confinement: Confinement(mode: mode, permissions: permissions)
    )
    try Sandbox.enter(before: .agent, configuration)
    // This ends code that prints endlessly, long before the disk is full.
    _ = csystem_limit(csystem_limit_file, fileSize)
    // The code can stop the alarm, and its caller may be gone.
    _ = csystem_limit(csystem_limit_seconds, seconds)
  }

  /// Prints, in the same way, which llama.cpp this is and what it makes of a model, and tries a
  /// projector.
  private static func showFacts(_ path: String?, projector: String?) -> Never {
    finish {
      var facts = ["libllama": LlamaLibrary.description]
      guard let path else { return facts }
      let configuration = WorkerConfiguration(
        run: RunID("facts"),
        plugin: nil,
        model: path,
        contextSize: nil,
        confinement: Confinement()
      )
      try Sandbox.enter(before: .model, configuration, projector: projector)
      // A projector needs more of its model than the vocabulary.
      let model = try model(at: path, isVocabularyOnly: projector == nil)
      facts["model"] = model.facts.name ?? model.facts.description
      facts["tools"] = "\(try model.templates.toolSyntax().carriesTools)"
      if let projector { _ = try Projector(path: projector, model: model) }
      return facts
    }
  }

  private static func model(
    at path: String,
    isVocabularyOnly: Bool = true
  ) throws -> LlamaModel {
    var options = LlamaModel.Options()
    options.isVocabularyOnly = isVocabularyOnly
    options.usesExtraBuffers = false
    return try LlamaModel(path: path, options: options)
  }

  /// Prints, in the same way, the tokens that an agent's requests begin with: in a new session,
  /// after an exchange, and in another session.
  private static func showPrefixes(
    of path: String,
    on model: String,
    _ mode: Confinement.Mode
  ) -> Never {
    let exchange: [Transcript.Entry] = [
      .prompt(.init(segments: [.text(.init(content: "Hello"))])),
      .response(.init(segments: [.text(.init(content: "Hello!"))])),
      .prompt(.init(segments: [.text(.init(content: "Go on."))])),
    ]
    finish {
      try confine(path, mode, allowing: [.reading(model)])
      let type = try Plugin.load(path)
      let agent = type.init()
      let model = try self.model(at: model)
      return try [
        AgentDescription(agent), AgentDescription(agent, after: exchange),
        AgentDescription(type.init()),
      ].map { try model.prefix(of: $0) }
    }
  }

  /// Prints, in the same way, by how many tokens each tool of an agent makes its requests longer.
  /// - Parameter file: The tools of MCP servers, as JSON.
  private static func showTools(
    of path: String,
    on model: String,
    with file: String,
    _ mode: Confinement.Mode
  ) -> Never {
    finish {
      let data = try Data(contentsOf: URL(filePath: file))
      let offered = try JSONDecoder().decode([MCPToolDefinition].self, from: data)
      try confine(path, mode, allowing: [.reading(model)])
      let agent = AgentDescription(try Plugin.load(path).init()).offering(offered)
      let model = try self.model(at: model)
      let whole = try model.prefix(of: agent).count
      let tokens = try agent.tools.map { tool in
        var others = agent
        others.tools.removeAll { $0.name == tool.name }
        return (tool.name, whole - (try model.prefix(of: others).count))
      }
      return Dictionary(tokens, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Prints an answer as JSON, or writes what is wrong to the log.
  private static func finish(with answer: () throws -> some Encodable) -> Never {
    do {
      let answer = try answer()
      guard let json = try? JSONEncoder().encode(answer) else {
        Log.write("the answer cannot be written as JSON")
        exit(70)
      }
      leave(saying: "\n" + String(decoding: json, as: UTF8.self))
    } catch {
      Log.write((error as? Inability)?.problem ?? "\(error)")
      exit(65)
    }
  }

  /// Prints the answer, bypassing the buffer that an agent's code prints to, which may have lost
  /// data before without a notice.
  private static func leave(saying answer: String) -> Never {
    fflush(nil)
    guard writeAll(Array("\(answer)\n".utf8), to: STDOUT_FILENO) else {
      Log.write("the answer cannot be written: \(String(cString: strerror(errno)))")
      _exit(EX_IOERR)
    }
    // What an agent's code does at exit could print after the answer.
    _exit(0)
  }
}

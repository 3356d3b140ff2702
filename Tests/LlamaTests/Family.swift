import AgentKit
import Foundation
import Llama
import Testing

/// A chat template that ships with llama.cpp, and what llama-server made of it.
///
/// `Families/make` recorded the replies of llama-server.
struct Family: Sendable, CustomTestStringConvertible {
  /// What a model of the family writes and what llama-server reads from it.
  struct Writing: Sendable {
    let kind: String
    let text: String
    let message: GeneratedMessage
  }

  let name: String
  /// Hashes of the rendered conversations; those that the template cannot express are missing.
  let prompts: [String: String]
  let writings: [Writing]

  var testDescription: String { name }

  static let file = GeneratedContent.read(
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Families/families.json")
  )

  static let all: [Family] = file[field: "families"].properties.map { name, content in
    let prompts = content[field: "prompts"].properties.map { ($0, $1.words) }
    return Family(
      name: name,
      prompts: Dictionary(uniqueKeysWithValues: prompts),
      writings: content[field: "writings"].properties.map { Writing(kind: $0, $1) }
    )
  }

  /// The folder of the templates, where `deploy/libllama` or `deploy/peers` put them.
  static let folder: String? = {
    let environment = ProcessInfo.processInfo.environment
    let installed = (environment["PKG_CONFIG_PATH"] ?? "").split(separator: ":").map {
      URL(filePath: "\($0)/../../share/chat-templates").standardized.path
    }
    let home = environment["HOME"] ?? ""
    let cache =
      environment["ORCHESTRATOR_CACHE"]
      ?? "\(environment["XDG_CACHE_HOME"] ?? "\(home)/.cache")/orchestrator"
    let peers = (try? FileManager.default.contentsOfDirectory(atPath: "\(cache)/peers")) ?? []
    return (installed + peers.map { "\(cache)/peers/\($0)/models/templates" })
      .first(where: FileManager.default.fileExists)
  }()

  func template() throws -> String {
    try String(contentsOfFile: "\(Family.folder ?? "")/\(name).jinja", encoding: .utf8)
  }

  /// The shipped model with the chat template of this family.
  func generation() throws -> Generation {
    let model = try Fixture.model(chatTemplate: template())
    return Generation(context: try Fixture.context(model, size: 4096))
  }
}

extension Family.Writing {
  fileprivate init(kind: String, _ content: GeneratedContent) {
    var message = GeneratedMessage()
    message.content = content[field: "content"].words
    message.reasoning = content[field: "reasoning"].words
    message.calls = content[field: "calls"].list.map {
      GeneratedCall(id: "", name: $0.list[0].words, arguments: $0.list[1].words)
    }
    self.init(kind: kind, text: content[field: "text"].words, message: message)
  }
}

/// The conversations that llama-server was asked about, as transcripts.
enum FamilyCase: String, CaseIterable, Sendable {
  case plain, talk, tools, required, called, answered, thinking, thought

  /// Tools with string arguments, as the file defines them.
  static let definitions = Family.file[field: "tools"].list.compactMap { tool in
    let function = tool[field: "function"]
    let arguments = DynamicGenerationSchema(
      name: "Arguments",
      properties: function[field: "parameters"][field: "required"].list.map {
        .init(name: $0.words, schema: DynamicGenerationSchema(type: String.self))
      }
    )
    return (try? GenerationSchema(root: arguments, dependencies: [])).map { parameters in
      Transcript.ToolDefinition(
        name: function[field: "name"].words,
        description: function[field: "description"].words,
        parameters: parameters
      )
    }
  }

  var hasTools: Bool { ![.plain, .talk, .thinking].contains(self) }
  var callsAtOnce: Bool { [.called, .answered, .thought].contains(self) }
  var isThinking: Bool { self == .thinking || self == .thought }

  /// The messages that llama-server was given.
  var messages: GeneratedContent { Family.file[field: "cases"][field: rawValue][field: "messages"] }

  var request: GenerationRequest {
    GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: entries),
        enabledTools: hasTools ? Self.definitions : [],
        generationOptions: GenerationOptions(
          toolCallingMode: self == .required ? .required : nil
        ),
        contextOptions: ContextOptions(reasoningLevel: isThinking ? .deep : nil)
      )
    )
  }

  var entries: [Transcript.Entry] {
    switch self {
    case .plain, .tools, .required, .thinking: [Self.system, Self.ask]
    case .talk: [Self.ask, Self.answer, Self.thanks]
    case .called: [Self.system, Self.ask] + Self.round
    case .thought: [Self.system, Self.ask, Self.reasoning] + Self.round
    case .answered: [Self.system, Self.ask] + Self.round + [Self.answer, Self.thanks]
    }
  }

  private static let system = Transcript.Entry.instructions(
    .init(segments: segments("You are brief."), toolDefinitions: [])
  )
  private static let ask = Transcript.Entry.prompt(.init(segments: segments("How is it in Oslo?")))
  private static let thanks = Transcript.Entry.prompt(.init(segments: segments("Thanks")))
  private static let answer = Transcript.Entry.response(.init(segments: segments("Wet.")))
  private static let reasoning = Transcript.Entry.reasoning(
    .init(segments: segments("I should look."))
  )
  private static let round: [Transcript.Entry] = [
    .toolCalls(
      .init([
        .init(id: "x", toolName: "weather", arguments: .init(properties: ["city": "Oslo"])),
        .init(id: "y", toolName: "time", arguments: .init(properties: ["zone": "CET"])),
      ])
    ),
    .toolOutput(.init(id: "x", toolName: "weather", segments: segments("Rain."))),
    .toolOutput(.init(id: "y", toolName: "time", segments: segments("Noon."))),
  ]

  private static func segments(_ text: String) -> [Transcript.Segment] {
    [.text(.init(content: text))]
  }
}

extension GeneratedContent {
  fileprivate static func read(_ url: URL) -> GeneratedContent {
    guard let text = try? String(contentsOf: url, encoding: .utf8),
      let content = try? GeneratedContent(json: text)
    else { preconditionFailure("\(url.path) cannot be read") }
    return content
  }

  fileprivate subscript(field name: String) -> GeneratedContent {
    guard case .structure(let properties, _) = kind, let value = properties[name] else {
      return GeneratedContent(kind: .null)
    }
    return value
  }

  fileprivate var properties: [(String, GeneratedContent)] {
    guard case .structure(let properties, let keys) = kind else { return [] }
    return keys.compactMap { key in properties[key].map { (key, $0) } }
  }

  fileprivate var list: [GeneratedContent] {
    if case .array(let elements) = kind { elements } else { [] }
  }

  fileprivate var words: String {
    if case .string(let text) = kind { text } else { "" }
  }
}

extension String {
  /// The 64-bit FNV-1a hash that `Families/make` writes.
  var digest: String {
    let value = utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

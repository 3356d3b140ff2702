import Coordination
import Transcripts

/// The parameters of a request that both APIs have, and what becomes of the others.
struct RequestParameters: Sendable {
  var options = TurnOptions()
  var caps: GivenCaps?
  /// The functions of the client, for agents that take them.
  var clientTools: [ClientTool] = []
  /// The parameters that have no effect, by name.
  var ignored: [String] = []
  /// The parameters as they were sent, which a response repeats.
  var echoes: [String: GeneratedContent] = [:]

  private var generation: GenerationOptions {
    get { options.generation ?? GenerationOptions() }
    set { options.generation = newValue }
  }

  mutating func disallowTools() { generation.toolCallingMode = .disallowed }

  /// Reads what both APIs call the same.
  mutating func readSampling(_ body: RequestField) throws(OpenAIError) {
    if let field = body["temperature"] {
      generation.temperature = try field.number(in: 0...2)
    }
    if let field = body["top_p"] {
      let threshold = try field.number(in: 0...1)
      guard threshold > 0 else { throw field.wrong("more than 0") }
      generation.samplingMode = .random(probabilityThreshold: threshold)
    }
    if let field = body["seed"] {
      // Any 64 bits are a seed, with or without a sign.
      guard let seed = (try? Int(field.content)).map({ UInt64(bitPattern: Int64($0)) }) else {
        throw field.wrong("a whole number")
      }
      options.seed = seed
    }
    for name in ["temperature", "top_p"] { echoes[name] = body[name]?.content }
    // Zero is no penalty.
    for name in ["frequency_penalty", "presence_penalty"] {
      if let field = body[name], try field.number(in: -2...2) != 0 { ignored.append(name) }
    }
  }

  /// Reads the most tokens that the turn may generate.
  mutating func readTokens(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    try setCap(\.tokens, field)
  }

  mutating func readCalls(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    try setCap(\.calls, field)
  }

  private mutating func setCap(
    _ cap: WritableKeyPath<GivenCaps, Int?>,
    _ field: RequestField
  ) throws(OpenAIError) {
    var given: GivenCaps
    do {
      // The empty text sets none.
      given = try caps ?? GivenCaps("")
    } catch {
      throw OpenAIError(error)
    }
    given[keyPath: cap] = try field.integer(in: 1...Caps.maximum)
    caps = given
  }

  mutating func readStop(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    var stop: [String] = []
    for element in field.elements ?? [field] { stop.append(try element.string()) }
    guard stop.count <= 4, stop.allSatisfy({ !$0.isEmpty }) else {
      throw field.wrong("up to four texts, none of them empty")
    }
    if !stop.isEmpty { options.stop = stop }
  }

  mutating func readEffort(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    switch try field.string() {
    case "none", "minimal": options.skipsReasoning = true
    case "low": options.reasoningLevel = .light
    case "medium": options.reasoningLevel = .moderate
    case "high", "xhigh", "max": options.reasoningLevel = .deep
    default: throw field.wrong("none, minimal, low, medium, high, xhigh or max")
    }
  }

  /// Reads the form of the answer.
  /// - Parameter schema: Finds the name and the schema beside the type.
  mutating func readFormat(
    _ field: RequestField?,
    schema: (RequestField) throws(OpenAIError) -> RequestField
  ) throws(OpenAIError) {
    guard let field else { return }
    let type = try field.required("type")
    switch try type.string() {
    case "text": break
    case "json_object":
      options.schema = try Self.schema(.init(properties: [:]), named: "object", at: field)
    case "json_schema":
      let named = try schema(field)
      let name = try named.required("name").string()
      let document = try named.required("schema")
      options.schema = try Self.schema(document.content, named: name, at: document)
    default: throw type.wrong("text, json_object or json_schema")
    }
  }

  /// Returns a schema that a grammar can enforce; what it cannot hold is refused by name.
  private static func schema(
    _ document: GeneratedContent,
    named name: String,
    at field: RequestField
  ) throws(OpenAIError) -> GenerationSchema {
    let conversion = JSONSchema(document).conversion(named: name)
    if let omitted = conversion.omissions.first {
      throw .unsupported(
        field.path,
        "The schema cannot be enforced: '\(omitted.keyword)' at \(omitted.place) is not"
          + " supported. Leave it out, or check the answer for it."
      )
    }
    if let flaw = conversion.schema.flaw {
      throw .invalid(field.path, "The schema cannot be used: \(flaw)")
    }
    return conversion.schema
  }

  /// Reads the functions of the client; tools that are no functions have no effect.
  /// - Parameter function: Finds the function in a tool.
  mutating func readTools(
    _ field: RequestField?,
    function: (RequestField) throws(OpenAIError) -> RequestField
  ) throws(OpenAIError) {
    for tool in try field?.list() ?? [] {
      guard try tool.object()["type"]?.text == "function" else {
        ignore("tools")
        continue
      }
      let function = try function(tool)
      let empty = GeneratedContent(properties: [
        "type": "object", "properties": GeneratedContent(properties: [:]),
      ])
      clientTools.append(
        ClientTool(
          name: try function.required("name").string(),
          description: try function["description"]?.string() ?? "",
          parameters: JSONSchema(function["parameters"]?.content ?? empty)
        )
      )
    }
  }

  /// Offers the client's functions to the agent, if it takes any.
  mutating func offerTools(to agent: Bool) {
    guard !clientTools.isEmpty else { return }
    if agent {
      options.clientTools = clientTools
    } else {
      clientTools = []
      ignore("tools")
    }
  }

  private mutating func ignore(_ name: String) {
    if !ignored.contains(name) { ignored = (ignored + [name]).sorted() }
  }

  /// Refuses what would change the meaning of the answer, and cannot be done.
  static func refuse(_ body: RequestField, _ names: [String]) throws(OpenAIError) {
    for name in names {
      guard let field = body[name], !field.isWithoutEffect else { continue }
      throw .unsupported(name, "'\(name)' is not supported.")
    }
  }

  /// Lists the parameters that are neither read nor without an effect here.
  mutating func listIgnored(_ body: RequestField, read: Set<String>) {
    for name in body.names where !read.contains(name) && !ignored.contains(name) {
      guard let field = body[name], !field.isWithoutEffect else { continue }
      ignored.append(name)
    }
    // The header is a line of names; what is no name is not repeated.
    ignored = ignored.filter { $0.utf8.count <= 64 && $0.utf8.allSatisfy(\.isNameCharacter) }
      .sorted()
  }

  /// Names that are accepted, because nothing that they ask for is missing from the answer.
  static let accepted: Set<String> = [
    "metadata", "store", "service_tier", "verbosity", "prompt_cache_key", "prompt_cache_retention",
    "prompt_cache_options", "stream_options", "user", "safety_identifier", "truncation",
  ]
}

extension RequestField {
  /// Whether the value is the one that clients send for what they do not ask for.
  fileprivate var isWithoutEffect: Bool {
    switch content.kind {
    case .null, .bool(false): true
    case .array(let elements): elements.isEmpty
    case .structure(let properties, _): properties.isEmpty
    case .bool, .number, .string: false
    }
  }
}

package import Transcripts

/// What a server answers to a request.
package enum ServerReply: Sendable, Equatable {
  case tools([OfferedTool])
  case prompts([OfferedPrompt])
  /// The text that a prompt puts into a conversation, in the person's name.
  case prompt(description: String, text: String)
  case resources([OfferedResource], nextCursor: String?)
  case resourceTemplates([OfferedResource])
  /// The text of a resource.
  case resource(uri: String, mediaType: String, text: String)
  case toolResult(ToolResult)
  /// The call goes on when it is repeated with what a person entered, and with the state.
  ///
  /// Only for clients without a handshake; others are sent a request.
  case inputRequired([(key: String, form: Elicitation)], state: String)
  /// The server tells no more of what changes.
  case listened

  package static func == (left: Self, right: Self) -> Bool {
    left.content(for: .latest) == right.content(for: .latest)
  }
}

package struct ToolResult: Sendable, Equatable {
  package var texts: [String]
  package var structured: GeneratedContent?
  /// Whether the tool failed; the texts then tell the model why.
  package var isError: Bool

  package init(texts: [String], structured: GeneratedContent? = nil, isError: Bool) {
    self.texts = texts
    self.structured = structured
    self.isError = isError
  }
}

extension ServerReply {
  /// How long a client may use a list of tools or prompts again, in milliseconds.
  private static let listLifetime = 10_000

  /// The result as a version of the protocol writes it.
  package func content(for version: ProtocolVersion) -> GeneratedContent {
    let result = members(for: version)
    guard !version.hasHandshake else { return result }
    var added = [("resultType", resultType.json)]
    if let lifetime {
      // What is listed may differ from person to person.
      added += [("ttlMs", lifetime.json), ("cacheScope", "private".json)]
    }
    return result.adding(added)
  }

  private var resultType: String {
    if case .inputRequired = self { "input_required" } else { "complete" }
  }

  /// `nil` for results that no client may use again.
  private var lifetime: Int? {
    switch self {
    case .tools, .prompts, .resourceTemplates: Self.listLifetime
    case .resources, .resource: 0
    case .prompt, .toolResult, .inputRequired, .listened: nil
    }
  }

  private func members(for version: ProtocolVersion) -> GeneratedContent {
    switch self {
    case .tools(let tools):
      .members([("tools", .list(tools.map { $0.content(for: version) }))])
    case .prompts(let prompts):
      .members([("prompts", .list(prompts.map { $0.content(for: version) }))])
    case .prompt(let description, let text):
      .members([
        ("description", description.json),
        (
          "messages",
          .list([.members([("role", "user".json), ("content", Self.block(text))])])
        ),
      ])
    case .resources(let resources, let next):
      .members([
        ("resources", .list(resources.map { $0.content(for: version) })),
        ("nextCursor", next?.json),
      ])
    case .resourceTemplates(let templates):
      .members([("resourceTemplates", .list(templates.map(\.templateContent)))])
    case .resource(let uri, let mediaType, let text):
      .members([
        (
          "contents",
          .list([
            .members([("uri", uri.json), ("mimeType", mediaType.json), ("text", text.json)])
          ])
        )
      ])
    case .toolResult(let result):
      .members([
        ("content", .list(result.texts.map(Self.block))),
        ("structuredContent", version >= .june2025 ? result.structured : nil),
        ("isError", result.isError.json),
      ])
    case .inputRequired(let inputs, let state):
      .members([
        (
          "inputRequests",
          .object(
            inputs.map {
              (
                $0.key,
                .members([
                  ("method", Elicitation.method.json), ("params", $0.form.parameters),
                ])
              )
            }
          )
        ),
        ("requestState", state.json),
      ])
    case .listened: .object([])
    }
  }

  private static func block(_ text: String) -> GeneratedContent {
    .members([("type", "text".json), ("text", text.json)])
  }
}

import AgentKit

/// An error reported by a server, which may be an object or text.
struct ServerProblem {
  private(set) var message: String
  private(set) var type: String?
  private(set) var param: String?
  private(set) var code: String?
  /// The figures of a context overflow, as llama-server reports them.
  private(set) var promptTokens: Int?
  private(set) var contextSize: Int?

  init(_ content: GeneratedContent) {
    if let fields = SentFields(content) {
      self.init(fields)
    } else {
      self.init(message: SplitPair.joined(content.text ?? content.jsonString))
    }
  }

  /// Reads an error that is not wrapped in an error field; `nil` when it gives no reason.
  init?(bare fields: SentFields) {
    guard fields["message"]?.text != nil else { return nil }
    self.init(fields)
  }

  private init(_ fields: SentFields) {
    func text(_ name: String) -> String? { fields.text(name).map(SplitPair.joined) }
    message = text("message") ?? "no reason given"
    type = text("type")
    param = text("param")
    // Some servers send a number, others a name.
    code = text("code") ?? fields.whole("code").map { "\($0)" }
    promptTokens = fields.whole("n_prompt_tokens")
    contextSize = fields.whole("n_ctx")
  }

  private init(message: String) {
    self.message = message
  }

  /// Returns the error in a response's body, if there is one.
  static func found(in body: [UInt8]) -> ServerProblem? {
    let text = SplitPair.marked(String(decoding: body, as: UTF8.self))
    guard let content = try? GeneratedContent(json: text), content.isComplete else { return nil }
    return found(in: content)
  }

  private static func found(in content: GeneratedContent) -> ServerProblem? {
    // Google's server sends a list of one error.
    if case .array(let list) = content.kind { return list.first.flatMap(found) }
    guard let fields = SentFields(content) else { return nil }
    return fields["error"].map(ServerProblem.init) ?? ServerProblem(bare: fields)
      ?? words(in: fields).map(ServerProblem.init(message:))
  }

  private static func words(in fields: SentFields) -> String? {
    // The format of FastAPI's servers.
    if let text = fields["detail"]?.text { return SplitPair.joined(text) }
    // They and Mistral's list the fields that they reject.
    return (fields["detail"] ?? fields["message"]).map { SplitPair.joined($0.jsonString) }
  }
}

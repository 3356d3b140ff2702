import Coordination
import Transcripts

/// What a client asks of a model, in the form that both APIs share.
struct ModelRequest: Sendable {
  /// How a request names the session that it belongs to.
  enum SessionKey: Equatable, Sendable {
    case none
    /// A session by its name; the messages are all that the client has of it.
    case named(String)
    /// A session by the name that a chat has for a client that sends all messages of it each time.
    case chat(String)
    /// A session by its name; the messages are new.
    case appending(String)
    /// What follows the response of a turn; the messages are new.
    case following(turn: Int64)
  }

  var model: ModelName
  /// The messages, oldest first, without those of the system.
  var messages: [ClientMessage] = []
  /// What the client says to the model besides, in the order of the messages.
  var instructions: [String] = []
  var key = SessionKey.none
  /// Whether the session is kept.
  var isStored = true
  var isStreaming = false
  /// Whether the last part of a stream has the usage.
  var includesUsage = false
  /// Whether the answer is fetched later.
  var isInBackground = false
  var parameters = RequestParameters()
  /// What the client wants to find again in a response.
  var metadata = GeneratedContent(properties: [:])

  init(_ model: ModelName) { self.model = model }

  /// The messages before those that are to be answered.
  var history: ArraySlice<ClientMessage> { messages[..<asked] }
  /// The message that is to be answered, or the outputs of the client's functions.
  var question: ArraySlice<ClientMessage> { messages[asked...] }

  private var asked: Int {
    if messages.last?.role == .tool {
      return messages.lastIndex { $0.role != .tool }.map { $0 + 1 } ?? 0
    }
    switch key {
    case .none, .named, .chat:
      // What was not answered, because the client stopped it, is part of the question.
      return messages.lastIndex { $0.role != .user && !$0.isEmpty }.map { $0 + 1 } ?? 0
    case .appending, .following: return 0
    }
  }

  /// Checks that there is something to answer.
  func validate(param: String) throws(OpenAIError) {
    guard let last = messages.last else {
      throw .invalid(param, "'\(param)' has no message that could be answered.")
    }
    try validateOutputs(param)
    guard last.role != .assistant else {
      throw .unsupported(
        param,
        "The last message must be of the user or of a tool: a message that the assistant has begun"
          + " cannot be continued."
      )
    }
    if last.role == .user, last.images.isEmpty, last.text.allSatisfy(\.isWhitespace) {
      throw .invalid(param, "The last message is empty.")
    }
  }

  /// Checks that new messages are either outputs or something said.
  private func validateOutputs(_ param: String) throws(OpenAIError) {
    switch key {
    case .appending, .following: break
    case .named, .chat, .none: return
    }
    let roles = Set(messages.map(\.role))
    guard !roles.isSuperset(of: [.tool, .user]) else {
      throw OpenAIError(
        400,
        "mixed_outputs",
        "Send outputs alone. A message of the user can follow when they are answered.",
        param: param
      )
    }
  }

  /// Whether the request looks like one by which a chat application asks for a title, for tags or for
  /// suggestions, in the name of the chat but outside of it.
  var isHousekeeping: Bool {
    !isStreaming && question.last?.text.hasPrefix("### Task:") == true
  }

  var options: TurnOptions {
    var parameters = parameters
    if model.isPlain || isHousekeeping { parameters.disallowTools() }
    var options = parameters.options
    let texts = instructions.filter { !$0.allSatisfy(\.isWhitespace) }
    if !texts.isEmpty { options.instructions = texts.joined(separator: "\n\n") }
    return options
  }
}

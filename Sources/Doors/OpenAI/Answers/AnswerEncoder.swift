import Transcripts

/// JSON whose objects keep the order of their keys.
typealias JSON = GeneratedContent

extension JSON {
  static var null: JSON { JSON(kind: .null) }

  init(_ fields: [(String, any ConvertibleToGeneratedContent)]) {
    self.init(properties: fields, uniquingKeysWith: { _, last in last })
  }
}

/// An answer in the form of an API, in pieces and as a whole.
protocol AnswerEncoder: Sendable {
  /// Adds a part of the answer.
  /// - Returns: What a stream of the answer has of it.
  mutating func encode(_ part: AnswerPart) -> [ServerSentEvent]
  /// All that was said, as the client will send it with its next message.
  var content: String { get }
  /// How the answer ended; `nil` until it has.
  var end: AnswerEnd? { get }
  var whole: JSON { get throws(OpenAIError) }
}

struct ServerSentEvent: Equatable, Sendable {
  /// The name of the event; chat completions have none.
  var name: String?
  var data: String

  init(_ data: JSON, name: String? = nil) {
    self.data = data.jsonString
    self.name = name
  }

  private init(text: String) { data = text }

  /// Ends a stream of a chat completion.
  static let done = ServerSentEvent(text: "[DONE]")

  static func error(_ error: OpenAIError) -> ServerSentEvent {
    ServerSentEvent(JSON(properties: ["error": error.content]))
  }

  /// The event as it is sent; JSON has no line breaks.
  var text: String { (name.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n" }

  /// A line that says nothing, which keeps clients and proxies from giving up.
  static let comment = ": waiting\n\n"
}

extension OpenAIError {
  static var cancelled: OpenAIError {
    var error = OpenAIError(500, "cancelled", "The turn was cancelled.")
    error.runsTwice = true
    return error
  }
}

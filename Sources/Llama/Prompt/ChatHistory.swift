import AgentKit

/// The messages of a chat: as values, and as the JSON that llama.cpp reads.
package struct ChatHistory: Sendable {
  /// A JSON array of messages, as in OpenAI's chat completions.
  package let json: String
  /// The same messages; `nil` where the text is no such array, which llama.cpp then reports.
  let messages: [ChatMessage]?

  package init(json: String) {
    self.json = json
    messages = (try? GeneratedContent(json: json)).flatMap(\.elements).flatMap(Self.read)
  }

  /// - Parameters:
  ///   - messages: Messages as JSON, in order.
  ///   - texts: The same messages, written.
  init(_ messages: [GeneratedContent], texts: [String]) {
    json = Self.array(texts)
    self.messages = Self.read(messages)
  }

  init(_ messages: [ChatMessage]) {
    json = Self.array(messages.map(\.json.jsonString))
    self.messages = messages
  }

  private static func array(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }

  private static func read(_ json: [GeneratedContent]) -> [ChatMessage]? {
    let messages = json.compactMap(ChatMessage.init)
    return messages.count == json.count ? messages : nil
  }
}

import AgentKit
import CLlama

/// What a model has written, parsed.
package struct GeneratedMessage: Sendable, Equatable {
  package var content = ""
  package var reasoning = ""
  package var calls: [GeneratedCall] = []

  package init() {}
}

/// A tool call that a model has written.
package struct GeneratedCall: Sendable, Equatable {
  /// Empty for the many templates whose calls have no identifier.
  package var id: String
  package var name: String
  /// JSON as the model wrote it.
  package var arguments: String

  package init(id: String, name: String, arguments: String) {
    self.id = id
    self.name = name
    self.arguments = arguments
  }

  /// Whether the arguments are a complete JSON value, as those of a truncated call are not.
  package var isComplete: Bool { (try? GeneratedContent(json: arguments))?.isComplete ?? false }
}

extension [GeneratedCall] {
  /// Removes the calls that an earlier one is the same as.
  mutating func removeRepeated() {
    var kept: [GeneratedCall] = []
    for call in self
    where !kept.contains(where: { $0.name == call.name && $0.arguments == call.arguments }) {
      kept.append(call)
    }
    self = kept
  }
}

extension ChatRendering {
  /// Parses what the model wrote in answer to this rendering.
  ///
  /// - Throws: ``LlamaError/unparseableOutput(text:reason:)``, which for partial text only means
  ///   that it cannot be parsed yet.
  package func parse(
    _ text: some Collection<UInt8>,
    isPartial: Bool
  ) throws(LlamaError) -> GeneratedMessage {
    let bytes = text.map { CChar(bitPattern: $0) }
    let message = try calling({ reason in
      .unparseableOutput(text: String(decoding: text, as: UTF8.self), reason: reason)
    }) { error in
      cllama_message_parse(pointer, bytes, bytes.count, isPartial, error)
    }
    defer { cllama_message_free(message) }
    return GeneratedMessage(message)
  }
}

extension GeneratedMessage {
  fileprivate init(_ pointer: OpaquePointer) {
    content = String(cString: cllama_message_content(pointer))
    reasoning = String(cString: cllama_message_reasoning(pointer))
    calls = (0..<cllama_message_call_count(pointer)).map { index in
      GeneratedCall(
        id: String(cString: cllama_message_call_id(pointer, index)),
        name: String(cString: cllama_message_call_name(pointer, index)),
        arguments: String(cString: cllama_message_call_arguments(pointer, index))
      )
    }
  }
}

import Coordination
import Foundation
import Transcripts

/// A message of a conversation that a client keeps, in the form that both APIs share.
struct ClientMessage: Equatable, Sendable {
  enum Role: String, Sendable {
    case user, assistant, tool
  }

  struct Call: Equatable, Sendable {
    var id: String
    var name: String
    /// JSON, as the client sent it.
    var arguments: String
  }

  var role: Role
  var text: String
  var images: [PromptImage] = []
  /// The calls of the client's functions, in a message of the assistant.
  var calls: [Call] = []
  /// The call that a message of a tool answers.
  var callID: String?
}

extension ClientMessage {
  /// The text, unless it is empty, and the images.
  fileprivate var segments: [Transcript.Segment] {
    let texts = text.isEmpty ? [] : [Transcript.Segment.text(text)]
    return texts + images.map { Transcript.Segment.attachment($0.attachment) }
  }

  /// Whether the assistant has said nothing, as where its answer was stopped at once.
  var isEmpty: Bool { role == .assistant && calls.isEmpty && text.allSatisfy(\.isWhitespace) }
}

extension [ClientMessage] {
  /// The messages with those of one role that follow one another as one.
  ///
  /// Chat completions have words beside calls and the answer in one message, responses in several;
  /// messages of the user that were not answered are one prompt.
  var merged: [ClientMessage] {
    reduce(into: []) { messages, message in
      guard !message.isEmpty else { return }
      guard message.role != .tool, let last = messages.indices.last,
        messages[last].role == message.role, messages[last].calls.isEmpty
      else { return messages.append(message) }
      // In place: there may be as many messages as the request has room for.
      let isBeside = !messages[last].text.isEmpty && !message.text.isEmpty
      messages[last].text += (isBeside ? Self.separator : "") + message.text
      messages[last].images += message.images
      messages[last].calls = message.calls
    }
  }

  /// What separates the texts of one message.
  static let separator = "\n\n"

  /// The entries of a session that begins with the messages.
  ///
  /// Calls without an output, and outputs without a call, are left out: nothing is to run for them.
  var entries: [Transcript.Entry] {
    var outputs: [String: ClientMessage] = [:]
    for message in self where message.role == .tool { outputs[message.callID ?? ""] = message }
    return merged.flatMap { message -> [Transcript.Entry] in
      switch message.role {
      case .user: return [.prompt(.init(segments: message.segments))]
      case .assistant:
        let calls = message.calls.filter { outputs[$0.id] != nil }
        let words: [Transcript.Entry] =
          message.text.isEmpty ? [] : [.response(.init(segments: [.text(message.text)]))]
        guard !calls.isEmpty else { return words }
        let answered = calls.map { call in
          Transcript.ToolCall(id: call.id, toolName: call.name, arguments: call.content)
        }
        return words + [.toolCalls(.init(answered))]
          + calls.map { call in
            .toolOutput(
              .init(
                id: call.id,
                toolName: call.name,
                segments: outputs[call.id]?.segments ?? []
              )
            )
          }
      case .tool: return []
      }
    }
  }
}

extension Transcript.Segment {
  fileprivate static func text(_ text: String) -> Self { .text(.init(content: text)) }
}

extension ClientMessage.Call {
  /// The arguments; what a client's model wrote need not be JSON.
  fileprivate var content: GeneratedContent {
    (try? GeneratedContent(json: arguments)) ?? GeneratedContent(arguments)
  }
}

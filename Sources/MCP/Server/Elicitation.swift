package import Transcripts

/// A form that a client shows to a person.
package struct Elicitation: Sendable, Equatable {
  package var message: String
  /// A flat schema, by the name of its field, in order.
  package var fields: [(name: String, schema: GeneratedContent)]
  package var required: [String]

  package init(
    message: String,
    fields: [(name: String, schema: GeneratedContent)],
    required: [String]
  ) {
    self.message = message
    self.fields = fields
    self.required = required
  }

  /// The method with which a client is asked.
  package static let method = "elicitation/create"

  package static func == (left: Self, right: Self) -> Bool { left.parameters == right.parameters }

  var parameters: GeneratedContent {
    .members([
      ("mode", "form".json),
      ("message", message.json),
      (
        "requestedSchema",
        .members([
          ("type", "object".json),
          ("properties", .object(fields.map { ($0.name, $0.schema) })),
          ("required", .list(required.map(\.json))),
        ])
      ),
    ])
  }
}

/// What a person did with a form.
package enum ElicitationAnswer: Sendable, Equatable {
  /// The form was sent, with the values of its fields.
  case accepted(GeneratedContent)
  /// The person refused.
  case declined
  /// The person did not decide, or what the client sent is no answer.
  case cancelled

  /// Reads what a client sent; everything but an acceptance or a refusal decides nothing.
  package init(_ content: GeneratedContent) {
    switch content["action"]?.text {
    case "accept": self = .accepted(content["content"] ?? .object([]))
    case "decline": self = .declined
    default: self = .cancelled
    }
  }

  /// The answer as a server reads it.
  var content: GeneratedContent {
    switch self {
    case .accepted(let content): .object([("action", .text("accept")), ("content", content)])
    case .declined: .object([("action", .text("decline"))])
    case .cancelled: .object([("action", .text("cancel"))])
    }
  }
}

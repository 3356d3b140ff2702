import Transcripts

struct ResponseItem: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case message(Message)
    case reasoning(String)
    case call(Call)
    /// A call that the client is to carry out.
    case function(ClientMessage.Call)
  }

  struct Message: Sendable, Equatable {
    var text = ""
    var isRefusal = false
    /// Whether the text is the answer rather than words beside calls; `nil` while it is not known.
    var isAnswer: Bool?
  }

  /// A call that was carried out here, by the server that a client knows only by its label.
  struct Call: Sendable, Equatable {
    var id: String
    var tool: String
    var arguments: String
    var output: String?
    var error: String?
  }

  enum Status: String, Sendable {
    case inProgress = "in_progress"
    case completed, incomplete, failed
  }

  static let serverLabel = "orchestrator"

  var id: String
  var kind: Kind
  var status = Status.inProgress

  var isOpen: Bool { status == .inProgress }

  /// The text so far of a message or of reasoning.
  var text: String {
    get {
      switch kind {
      case .message(let message): message.text
      case .reasoning(let text): text
      case .call, .function: ""
      }
    }
    set {
      switch kind {
      case .message(var message):
        message.text = newValue
        kind = .message(message)
      case .reasoning: kind = .reasoning(newValue)
      case .call, .function: break
      }
    }
  }

  /// The item as it is when it is added: nothing in it has been sent yet.
  var asAdded: JSON {
    var empty = self
    empty.status = .inProgress
    switch kind {
    case .message, .reasoning: empty.text = ""
    case .call(var call):
      // Clients read the arguments from the events that follow, and fail if they are there before.
      (call.arguments, call.output, call.error) = ("", nil, nil)
      empty.kind = .call(call)
    case .function(var call):
      call.arguments = ""
      empty.kind = .function(call)
    }
    return empty.json
  }

  var json: JSON {
    switch kind {
    case .message(let message):
      return JSON([
        ("id", id), ("type", "message"), ("status", status.rawValue), ("role", "assistant"),
        ("content", JSON(kind: .array(message.text.isEmpty ? [] : [part]))),
        ("phase", message.isAnswer.map { $0 ? "final_answer" : "commentary" }.content),
      ])
    case .reasoning(let text):
      return JSON([
        ("id", id), ("type", "reasoning"), ("status", status.rawValue),
        ("summary", JSON(kind: .array(text.isEmpty ? [] : [part]))),
      ])
    case .call(let call):
      return JSON([
        ("id", id), ("type", "mcp_call"), ("status", status.rawValue),
        ("server_label", Self.serverLabel), ("name", call.tool), ("arguments", call.arguments),
        ("output", call.output.content), ("error", call.error.content),
        ("approval_request_id", JSON.null),
      ])
    case .function(let call):
      return JSON([
        ("id", id), ("type", "function_call"), ("status", status.rawValue), ("call_id", call.id),
        ("name", call.name), ("arguments", call.arguments),
      ])
    }
  }

  /// The one part of the content of a message, or of the summary of reasoning.
  var part: JSON {
    switch kind {
    case .message(let message) where message.isRefusal:
      JSON(properties: ["type": "refusal", "refusal": message.text])
    case .message(let message):
      JSON(properties: [
        "type": "output_text", "text": message.text, "annotations": JSON(kind: .array([])),
        "logprobs": JSON(kind: .array([])),
      ])
    case .reasoning(let text): JSON(properties: ["type": "summary_text", "text": text])
    case .call, .function: .null
    }
  }

  /// The part before there is text in it.
  var emptyPart: JSON {
    var empty = self
    empty.text = ""
    return empty.part
  }
}

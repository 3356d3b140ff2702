import Foundation
import Journal
import Transcripts

/// A turn that has no end yet, as its facts have made it so far.
struct OpenTurn: Sendable {
  let place: Place
  let start: Date
  /// The caps, as JSON.
  let caps: String
  /// What the sender of the prompt asks of every request.
  let requested: [Attribute]
  /// The agent that began it; `nil` until one has done something.
  var beginner: String?
  /// The agent that has the baton, since when.
  var stretch: Stretch?
  /// The agent to which the baton was passed and which has done nothing yet.
  var receiver: (agent: String, link: SpanID?)?
  /// When the stretch before ended.
  var lastEnd: Date?
  /// What the models were told and said in the turn.
  var messages: MessageLog
  var events: [Span.Event] = []

  /// Where the turn belongs.
  struct Place: Sendable {
    let id: Int64
    let conversation: Int64
    let trace: TraceID
    let flags: UInt8
    /// The span below which the turn hangs: the call that phoned a friend, or another program's.
    let parent: SpanID?
    let session: String
    let isFriend: Bool
  }

  var id: Int64 { place.id }
  var trace: TraceID { place.trace }
  var parent: SpanID? { place.parent }
  var isFriend: Bool { place.isFriend }
  /// The span of the whole turn; a friend's turn is its agent's.
  var root: SpanID { SpanIdentity.span("turn", in: trace, id) }
}

extension OpenTurn {
  /// Makes a span of the turn, which ends no earlier than it starts.
  func span(
    _ id: SpanID,
    below parent: SpanID?,
    _ name: String,
    from start: Date,
    to end: Date
  ) -> Span {
    var span = Span(
      trace: trace,
      id: id,
      parent: parent,
      name: name.bounded(toBytes: 256),
      start: start,
      end: max(start, end),
      flags: place.flags
    )
    span.attributes.set("gen_ai.conversation.id", place.session)
    return span
  }

  /// Changes the open call with an identity; a model may give it to several, of which this is the
  /// first.
  mutating func withCall(_ id: String, _ change: (inout OpenCall) -> Void) {
    guard var current = stretch,
      let index = current.calls.firstIndex(where: { $0.callID == id })
    else { return }
    change(&current.calls[index])
    stretch = current
  }
}

/// The time during which one agent had the baton of a turn, or answered as a friend.
struct Stretch: Sendable {
  let id: SpanID
  let parent: SpanID?
  let agent: String
  let start: Date
  let link: SpanID?
  /// The worker that last did something.
  var run: String?
  /// Why the last worker was lost; `nil` once another has taken its place.
  var loss: (pid: Int32?, cause: String)?
  /// When the agent last did something.
  var last: Date
  var calls: [OpenCall] = []
  var events: [Span.Event] = []
  /// Whether its context was made to fit.
  var isCompacted = false
}

/// A call that has no output yet.
struct OpenCall: Sendable {
  let id: SpanID
  let callID: String
  let tool: String
  let start: Date
  /// The arguments as JSON; `nil` if they are not wanted.
  let arguments: String?
  /// The agents that the call phoned, and the one to which it passed the baton.
  var friends: [String] = []
  var receiver: String?
  /// The MCP server that performed it.
  var server: ServerCall?
  /// When it returned, if earlier calls still ran then.
  var returned: Date?
  /// The open questions to a person, by their places in the log.
  var questions: [Int64: Date] = [:]
  var events: [Span.Event] = []
}

/// What is known of a worker.
struct KnownRun: Sendable {
  let pid: Int32
  let role: RunRecord.Role
  let model: String?
  let host: String?

  /// What runs models in our own processes.
  static let local = "llama.cpp"

  /// The maker of what runs the model, as the conventions name it.
  static func provider(of model: String?) -> String {
    // A local model is named after its file.
    guard let model, !model.hasSuffix(".gguf") else { return local }
    return "openai"
  }
}

import Foundation
package import Journal
import Transcripts

/// Makes spans of facts, in the order in which the log has them.
///
/// A span comes out with the fact that ends it; a turn's own comes last. The same facts make the
/// same spans, with the same identities. Only turns without an end take memory.
package struct SpanMaker: Sendable {
  let settings: SpanSettings
  var turns: [Int64: OpenTurn] = [:]
  var runs: [String: KnownRun] = [:]
  private var conversations: [Int64: Conversation] = [:]

  /// How many conversations are remembered; those that are forgotten are looked up again.
  private static let mostConversations = 4096

  /// A conversation, and for a friend's the call that it answers.
  private struct Conversation: Sendable {
    let session: String
    var holder = ""
    var call: (trace: TraceID, flags: UInt8, span: SpanID)?
  }

  package init(_ settings: SpanSettings = SpanSettings()) { self.settings = settings }

  // MARK: Conversations

  /// Whether spans of a turn in this conversation can be made.
  package func knows(conversation: Int64) -> Bool { conversations[conversation] != nil }

  /// Adds a conversation that began earlier.
  /// - Parameter session: The name of its session.
  package mutating func add(
    conversation: Int64,
    session: String,
    holder: String,
    parent: ConversationRecord.Parent?
  ) {
    forgetConversations()
    // A friend whose caller has ended is a trace of its own.
    guard let parent, let caller = turns[parent.turn] else {
      conversations[conversation] = Conversation(session: session)
      return
    }
    let call = caller.stretch?.calls.last { $0.callID == parent.callID }
    conversations[conversation] = Conversation(
      session: caller.place.session,
      holder: holder,
      call: (caller.trace, caller.place.flags, call?.id ?? caller.stretch?.id ?? caller.root)
    )
  }

  private mutating func forgetConversations() {
    guard conversations.count >= Self.mostConversations else { return }
    // A friend's ends with its one turn; a person's is looked up again.
    let open = Set(turns.values.map(\.place.conversation))
    conversations = conversations.filter { open.contains($0.key) }
  }

  // MARK: Facts

  /// Takes the next fact.
  /// - Returns: The spans that it ends, children before their parents.
  package mutating func apply(_ fact: Fact) -> [Span] {
    switch fact.event {
    case .began(let start):
      add(
        conversation: fact.conversation,
        session: start.name ?? "",
        holder: start.holder,
        parent: start.parent
      )
      return []
    case .launched(let start):
      guard let run = fact.run else { return [] }
      runs[run] = KnownRun(
        pid: start.pid,
        role: start.role,
        model: start.model,
        host: start.host
      )
      return []
    case .exited:
      if let run = fact.run { runs[run] = nil }
      return []
    case .prompted(let entry, let caps, let options, _):
      begin(fact, entry, caps: caps, options)
      return []
    default: break
    }
    guard let id = fact.turn, let turn = turns.removeValue(forKey: id) else { return [] }
    var step = TurnStep(turn, runs, settings)
    step.apply(fact)
    if case .ended = fact.event {
      if turn.isFriend { conversations[turn.place.conversation] = nil }
    } else {
      turns[id] = step.turn
    }
    return step.spans
  }

  private mutating func begin(
    _ fact: Fact,
    _ entry: RawEntry,
    caps: String,
    _ options: TurnOptions?
  ) {
    guard let id = fact.turn, let place = conversations[fact.conversation] else { return }
    let isFriend = place.call != nil
    let given = options?.traceparent.flatMap(TraceParent.init)
    let caller = place.call ?? given.map { ($0.trace, $0.flags, $0.parent) }
    let trace =
      caller?.trace ?? SpanIdentity.trace(session: place.session, turn: id, prompt: entry.id)
    var messages = MessageLog(settings)
    if case .prompt(let prompt) = entry.entry { messages.add(prompt: prompt) }
    let turn = OpenTurn(
      place: OpenTurn.Place(
        id: id,
        conversation: fact.conversation,
        trace: trace,
        flags: caller?.flags ?? 1,
        parent: caller?.span,
        session: place.session,
        isFriend: isFriend
      ),
      start: fact.at,
      caps: caps,
      requested: options?.attributes ?? [],
      messages: messages
    )
    var step = TurnStep(turn, runs, settings)
    if isFriend { step.open(place.holder, at: fact.at, number: fact.id) }
    turns[id] = step.turn
  }
}

extension TurnOptions {
  /// What is asked of every request, as the conventions name it.
  fileprivate var attributes: [Attribute] {
    var attributes: [Attribute] = []
    if let temperature = generation?.temperature {
      attributes.set("gen_ai.request.temperature", .double(temperature))
    }
    attributes.set("gen_ai.request.max_tokens", generation?.maximumResponseTokens)
    attributes.set("gen_ai.request.seed", seed.flatMap { Int(exactly: $0) })
    if let stop {
      let texts = stop.prefix(16).map { $0.bounded(toBytes: 64) }
      attributes.set("gen_ai.request.stop_sequences", .strings(texts))
    }
    return attributes
  }
}

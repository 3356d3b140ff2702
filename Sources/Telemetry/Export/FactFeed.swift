package import Foundation
package import Journal

/// Where facts are read from, in the order of the log.
package protocol FactSource: Sendable {
  /// Returns the facts after a place, at most as many as the limit.
  func facts(after place: Int64, limit: Int) async throws -> [Fact]
  /// Returns a conversation and the name of its session; `nil` if there is none.
  func origin(of conversation: Int64) async throws -> ConversationOrigin?
}

/// Where a conversation belongs.
package struct ConversationOrigin: Sendable {
  package var session: String
  package var record: ConversationRecord
}

/// The facts from a place of the log on, and the spans that they end.
package struct FactFeed: Sendable {
  private let source: any FactSource
  private var maker: SpanMaker
  /// The last fact that was read.
  private var place: Int64
  /// When the facts begin that are of interest; `nil` for all.
  ///
  /// A fork or an import appends copies of facts, which keep their times: what they tell of was
  /// reported when it happened, or happened elsewhere.
  private var start: Date?

  /// How many facts are read at once.
  static let pageSize = 256

  package init(_ source: any FactSource, _ settings: SpanSettings, after place: Int64 = 0) {
    self.source = source
    self.place = place
    maker = SpanMaker(settings)
  }

  /// Follows a journal from a place on.
  ///
  /// Turns that are open there are known from their beginnings.
  /// - Parameters:
  ///   - place: The place; `nil` for the end.
  ///   - start: When it was the end, so that copies of older facts are left out; `nil` for now at the
  ///     end, and for all facts after a place.
  package init(
    following reader: JournalReader,
    _ settings: SpanSettings,
    after place: Int64?,
    since start: Date? = nil
  ) async throws {
    let opened = place == nil ? Date() : nil
    let end = try await reader.lastPlace()
    let place = place ?? end
    self.init(reader, settings, after: place)
    self.start = start ?? opened
    for turn in try await reader.openTurns() {
      guard let origin = try await reader.origin(of: turn.conversation) else { continue }
      maker.add(origin)
      for run in try await reader.runs(of: turn.conversation) { maker.add(run) }
      for fact in try await reader.facts(of: turn.conversation, turn: turn.id)
      where fact.id <= place { _ = maker.apply(fact) }
    }
  }

  /// Reads the next facts.
  /// - Returns: The facts and the spans that they end, without copies of older ones; no facts at the
  ///   end of the log.
  package mutating func next() async throws -> (facts: [Fact], spans: [Span]) {
    // All of them or none: what fails halfway is read again.
    var (maker, place, spans, new): (SpanMaker, Int64, [Span], [Fact]) = (maker, place, [], [])
    while new.isEmpty {
      let facts = try await source.facts(after: place, limit: Self.pageSize)
      guard let last = facts.last else { break }
      place = last.id
      for fact in facts {
        let isOld = start.map { fact.at < $0 } ?? false
        if !isOld { new.append(fact) }
        if case .prompted = fact.event {
          // Without its beginning, a turn makes no spans. One that is under way makes its own, even
          // if the clock is set back.
          guard !isOld else { continue }
          if !maker.knows(conversation: fact.conversation),
            let origin = try await source.origin(of: fact.conversation)
          {
            maker.add(origin)
          }
        }
        spans += maker.apply(fact)
      }
    }
    (self.maker, self.place) = (maker, place)
    return (new, spans)
  }
}

extension SpanMaker {
  fileprivate mutating func add(_ origin: ConversationOrigin) {
    let record = origin.record
    add(
      conversation: record.id,
      session: origin.session,
      holder: record.holder,
      parent: record.parent
    )
  }

  fileprivate mutating func add(_ run: RunRecord) {
    guard run.ended == nil else { return }
    runs[run.id] = KnownRun(pid: run.pid, role: run.role, model: run.model, host: run.host)
  }
}

extension JournalReader: FactSource {
  package func origin(of conversation: Int64) async throws -> ConversationOrigin? {
    guard let record = try await self.conversation(conversation) else { return nil }
    return ConversationOrigin(session: try await session(of: conversation) ?? "", record: record)
  }
}

/// The facts of one session, with those of its friends.
package struct SessionFacts: FactSource {
  private let reader: JournalReader
  private let session: String

  package init(_ reader: JournalReader, session: String) {
    (self.reader, self.session) = (reader, session)
  }

  package func facts(after place: Int64, limit: Int) async throws -> [Fact] {
    try await reader.facts(ofSession: session, after: place, limit: limit)
  }

  package func origin(of conversation: Int64) async throws -> ConversationOrigin? {
    try await reader.origin(of: conversation)
  }
}

import Journal
package import Transcripts

/// How a session begins that does not exist yet.
package struct SessionBeginning: Sendable {
  /// The agent that begins it; `nil` for the catalog's choice.
  package var agent: String?
  /// The program that begins it.
  package var origin: String?
  /// Whether it is deleted when its turn ends.
  package var isTemporary: Bool
  /// The entries of another program's conversation that it begins with.
  ///
  /// A session that exists must have come to the same.
  package var history: [RawEntry]

  package init(
    agent: String? = nil,
    origin: String? = nil,
    isTemporary: Bool = false,
    history: [RawEntry] = []
  ) {
    self.agent = agent
    self.origin = origin.map(Self.shown)
    self.isTemporary = isTemporary
    self.history = history
  }

  /// The most Unicode scalars of an origin.
  private static let longestOrigin = 200

  /// Returns an origin as it is kept: short, and without what moves a terminal's cursor.
  package static func shown(_ origin: String) -> String {
    let scalars = origin.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.prefix(longestOrigin))
    return String(text)
  }

  /// Throws an error if the history cannot be one.
  func validate() throws(ConversationError) {
    for (place, entry) in history.enumerated() {
      let name = "entry \(place + 1)"
      // The agents have their own instructions; those of a sender belong to its turns.
      if case .instructions = entry.entry { throw .badHistory("\(name) is instructions") }
      guard entry.size <= EntryLimit.bytes else {
        throw .badHistory("\(name) has \(entry.size) bytes; the limit is \(EntryLimit.bytes)")
      }
      let flaws = entry.entry.segments.attachments.compactMap(\.image.flaw)
      if let flaw = flaws.first { throw .badHistory("the image of \(name) \(flaw)") }
    }
  }

  func start(named name: String, holder: String) -> ConversationStart {
    ConversationStart(name: name, holder: holder, origin: origin, isTemporary: isTemporary)
  }
}

/// The texts of a message, as their pieces arrive.
struct SentTexts {
  enum Piece: Equatable {
    case reasoning(String)
    case answer(String)
  }

  /// Whether the answer must follow a schema.
  private let isStructured: Bool
  private var reasoning = SplitPair()
  private var content = SplitPair()
  private var refusal = SplitPair()
  private var tags = ThinkTags()
  /// Why the model refuses to answer.
  private(set) var refusalText = ""
  private(set) var hasAnswer = false

  /// - Parameter isStructured: Whether the answer must follow a schema.
  init(isStructured: Bool) {
    self.isStructured = isStructured
  }

  /// Whether the content that has arrived last is reasoning.
  var isContentReasoning: Bool { tags.isReasoning }

  /// Takes the texts of a chunk and returns what is certain, in the order in which a model writes.
  mutating func take(_ message: ChatChunk.Message) -> [Piece] {
    let thought = reasoning.take(message.reasoning ?? "")
    let pieces = tags.take(content.take(message.content ?? ""))
    return sort(thought, pieces, refusal.take(message.refusal ?? ""))
  }

  /// Returns what was held back until the end.
  mutating func finish() -> [Piece] {
    let pieces = tags.take(content.finish()) + tags.finish()
    return sort(reasoning.finish(), pieces, refusal.finish())
  }

  private mutating func sort(_ thought: String, _ content: [Piece], _ refusal: String) -> [Piece] {
    var pieces = [.reasoning(thought)] + content
    // Some servers send a refusal in a field of its own. It is still the answer, except when a
    // program reads the answer.
    if isStructured { refusalText += refusal } else { pieces.append(.answer(refusal)) }
    pieces.removeAll(where: \.isEmpty)
    hasAnswer = hasAnswer || pieces.contains { if case .answer = $0 { true } else { false } }
    return pieces
  }
}

extension SentTexts.Piece {
  fileprivate var isEmpty: Bool {
    switch self {
    case .reasoning(let text), .answer(let text): text.isEmpty
    }
  }
}

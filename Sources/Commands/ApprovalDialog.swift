import Journal

/// What a person at a terminal is asked, one question after the other.
struct ApprovalDialog {
  /// What the person typed about the question that was asked first.
  struct Answer: Equatable {
    let id: Int64
    /// Why the call is denied; `nil` when it is approved.
    let denial: String?
  }

  private var asked: [ApprovalRecord] = []
  /// Whether nobody answers here any more.
  private var hasLeft = false

  /// What is asked now.
  var current: ApprovalRecord? { asked.first }

  /// Takes a question; returns the answer to one that comes when the person has left.
  mutating func ask(_ record: ApprovalRecord) -> Answer? {
    if hasLeft { return Self.denial(of: record) }
    asked.append(record)
    return nil
  }

  /// Forgets a question that was answered, whoever did it.
  mutating func settle(_ id: Int64) { asked.removeAll { $0.id == id } }

  /// Takes a line as the answer; `nil` when nothing is asked.
  mutating func answer(_ line: String) -> Answer? {
    guard let record = asked.first else { return nil }
    asked.removeFirst()
    let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return switch words.lowercased() {
    case "y", "yes": Answer(id: record.id, denial: nil)
    case "n", "no", "": Answer(id: record.id, denial: "The person denied it.")
    default: Answer(id: record.id, denial: words)
    }
  }

  /// Denies everything that is asked, now and from now on, because nobody will answer any more.
  mutating func leave() -> [Answer] {
    hasLeft = true
    defer { asked = [] }
    return asked.map(Self.denial)
  }

  private static func denial(of record: ApprovalRecord) -> Answer {
    Answer(id: record.id, denial: "The person has left.")
  }
}

extension ApprovalRecord {
  /// What is asked, with the number by which it is answered.
  var question: String { "request \(id): may \(agent) call \(tool)\(arguments)?" }
}

import Foundation
import Journal

/// What a person at a terminal is asked, one question after the other.
struct ApprovalDialog {
  /// What the person typed about the question that was asked first.
  struct Answer: Equatable {
    let id: Int64
    /// Why the call is denied; `nil` when it is approved.
    let denial: String?
  }

  /// What a line is while something is asked.
  enum Reply: Equatable {
    case answer(Answer)
    /// It was perhaps typed about a question that is settled, and so it answers none.
    case overtaken(settled: Int64)
  }

  private var asked: [ApprovalRecord] = []
  /// The question that was asked here when somebody else settled it, until a line comes.
  private var settledBefore: Int64?
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
  mutating func settle(_ id: Int64) {
    if asked.first?.id == id { settledBefore = id }
    asked.removeAll { $0.id == id }
  }

  /// Takes a line as the answer; `nil` when nothing is asked.
  ///
  /// After a question that was settled elsewhere, the first line answers nothing: whoever typed it may
  /// not have seen yet that another call is asked about, and must not approve that. Nor is it a prompt
  /// when it only says yes or no.
  mutating func take(_ line: String) -> Reply? {
    let settled = settledBefore
    settledBefore = nil
    guard let record = asked.first else {
      return settled.flatMap { Self.decides(line) ? .overtaken(settled: $0) : nil }
    }
    if let settled { return .overtaken(settled: settled) }
    asked.removeFirst()
    return .answer(Self.answer(line, to: record))
  }

  /// Whether a line says yes or no, and nothing else.
  private static func decides(_ line: String) -> Bool {
    ["y", "yes", "n", "no"].contains(line.trimmingCharacters(in: .whitespaces).lowercased())
  }

  private static func answer(_ line: String, to record: ApprovalRecord) -> Answer {
    let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return switch words.lowercased() {
    case "y", "yes": Answer(id: record.id, denial: nil)
    case "n", "no", "": Answer(id: record.id, denial: ApprovalRecord.plainDenial)
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
  /// The call, on one line that shows all that is in it.
  var call: String { "\(tool)\(arguments)".withInvisiblesShown }

  /// What is asked, with the number by which it is answered.
  var question: String { "request \(id): may \(agent.withInvisiblesShown) call \(call)?" }
}

extension Terminal {
  /// Has a question answered that was shown when it came up.
  func ask(_ record: ApprovalRecord) {
    note("request \(record.id): type 'y', 'n', or a reason to deny it")
  }

  /// Says that a line has answered nothing, and shows once more what is asked now.
  func askAgain(_ record: ApprovalRecord?, afterSettled settled: Int64) {
    note("request \(settled): already settled, so your answer was ignored")
    guard let record else { return }
    note(record.question)
    ask(record)
  }
}

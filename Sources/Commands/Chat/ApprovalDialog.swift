import Coordinator
import Foundation
import Journal
import Terminal
import Transcripts

/// The questions to a person at a terminal, asked one at a time.
struct ApprovalDialog {
  /// What the person typed in answer to the first question.
  struct Answer: Equatable {
    let id: Int64
    /// Why the call is denied; `nil` when it is approved.
    let denial: String?
    /// What the server of the call wants to know, as JSON.
    var content: String?
  }

  /// What a line means while something is asked.
  enum Reply: Equatable {
    case answer(Answer)
    /// The line may have been meant for a question that is already settled, so it answers none.
    case overtaken(settled: Int64)
  }

  private var asked: [ApprovalRecord] = []
  /// The current question that was settled elsewhere, until the next line comes.
  private var settledBefore: Int64?
  private var hasLeft = false

  /// The question that is being asked.
  var current: ApprovalRecord? { asked.first }

  /// Adds a question.
  /// - Returns: The answer to it if the person has already left.
  mutating func ask(_ record: ApprovalRecord) -> Answer? {
    if hasLeft { return Self.denial(of: record) }
    asked.append(record)
    return nil
  }

  /// Removes a question that was answered, here or elsewhere.
  mutating func settle(_ id: Int64) {
    if asked.first?.id == id { settledBefore = id }
    asked.removeAll { $0.id == id }
  }

  /// Interprets a line as an answer; `nil` when nothing is asked.
  ///
  /// The first line after a question was settled elsewhere answers nothing: the person may not have
  /// seen that another call is being asked about, and must not approve that by mistake. Nor is such
  /// a line a prompt if it only says yes or no.
  mutating func interpret(_ line: String) -> Reply? {
    let settled = settledBefore
    settledBefore = nil
    guard let record = asked.first else {
      return settled.flatMap { Self.decides(line) ? .overtaken(settled: $0) : nil }
    }
    if let settled { return .overtaken(settled: settled) }
    asked.removeFirst()
    return .answer(Self.answer(line, to: record))
  }

  /// Interprets a line as an answer; one that is not UTF-8 says no, like an empty one.
  ///
  /// In a file or a pipe, the next line belongs to the next question, so this one must answer.
  mutating func interpret(_ line: InputLine) -> Reply? { interpret(line.text ?? "") }

  /// Whether a line says only yes or no.
  private static func decides(_ line: String) -> Bool {
    ["y", "yes", "n", "no"].contains(line.trimmingCharacters(in: .whitespaces).lowercased())
  }

  private static func answer(_ line: String, to record: ApprovalRecord) -> Answer {
    if record.form != nil, line.drop(while: \.isWhitespace).hasPrefix("{") {
      return Answer(id: record.id, denial: nil, content: line)
    }
    let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return switch words.lowercased() {
    case "y", "yes": Answer(id: record.id, denial: nil)
    case "n", "no", "": Answer(id: record.id, denial: ApprovalRecord.plainDenial)
    default: Answer(id: record.id, denial: words)
    }
  }

  /// Denies all questions, now and from now on, because no one will answer them.
  mutating func leave() -> [Answer] {
    hasLeft = true
    defer { asked = [] }
    return asked.map(Self.denial)
  }

  private static func denial(of record: ApprovalRecord) -> Answer {
    Answer(id: record.id, denial: "The person has left.")
  }
}

extension ApprovalAnswer {
  /// What a person typed in a chat, or where a question was asked.
  init(_ answer: ApprovalDialog.Answer) {
    self.init(id: answer.id, denial: answer.denial, content: answer.content, by: .chat)
  }
}

extension ApprovalRecord {
  /// The call on one line, with nothing hidden.
  var call: String { "\(tool)\(arguments)".withInvisiblesShown }

  /// The question, with the number by which it is answered.
  var question: String {
    guard let form else { return "request \(id): may \(agent.withInvisiblesShown) call \(call)?" }
    return
      "request \(id): \(tool.withInvisiblesShown), called by \(agent.withInvisiblesShown), asks:"
      + " \(form.message.withInvisiblesShown)\n  the answer's schema:"
      + " \(form.schema.document.jsonString.withInvisiblesShown)"
  }
}

extension Terminal {
  /// Asks for the answer to a question that was shown when it came up.
  func ask(_ record: ApprovalRecord) {
    note(
      record.form == nil
        ? "request \(record.id): type 'y', 'n', or a reason to deny it"
        : "request \(record.id): type the answer as a JSON object, 'y' for {}, or 'n'"
    )
  }

  /// Says that an answer was taken for a denial if it is unreadable.
  func noteDenial(by line: InputLine) {
    guard line.text == nil else { return }
    note("orchestrator: Line \(line.number) is not valid UTF-8, so it was taken for 'n'.")
  }

  /// Says that a line was ignored, and shows the current question again.
  func askAgain(_ record: ApprovalRecord?, afterSettled settled: Int64) {
    note("request \(settled): already settled, so your answer was ignored")
    guard let record else { return }
    note(record.question)
    ask(record)
  }
}

import Terminal

/// A finding about one thing that orchestrator needs.
struct Diagnosis: Encodable, Sendable, Equatable {
  enum Verdict: String, Encodable, Sendable {
    case ok
    /// It works, but not as well as it could.
    case warning
    /// Something necessary does not work.
    case failure
  }

  let subject: String
  let verdict: Verdict
  let finding: String
  /// What to do about it; `nil` when nothing needs to be done.
  let remedy: String?

  static func ok(_ subject: String, _ finding: String) -> Diagnosis {
    Diagnosis(subject: subject, verdict: .ok, finding: finding, remedy: nil)
  }

  static func warning(_ subject: String, _ finding: String, remedy: String) -> Diagnosis {
    Diagnosis(subject: subject, verdict: .warning, finding: finding, remedy: remedy)
  }

  static func failure(_ subject: String, _ finding: String, remedy: String) -> Diagnosis {
    Diagnosis(subject: subject, verdict: .failure, finding: finding, remedy: remedy)
  }
}

extension Diagnosis {
  /// The finding, and below it what to do.
  var lines: [StyledText] {
    let width = Verdict.failure.rawValue.count
    let word = verdict.rawValue
    var line = StyledText(word, verdict.style)
    line.append(String(repeating: " ", count: width - word.count + 2) + "\(subject): \(finding)")
    let margin = String(repeating: " ", count: width + 2)
    return [line] + (remedy.map { [StyledText("\(margin)→ \($0)")] } ?? [])
  }
}

extension Diagnosis: CustomStringConvertible {
  var description: String { lines.map(\.text).joined(separator: "\n") }
}

extension Diagnosis.Verdict {
  fileprivate var style: Style {
    switch self {
    case .ok: .green
    case .warning: .yellow
    case .failure: .red
    }
  }
}

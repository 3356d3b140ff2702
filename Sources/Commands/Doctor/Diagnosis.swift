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
  /// What was found.
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

extension Diagnosis: CustomStringConvertible {
  var description: String {
    let width = Verdict.failure.rawValue.count
    let verdict = verdict.rawValue
    let line =
      verdict + String(repeating: " ", count: width - verdict.count + 2) + "\(subject): \(finding)"
    return remedy.map { "\(line)\n" + String(repeating: " ", count: width + 2) + "→ \($0)" } ?? line
  }
}

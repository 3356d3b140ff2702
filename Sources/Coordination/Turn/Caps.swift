import Foundation

/// The bounds of a turn and of everything that runs below it.
package struct Caps: Sendable, Equatable, Codable {
  /// Requests to the model.
  package var rounds = 16
  /// Tool calls.
  package var calls = 32
  /// Tokens that the model may generate.
  package var tokens = 8192
  /// Seconds until the turn is cut off.
  package var seconds = 300
  /// How deep friends may phone further friends.
  package var depth = 3
  /// How many friends may be answering at once.
  package var fanOut = 8
  /// How often a call with the same arguments may return the same while nothing new comes in.
  package var repeats = 3
  /// Seconds until a call that waits for a person is denied.
  package var approval = 120
  /// What a turn does at a cap.
  package var policy = Policy.answer

  package enum Policy: String, Sendable, Codable, CaseIterable {
    /// Asks the model once more, without tools, so that the turn ends in an answer.
    case answer
    /// Fails the turn.
    case fail
  }

  typealias CodingKeys = GivenCaps.CodingKeys

  /// The largest value of any cap, far beyond any sensible setting.
  package static let maximum = 1_000_000_000

  package init() {}

  /// What is wrong with caps that a person wrote.
  package enum Fault: Error, Equatable, Sendable {
    case unknown(name: String)
    case notPositive(name: String, value: Int)
    case tooLarge(name: String, value: Int)
    case notANumber(name: String, value: String)
    case noValue(String)
    case twice(name: String)
    case unknownPolicy(String)
  }

  /// The names of the caps, in the order in which they are explained.
  package static let names = [
    "rounds", "calls", "tokens", "seconds", "depth", "fanout", "repeats", "approval", "policy",
  ]
}

extension Caps {
  /// Reads caps that were written down; omitted ones keep their defaults.
  package init(from decoder: any Decoder) throws {
    self = try GivenCaps(knownOf: decoder).over(Caps())
  }
}

extension Caps.Fault: CustomStringConvertible {
  package var description: String {
    let known = Caps.names.joined(separator: ", ")
    return switch self {
    case .unknown(let name): "There is no cap named '\(name)'. Available caps: \(known)."
    case .notPositive(let name, let value): "The cap on \(name) cannot be \(value)."
    case .tooLarge(let name, let value):
      "The cap on \(name) cannot be \(value): the maximum is \(Caps.maximum)."
    case .notANumber(let name, let value):
      "The cap on \(name) must be a whole number up to \(Caps.maximum), not '\(value)'."
    case .noValue(let part): "'\(part)' does not set a cap. Write, for example, rounds=4."
    case .twice(let name): "The cap on \(name) is given twice."
    case .unknownPolicy(let text):
      "There is no policy named '\(text)'. Available policies: "
        + Caps.Policy.allCases.map(\.rawValue).joined(separator: ", ") + "."
    }
  }
}

extension Caps {
  /// The caps as the journal keeps them for a later coordinator.
  var journaled: String {
    // Numbers and a word, which can always be encoded.
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Reads journaled caps; `nil` for others.
  init?(journaled text: String) {
    guard let caps = try? JSONDecoder().decode(Caps.self, from: Data(text.utf8)) else { return nil }
    self = caps
  }
}

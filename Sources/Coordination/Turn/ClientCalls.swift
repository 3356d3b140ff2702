import Transcripts

/// The calls of a round that the client of the turn performs.
struct ClientCalls: Sendable, Equatable {
  /// The identities of the calls of which the client was told, in order.
  private var asked: [String] = []
  private var answers: [String: Answer] = [:]

  private struct Answer: Sendable, Equatable {
    let output: ClientToolOutput
    /// The identity of the client's request.
    let request: String?
  }

  func isAsked(_ call: String) -> Bool { asked.contains(call) }

  /// Whether a call waits for the client.
  func isWaiting(_ call: String) -> Bool { isAsked(call) && answers[call] == nil }

  func output(of call: String) -> ClientToolOutput? { answers[call]?.output }

  mutating func ask(_ calls: [String]) { asked += calls.filter { !isAsked($0) } }

  mutating func answer(_ outputs: [ClientToolOutput], request: String?) {
    for output in outputs where isWaiting(output.callID) {
      answers[output.callID] = Answer(output: output, request: request)
    }
  }

  /// Forgets a call that has its output.
  mutating func close(_ call: String) {
    asked.removeAll { $0 == call }
    answers[call] = nil
  }

  /// Returns those of the outputs that are new.
  /// - Throws: `ClientCallError` for outputs that no call waits for, or that differ from those that
  ///   calls have.
  func new(
    _ outputs: [ClientToolOutput],
    request: String?
  ) throws(ClientCallError) -> [ClientToolOutput] {
    var new: [ClientToolOutput] = []
    for output in outputs {
      guard isAsked(output.callID) else { throw .unknown(call: output.callID) }
      guard let known = answers[output.callID] else {
        guard !new.contains(where: { $0.callID == output.callID }) else {
          throw .twice(call: output.callID)
        }
        new.append(output)
        continue
      }
      // A client that did not see its request accepted sends it again.
      guard request != nil, known == Answer(output: output, request: request) else {
        throw .answered(call: output.callID)
      }
    }
    return new
  }
}

/// Why the outputs of a client were not accepted.
package enum ClientCallError: Error, Sendable, Equatable {
  /// The session has no turn that waits for its client.
  case notWaiting(session: String)
  /// Another turn than the given one waits.
  case otherTurn(Int64, session: String)
  case noSuchTurn(Int64)
  case unknown(call: String)
  case answered(call: String)
  case twice(call: String)
  case nothing
  case badImage(call: String, flaw: String)
  case tooLarge(bytes: Int)

  /// The most bytes of the outputs of one request: a worker is sent those of a round at once.
  static let maximumBytes = OpenRound.maximumEarlyBytes
}

extension ClientCallError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notWaiting(let session):
      "No turn of the session '\(session)' waits for its client. It has ended, or goes on already."
    case .otherTurn(let turn, let session):
      "Turn \(turn) of the session '\(session)' does not wait for its client."
    case .noSuchTurn(let turn): "There is no turn \(turn)."
    case .unknown(let call): "No call '\(call)' waits for its client."
    case .answered(let call): "The call '\(call)' has an output already."
    case .twice(let call): "The call '\(call)' has two outputs. Send one."
    case .badImage(let call, let flaw):
      "An image of the output of '\(call)' cannot be used: \(flaw)."
    case .nothing: "There is no output. Send at least one."
    case .tooLarge(let bytes):
      "The outputs have \(bytes) bytes; the limit is \(Self.maximumBytes). Shorten them."
    }
  }
}

extension [ClientToolOutput] {
  /// Checks that a worker can be sent the outputs.
  func validate() throws(ClientCallError) {
    guard !isEmpty else { throw .nothing }
    let bytes = reduce(0) { sum, output in
      // Images travel as text, of which four characters hold three bytes.
      let images = (output.images ?? []).reduce(0) { $0 + $1.count / 3 * 4 }
      return sum + output.text.utf8.count + output.callID.utf8.count + images
    }
    guard bytes <= ClientCallError.maximumBytes else { throw .tooLarge(bytes: bytes) }
    for output in self {
      if let flaw = output.flaw { throw .badImage(call: output.callID, flaw: flaw) }
    }
  }
}

package import Foundation
package import Transcripts

/// What a client's functions have returned for calls that a turn waits for.
package struct ClientToolOutputs: Codable, Sendable, Equatable {
  /// Identifies the request: one that is sent again joins the turn instead of answering twice.
  package var id: String?
  /// The session of the turn; it may be omitted where the turn is given.
  package var session: String?
  /// The turn that waits; if omitted, the one of the session that does.
  package var turn: Int64?
  package var outputs: [ClientToolOutput]

  package init(
    id: String? = nil,
    session: String? = nil,
    turn: Int64? = nil,
    outputs: [ClientToolOutput]
  ) {
    self.id = id
    self.session = session
    self.turn = turn
    self.outputs = outputs
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, session, turn, outputs
  }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decodeIfPresent(String.self, forKey: .id)
    session = try values.decodeIfPresent(String.self, forKey: .session)
    turn = try values.decodeIfPresent(Int64.self, forKey: .turn)
    outputs = try values.decode([ClientToolOutput].self, forKey: .outputs)
  }
}

extension ClientToolOutputs {
  /// Parses outputs that were sent.
  package static func read(_ body: Data) throws(InvalidBody) -> ClientToolOutputs {
    try ServiceJSON.read(
      body,
      "Outputs are JSON with 'session' and 'outputs', each with 'callID' and 'text'"
    )
  }
}

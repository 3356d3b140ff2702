import Transcripts
import Wire

/// What an outpost is told over its standard input so that it can connect back.
struct ConnectBackOffer: Codable, Sendable, Equatable {
  static let keyBytes = 32

  var address: String
  var port: UInt16
  /// Drawn for this offer, and known to nothing else.
  var key: [UInt8]

  func validate() throws(InvalidValue) {
    guard address.utf8.count <= 64, key.count == Self.keyBytes else {
      throw InvalidValue("an offer of a connection")
    }
  }
}

/// What both ends of a connection derive from the key and from a number that each of them has drawn,
/// so that nothing recorded from one connection is of use in another.
struct ConnectionKeys: Sendable {
  enum End: UInt8, Sendable {
    case outpost = 1
    case coordinator = 2
  }

  static let nonceBytes = 32
  static let proofBytes = 32

  private let authenticator: MessageAuthenticator
  private let nonces: [UInt8]

  init(key: [UInt8], outpost: [UInt8], coordinator: [UInt8]) {
    authenticator = MessageAuthenticator(key: key)
    nonces = outpost + coordinator
  }

  /// Draws a number, or a key.
  static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0 ... .max) } }

  /// What shows that an end has the key.
  func proof(of end: End) -> [UInt8] { derive("proof", end) }

  /// Seals what an end sends.
  func sealer(of end: End) -> RecordSealer { RecordSealer(key: derive("records", end)) }

  /// Opens what an end has sent.
  func opener(of end: End) -> RecordOpener { RecordOpener(key: derive("records", end)) }

  private func derive(_ purpose: String, _ end: End) -> [UInt8] {
    authenticator.code(of: Array(purpose.utf8), [end.rawValue], nonces)
  }
}

import Coordinator
import Foundation
import MCP

/// Sessions as resources: `orchestrator://session/NAME`.
enum SessionResource {
  static let mediaType = "text/markdown"
  private static let prefix = "orchestrator://session/"

  static func uri(of session: String) -> String {
    prefix + (session.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
  }

  /// Returns the session at an address; `nil` if the address is that of none.
  static func session(at uri: String) -> String? {
    guard uri.hasPrefix(prefix), let name = uri.dropFirst(prefix.count).removingPercentEncoding,
      !name.isEmpty
    else { return nil }
    return name
  }

  static func offer(_ session: SessionSummary) -> OfferedResource {
    let turns = session.turns == 1 ? "1 turn" : "\(session.turns) turns"
    return OfferedResource(
      uri: uri(of: session.name),
      name: session.name,
      description: "The transcript of a session: \(turns), \(session.holder) holds the baton.",
      mediaType: mediaType,
      lastModified: session.lastUse.formatted(.iso8601)
    )
  }

  static var template: OfferedResource {
    OfferedResource(
      uri: prefix + "{name}",
      name: "session",
      description: "The transcript of a session.",
      mediaType: mediaType
    )
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )
}

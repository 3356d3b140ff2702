import Transcripts

/// What a server said about itself when the connection began.
package struct MCPSession: Sendable, Equatable {
  package var version: ProtocolVersion
  /// The server's own name, for people: it is not unique and proves nothing.
  package var name: String?
  package var hasTools: Bool
  /// Whether it tells when its tools change.
  package var announcesToolChanges: Bool

  /// Reads the answer to `initialize` or to `server/discover`.
  init(_ result: GeneratedContent, version: ProtocolVersion) {
    self.version = version
    name = (result["serverInfo"] ?? result["_meta"]?[MetaKey.serverInfo])?["name"]?.text
    let tools = result["capabilities"]?["tools"]
    hasTools = tools?.members != nil
    announcesToolChanges = tools?["listChanged"]?.flag ?? false
  }
}

/// Why a connection to a server is of no use.
package enum MCPFault: Error, Sendable, Equatable {
  /// It did not answer the beginning of the connection.
  case silent(seconds: Int)
  /// It answered with a version that is not known here.
  case unsupportedVersion(String)
  case refused(JSONRPCError)
  /// It did not say which tools it has.
  case noList(JSONRPCError?)
}

/// The two ways in which a connection begins.
package enum MCPEra: String, Sendable, Codable {
  /// Requests stand alone.
  case stateless
  /// The connection begins with `initialize`.
  case handshake
}

package enum MCPCallOutcome: Sendable, Equatable {
  case returned(MCPCallResult)
  /// The server answered with an error of the protocol.
  case failed(JSONRPCError)
  /// The server did not answer; if it does later, that is ignored.
  case timedOut(seconds: Int)
  /// The server wants something that cannot be given, such as an answer of a model.
  case needsInput(String)
}

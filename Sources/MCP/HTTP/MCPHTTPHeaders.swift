import PlatformLibraries
import Transcripts

/// The headers of a request over HTTP, which repeat parts of its message for those between the two
/// sides that do not read it.
package enum MCPHTTPHeaders {
  /// The header that names the session of a server that is begun with `initialize`.
  package static let session = "Mcp-Session-Id"
  /// The header that names the span in which a request is made.
  package static let traceparent = "traceparent"

  /// Returns the headers of a message, in order.
  ///
  /// - Parameters:
  ///   - version: The version that was agreed on; `nil` before that.
  ///   - session: The session, if the server has named one.
  package static func headers(
    for message: JSONRPCMessage,
    version: ProtocolVersion? = nil,
    session: String? = nil
  ) -> [(name: String, value: String)] {
    var headers = [
      ("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"),
    ]
    if let session { headers.append((Self.session, session)) }
    if case .request(_, let call) = message,
      let span = call.parameters?["_meta"]?[MetaKey.traceparent]?.text
    {
      headers.append((traceparent, span))
    }
    if let version, version.hasHandshake {
      return headers + [("MCP-Protocol-Version", version.rawValue)]
    }
    // Which versions the server has, its answer tells.
    if case .request(_, let call) = message, call.method == "initialize" { return headers }
    headers.append(("MCP-Protocol-Version", ProtocolVersion.latest.rawValue))
    switch message {
    case .request(_, let call), .notification(let call):
      headers.append(("Mcp-Method", call.method))
      if call.method == "tools/call", let name = call.parameters?["name"]?.text {
        headers.append(("Mcp-Name", encoded(name)))
      }
    case .result, .failure: break
    }
    return headers
  }

  /// Returns a text as the value of a header, which has visible characters of ASCII only.
  private static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard !isPlain || text.hasPrefix("=?") else { return text }
    return "=?base64?\(Data(text.utf8).base64EncodedString())?="
  }
}

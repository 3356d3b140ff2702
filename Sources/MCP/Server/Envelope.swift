import PlatformLibraries
import Transcripts

/// The headers of an HTTP request that repeat what its body says, so that proxies can route it.
package struct MirroredHeaders: Sendable, Equatable {
  package var version: String?
  package var method: String?
  /// The name of a tool or prompt, or the address of a resource, as it was sent.
  package var name: String?

  package init(version: String?, method: String?, name: String?) {
    self.version = version
    self.method = method
    self.name = name
  }

  /// Whether the request is of an era without a handshake, or of a version that is unknown here.
  var areStandalone: Bool {
    guard let version else { return false }
    return ProtocolVersion(rawValue: version)?.hasHandshake != true
  }
}

/// What a request that stands alone says about its client.
struct Envelope {
  let version: ProtocolVersion
  let capabilities: GeneratedContent

  /// Reads the envelope of a request; `nil` if the request depends on a handshake.
  /// - Throws: `JSONRPCError` when the envelope is incomplete, differs from the headers, or names a
  ///   version that is not spoken.
  init?(of call: JSONRPCCall, _ headers: MirroredHeaders?) throws(JSONRPCError) {
    let meta = call.parameters?["_meta"]
    let (version, capabilities) = (
      meta?[MetaKey.protocolVersion], meta?[MetaKey.clientCapabilities]
    )
    guard Self.isExpected(of: call, headers) else { return nil }
    guard let version, let capabilities else {
      let key = version == nil ? MetaKey.protocolVersion : MetaKey.clientCapabilities
      throw JSONRPCError(.invalidParameters, "params._meta has no '\(key)'.")
    }
    // A client that disagrees with itself is told so, rather than that its version is unknown.
    try headers?.check(call, version: version.text)
    guard let name = version.text else {
      throw JSONRPCError(.invalidParameters, "'\(MetaKey.protocolVersion)' is not a string.")
    }
    guard capabilities.members != nil else {
      throw JSONRPCError(.invalidParameters, "'\(MetaKey.clientCapabilities)' is not an object.")
    }
    guard let known = ProtocolVersion(rawValue: name), !known.hasHandshake else {
      throw JSONRPCError(
        .unsupportedVersion,
        "This version of the protocol is not supported.",
        data: .members([
          ("supported", ServerSession.versionsWithoutHandshake), ("requested", name.json),
        ])
      )
    }
    self.version = known
    self.capabilities = capabilities
  }

  /// Whether a call has an envelope, or has to have one by its headers.
  static func isExpected(of call: JSONRPCCall, _ headers: MirroredHeaders?) -> Bool {
    let meta = call.parameters?["_meta"]
    if meta?[MetaKey.protocolVersion] != nil || meta?[MetaKey.clientCapabilities] != nil {
      return true
    }
    // An `initialize` is answered with a version that is spoken, whatever its header says.
    return headers?.areStandalone == true && call.method != "initialize"
  }
}

extension ServerSession {
  /// Whether a message over HTTP depends on no session.
  package static func standsAlone(
    _ message: JSONRPCMessage,
    _ headers: MirroredHeaders
  ) -> Bool {
    switch message {
    case .request(_, let call), .notification(let call): Envelope.isExpected(of: call, headers)
    case .result, .failure: headers.areStandalone
    }
  }
}

extension MirroredHeaders {
  /// The parameter that is repeated as `Mcp-Name`.
  private static let namedParameters = [
    "tools/call": "name", "prompts/get": "name", "resources/read": "uri",
  ]

  fileprivate func check(_ call: JSONRPCCall, version body: String?) throws(JSONRPCError) {
    guard version == body else { throw Self.mismatch("MCP-Protocol-Version") }
    guard method == call.method else { throw Self.mismatch("Mcp-Method") }
    guard let parameter = Self.namedParameters[call.method],
      let value = call.parameters?[parameter]?.text
    else { return }
    guard name.flatMap(Base64Header.decoded) == value else { throw Self.mismatch("Mcp-Name") }
  }

  private static func mismatch(_ name: String) -> JSONRPCError {
    JSONRPCError(
      .headerMismatch,
      "The header \(name) is missing, or differs from the body."
    )
  }
}

/// The form in which a header carries a value that it could not carry as it is.
enum Base64Header {
  private static let (start, end) = ("=?base64?", "?=")

  /// Returns the value that a header stands for; `nil` if its encoding is damaged.
  static func decoded(_ header: String) -> String? {
    guard header.hasPrefix(start), header.hasSuffix(end),
      header.utf8.count >= start.utf8.count + end.utf8.count
    else { return header }
    let payload = String(header.dropFirst(start.count).dropLast(end.count))
    guard let data = Data(base64Encoded: payload), data.base64EncodedString() == payload else {
      return nil
    }
    return String(validating: data, as: UTF8.self)
  }
}

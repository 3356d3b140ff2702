import Transcripts

// How a connection begins, and what requests say about their client.

extension ServerSession {
  mutating func initialize(_ call: JSONRPCCall) throws(JSONRPCError) -> GeneratedContent {
    guard let wanted = call.parameters?["protocolVersion"]?.text else {
      throw JSONRPCError(.invalidParameters, "'protocolVersion' is missing.")
    }
    // A client that cannot speak the version that it is offered ends the connection.
    let known = ProtocolVersion(rawValue: wanted)
    let version = known.flatMap { Self.speaks($0) ? $0 : nil } ?? .latestWithHandshake
    handshake = Handshake(
      version: version,
      canElicit: version >= .june2025 && Self.canElicit(call.parameters?["capabilities"])
    )
    return .members([
      ("protocolVersion", version.rawValue.json),
      ("capabilities", Self.capabilities(isStandalone: false)),
      ("serverInfo", information), ("instructions", identity.instructions.json),
    ])
  }

  /// Whether a version can be agreed on by a handshake; batches are not taken.
  private static func speaks(_ version: ProtocolVersion) -> Bool {
    version.hasHandshake && !version.hasBatches
  }

  var discovery: GeneratedContent {
    signed(
      .members([
        ("resultType", "complete".json),
        ("supportedVersions", Self.versionsWithoutHandshake),
        ("capabilities", Self.capabilities(isStandalone: true)),
        ("instructions", identity.instructions.json), ("ttlMs", 0.json),
        ("cacheScope", "private".json),
      ]),
      .latest
    )
  }

  static var versionsWithoutHandshake: GeneratedContent {
    .list(ProtocolVersion.allCases.filter { !$0.hasHandshake }.map(\.rawValue.json))
  }

  private static func capabilities(isStandalone: Bool) -> GeneratedContent {
    let changes = isStandalone ? [("listChanged", true.json), ("subscribe", true.json)] : []
    return .members([
      ("tools", .object([])), ("prompts", .object([])), ("resources", .object(changes)),
    ])
  }

  private var information: GeneratedContent {
    .members([("name", identity.name.json), ("version", identity.version.json)])
  }

  /// Adds to a result who made it, where no handshake has said so.
  func signed(
    _ result: GeneratedContent,
    _ version: ProtocolVersion,
    _ meta: [(String, GeneratedContent)] = []
  ) -> GeneratedContent {
    guard !version.hasHandshake else { return result }
    return result.adding([("_meta", .object([(MetaKey.serverInfo, information)] + meta))])
  }

  /// Whether a client's capabilities include forms; without further words, elicitation means them.
  static func canElicit(_ capabilities: GeneratedContent?) -> Bool {
    guard let elicitation = capabilities?["elicitation"], let kinds = elicitation.members else {
      return false
    }
    return kinds.isEmpty || elicitation["form"] != nil
  }

  static func progressToken(of call: JSONRPCCall) -> GeneratedContent? {
    guard let token = call.parameters?["_meta"]?[MetaKey.progressToken],
      JSONRPCID(token) != nil
    else { return nil }
    return token
  }
}

import Transcripts

// How a connection begins, in both eras.

extension MCPClient {
  mutating func probe() {
    probes += 1
    let id = request("server/discover", version: .july2026)
    phase = .probing(id: id)
    emit(.start(.probe, after: Self.probePatience))
  }

  mutating func initialize(probe: Int?) {
    let id = request(
      "initialize",
      [
        ("protocolVersion", .text(ProtocolVersion.latestWithHandshake.rawValue)),
        ("capabilities", Self.capabilities), ("clientInfo", Self.info),
      ]
    )
    phase = .initializing(id: id, probe: probe, discovered: nil)
  }

  mutating func probeTimedOut() {
    guard case .probing(let id) = phase else { return }
    initialize(probe: id)
  }

  mutating func startTimedOut() {
    switch phase {
    case .probing, .initializing: fail(.silent(seconds: settings.startTimeout))
    case .idle, .ready, .failed: break
    }
  }

  /// - Returns: Whether it was an answer to the beginning of the connection.
  mutating func receiveBeginning(
    _ answer: Result<GeneratedContent, JSONRPCError>,
    for id: Int
  ) -> Bool {
    switch phase {
    case .probing(id): discovered(answer)
    case .initializing(id, _, let discovered): initialized(answer, discovered)
    case .initializing(let own, .some(id), _):
      guard case .success(let result) = answer, let session = Self.statelessSession(result) else {
        return true
      }
      phase = .initializing(id: own, probe: nil, discovered: session)
    default: return false
    }
    return true
  }

  private mutating func discovered(_ answer: Result<GeneratedContent, JSONRPCError>) {
    switch answer {
    case .success(let result):
      if let session = Self.statelessSession(result) { return begin(session) }
      let versions = result["supportedVersions"]?.elements?.compactMap(\.text) ?? []
      let known = versions.compactMap(ProtocolVersion.init(rawValue:))
      guard versions.isEmpty || !known.isEmpty else {
        return fail(.unsupportedVersion(versions.joined(separator: ", ")))
      }
      initialize(probe: nil)
    // Older servers do not know the method, and answer with any code.
    case .failure: initialize(probe: nil)
    }
  }

  private static func statelessSession(_ result: GeneratedContent) -> MCPSession? {
    let versions = result["supportedVersions"]?.elements?.compactMap(\.text) ?? []
    guard versions.contains(ProtocolVersion.july2026.rawValue) else { return nil }
    return MCPSession(result, version: .july2026)
  }

  private mutating func initialized(
    _ answer: Result<GeneratedContent, JSONRPCError>,
    _ discovered: MCPSession?
  ) {
    switch answer {
    case .success(let result):
      let name = result["protocolVersion"]?.text ?? ""
      guard let version = ProtocolVersion(rawValue: name), version.hasHandshake else {
        return fail(.unsupportedVersion(name))
      }
      let session = MCPSession(result, version: version)
      phase = .ready(session)
      notify("notifications/initialized")
      begin(session)
    case .failure(let error) where error.code == .unsupportedVersion:
      // A slow server of the other era: the probe has reached it after all.
      if let discovered { return begin(discovered) }
      // Or one that was not of the other era the last time.
      guard settings.era == .handshake, probes == 0 else { return fail(.refused(error)) }
      probe()
    case .failure(let error): fail(.refused(error))
    }
  }

  private mutating func begin(_ session: MCPSession) {
    phase = .ready(session)
    emit(.began(session))
    guard session.hasTools else { return emit(.listed([])) }
    if session.announcesToolChanges, !session.version.hasHandshake {
      _ = request(
        "subscriptions/listen",
        [("notifications", .object([("toolsListChanged", GeneratedContent(kind: .bool(true)))]))]
      )
    }
    listTools()
  }
}

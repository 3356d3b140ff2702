import Transcripts

/// How spans are sent.
package struct TelemetrySettings: Sendable {
  package enum Destination: Sendable {
    case receiver(TelemetryEndpoint)
    /// Standard error, as lines of JSON, which may not control a terminal: `write` sees to that,
    /// and may block.
    case console(write: @Sendable (String) -> Void)
  }

  /// A number of spans, and of bytes that they may take.
  package struct Limit: Sendable, Equatable {
    package var spans: Int
    package var bytes: Int
  }

  package var destination: Destination
  package var spans = SpanSettings()
  package var resource: [Attribute] = []
  /// Complete header lines; they may hold secrets.
  package var headers: [String] = []
  package var isJSON = false
  package var isCompressed = true
  /// The file with the certificates that are trusted; `nil` for the system's.
  package var certificate: String?
  /// How long a receiver may take to answer.
  package var timeout = Duration.seconds(10)
  /// How often new facts are looked for.
  package var interval = Duration.seconds(5)
  /// What waits to be sent; the oldest are dropped.
  package var queue = Limit(spans: 2048, bytes: 8 << 20)
  /// What is sent in one request.
  package var batch = Limit(spans: 512, bytes: 2 << 20)

  package init(destination: Destination) { self.destination = destination }

  /// Where spans go, for people.
  package var publicDestination: String {
    switch destination {
    case .receiver(let endpoint): endpoint.publicAddress
    case .console: "standard error"
    }
  }

  package var leavesMachine: Bool {
    if case .receiver(let endpoint) = destination { !endpoint.isLoopback } else { false }
  }

  /// Makes a header line; `nil` if it would not be one, or would be several.
  static func headerLine(_ name: String, _ value: String) -> String? {
    let isToken = name.utf8.allSatisfy { $0.isNameCharacter || $0 == UInt8(ascii: ".") }
    // The body is described by its sender alone.
    let isOurs = ["content-type", "content-encoding", "content-length", "transfer-encoding"]
      .contains(name.lowercased())
    let isClean = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    guard !name.isEmpty, isToken, isClean, !isOurs, value.utf8.count <= 8192 else { return nil }
    return "\(name): \(value)"
  }
}

/// The versions of the Model Context Protocol.
package enum ProtocolVersion: String, Sendable, CaseIterable, Comparable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  case july2026 = "2026-07-28"

  /// The latest of those that begin with `initialize`.
  package static let latestWithHandshake = november2025
  /// The latest, whose requests stand alone.
  package static let latest = july2026

  /// Whether a connection begins with `initialize`, after which the two sides are peers.
  package var hasHandshake: Bool { self < .july2026 }

  /// Whether receivers must take batches, several messages in one array.
  package var hasBatches: Bool { self == .march2025 }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The keys of a message's `_meta` that the protocol has names for.
package enum MetaKey {
  package static let protocolVersion = "io.modelcontextprotocol/protocolVersion"
  package static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
  package static let clientInfo = "io.modelcontextprotocol/clientInfo"
  package static let serverInfo = "io.modelcontextprotocol/serverInfo"
  package static let subscriptionID = "io.modelcontextprotocol/subscriptionId"
  package static let progressToken = "progressToken"
  package static let traceparent = "traceparent"
}

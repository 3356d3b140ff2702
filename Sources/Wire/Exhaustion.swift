import Transcripts

/// A bound that a worker has reached, so that what it does next may fail for want of more.
package struct Exhaustion: Codable, Sendable, Equatable {
  package enum Resource: String, Codable, Sendable {
    /// Private memory, in bytes.
    case memory
    case descriptors
  }

  package var resource: Resource
  package var bound: Int
  /// The tools that ran last before the bound was found to be reached; empty when none has run.
  package var tools: [String]

  package init(_ resource: Resource, bound: Int, tools: [String]) {
    (self.resource, self.bound, self.tools) = (resource, bound, tools)
  }

  /// The most tools that are named.
  package static let maximumTools = 8
}

extension Exhaustion: CustomStringConvertible {
  package var description: String {
    let what =
      switch resource {
      case .memory: "\(bound / 1_000_000) MB of memory"
      case .descriptors: bound.counted("descriptor")
      }
    let end = "it had used up its \(what)"
    return tools.isEmpty ? end : "\(end) when \(tools.namedAsTools) had run"
  }
}

extension [String] {
  package var namedAsTools: String {
    (count == 1 ? "the tool " : "the tools ") + map { "'\($0)'" }.joined(separator: ", ")
  }
}

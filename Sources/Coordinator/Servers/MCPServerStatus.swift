package import Foundation

/// An MCP server as a person is shown it.
package struct MCPServerStatus: Codable, Sendable, Equatable {
  package enum State: String, Codable, Sendable {
    case stopped, starting, running
  }

  package var name: String
  package var state: State
  /// Why it last ended, or cannot be started.
  package var problem: String?
  package var pid: Int32?
  package var launched: Date?
  /// The proportional set size, in bytes.
  package var memory: Int?
  /// The version of the protocol that it speaks.
  package var version: String?
  /// How many calls it has not answered yet.
  package var calls = 0
  package var tools = 0
  /// The tools that were changed since a person approved them, and are not offered.
  package var withheld: [String] = []

  package init(name: String, state: State, problem: String? = nil) {
    self.name = name
    self.state = state
    self.problem = problem
  }
}

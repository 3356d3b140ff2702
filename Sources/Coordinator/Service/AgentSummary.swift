package import Transcripts

/// An agent that can be asked, in a list.
package struct AgentSummary: Codable, Sendable, Equatable {
  package var name: String
  package var description: String
  /// The window of its model in tokens, as far as it is configured.
  package var contextSize: Int?
  /// Whether it begins sessions for which no agent is named.
  package var isBeginner = false
  /// Whether it can call functions that a client offers.
  package var takesClientTools = false
  /// What it declares to need besides its model, and what the agents need to which it can pass the
  /// baton or which it can phone, and theirs: what its turns may reach where all is allowed.
  package var permissions: [Permission] = []
}

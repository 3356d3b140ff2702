package import Foundation
package import Transcripts
package import Wire

/// A worker as a person is shown it.
package struct WorkerStatus: Sendable, Equatable, Codable {
  package enum Role: String, Sendable, Codable {
    /// The worker holds the baton.
    case baton
    /// The worker has held the baton and keeps its context.
    case waiting
    case friend
  }

  package enum State: String, Sendable, Codable {
    case loading, idle, responding
    /// The worker waits for a person to approve a call.
    case asking
    /// The worker waits for the client to perform calls.
    case waitingForClient = "waiting"
  }

  package var run: String
  package var pid: Int32
  package var agent: String
  /// The session that the worker belongs to, directly or as a friend.
  package var session: String
  package var role: Role
  package var state: State
  /// The tools that are running, in the order of the calls.
  package var tools: [String]
  package var model: String?
  /// The tokens that the worker and its friends, also those that are gone, have read and written.
  package var tokensIn: Int
  package var tokensCached: Int
  package var tokensOut: Int
  package var tokensPerSecond: Double
  /// The tokens of its last request and answer together.
  package var contextTokens: Int?
  /// The size of its window, in tokens.
  package var contextSize: Int?
  /// The proportional set size, in bytes.
  package var memory: Int?
  package var launched: Date
  package var launcher: String
  /// The host on which it runs; `nil` for the coordinator's.
  package var host: String?
  /// Its place in the queue for a core, one for the next; `nil` if it does not wait.
  package var corePlace: Int?
  /// How far it has come with loading its model or computing its prompt, if that takes long.
  package var progress: WorkProgress?
  /// The server that its request waits for; `nil` if it does not wait.
  package var serverWait: ServerWait?
  /// The workers of the friends that are answering this worker.
  package var friends: [WorkerStatus]
}

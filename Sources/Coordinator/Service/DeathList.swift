package import Foundation
package import Journal

/// The processes that have died since the coordinator started.
package struct DeathList: Codable, Sendable, Equatable {
  /// How many deaths are listed in full.
  static let longest = 20

  package var count: Int
  /// The deaths, latest first.
  package var latest: [DeathStatus]
  /// Why the deaths cannot be read from the journal; `nil` when they can.
  package var problem: String?

  package init(_ reader: JournalReader, since start: Date) async throws {
    count = try await reader.deathCount(since: start)
    latest = []
    guard count > 0 else { return }
    for run in try await reader.deaths(since: start, limit: Self.longest) {
      let session = try await reader.session(of: run.conversation)
      latest.append(DeathStatus(run, session: session))
    }
  }

  /// Makes an empty list for deaths that cannot be read.
  package init(problem: String) {
    (count, latest) = (0, [])
    self.problem = problem
  }
}

/// A process that has died.
package struct DeathStatus: Codable, Sendable, Equatable {
  package var run: String
  package var pid: Int32
  package var agent: String
  /// The session; `nil` for a template, which belongs to none.
  package var session: String?
  package var role: String
  /// The host on which it ran; `nil` for the coordinator's.
  package var host: String?
  package var ended: Date
  /// The kind of death, in a word.
  package var cause: String
  /// How it ended, in words.
  package var outcome: String
  /// The tokens that it generated during its life.
  package var tokensOut: Int

  init(_ run: RunRecord, session: String?) {
    self.run = run.id
    pid = run.pid
    agent = run.agent
    self.session = session
    role = run.role.rawValue
    host = run.host
    ended = run.ended ?? run.started
    cause = run.cause ?? ""
    outcome = run.outcome ?? ""
    tokensOut = run.tokensOut
  }
}

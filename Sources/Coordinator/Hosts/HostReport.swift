package import Foundation
import Outposts
import Transcripts
package import Wire

/// A host as a person is shown it.
package struct HostReport: Codable, Sendable, Equatable {
  package var name: String
  /// The entry of `hosts.json` that it belongs to, if it is one of several.
  package var group: String?
  /// `off`, `queued`, `starting`, `up`, `suspect`, `lost`, `draining`, or `stopped` by a person.
  package var state: String
  /// Why it is queued, what went wrong the last time, or why it has not connected back.
  package var reason: String?
  package var since: Date
  package var workers: Int
  /// How busy its cores are; `nil` where it has not reported.
  package var cores: CoreLoad?
  /// Its memory and what is free of it, in bytes.
  package var memory: Int?
  package var freeMemory: Int?
  /// The agents that are ready there.
  package var templates: [String]
  package var system: String?
  /// The identifiers under which an engine knows it.
  package var engine: [String: String]?

  init(_ status: HostStatus, group: String?, isStopped: Bool, problem: String?) {
    name = status.name
    self.group = group
    state = isStopped && status.state == .off ? "stopped" : status.state.word
    reason = status.state.reason ?? problem ?? status.connectBack?.problem
    since = status.since
    workers = status.workers
    // What it reported says nothing about one that is gone.
    let isThere = [.up, .suspect, .draining].contains(status.state)
    let (machine, vitals) = isThere ? (status.machine, status.vitals) : (nil, nil)
    cores = vitals?.cores
    memory = machine?.memory
    freeMemory = vitals?.memory
    templates = vitals?.templates ?? []
    system = machine?.system
    engine = machine.flatMap { $0.engine.isEmpty ? nil : $0.engine }
  }
}

/// What a person has a host do.
package struct HostChange: Codable, Sendable, Equatable {
  package enum Action: String, Codable, Sendable, CaseIterable {
    case start
    /// It gets no further worker, and ends when it has none.
    case drain
    /// It ends now, and its workers with it.
    case stop
  }

  /// The host, or a group of them.
  package var host: String
  package var action: Action

  package init(host: String, action: Action) { (self.host, self.action) = (host, action) }
}

/// Why an agent cannot run where it should, or a host cannot be used.
package struct HostError: CodedError, Equatable {
  package let code: ErrorCode
  package let description: String
  let reasons: [String]

  init(agent: String, requirement: HostRequirement?, reasons: [String]) {
    self.reasons = reasons
    code = .unavailable
    let words = reasons.map(\.withFullStop).joined(separator: " ")
    description =
      "The agent '\(agent)' requires the host '\(requirement.map(\.description) ?? "any")': \(words)"
      + " 'orchestrator hosts' lists the hosts."
  }

  private init(_ code: ErrorCode, _ description: String) {
    (self.code, self.description, reasons) = (code, description, [])
  }

  static func unknown(_ name: String, known: [String], _ caveat: String?) -> HostError {
    let words = known.isEmpty ? "There are none." : "Hosts: \(known.joined(separator: ", "))."
    let parts = ["There is no host '\(name)'.", words, caveat].compactMap(\.self)
    return HostError(.notFound, parts.joined(separator: " "))
  }

  /// - Parameter members: Each host that was to be started, and why it was not.
  static func notStarted(_ members: [(name: String, problem: String?)], of name: String)
    -> HostError
  {
    let problems = members.compactMap(\.problem).map(\.withFullStop)
    guard members.count > 1 else { return HostError(.unavailable, problems.joined()) }
    let up = members.filter { $0.problem == nil }.map(\.name)
    let rest = up.isEmpty ? "" : " Up: \(up.joined(separator: ", "))."
    return HostError(
      .unavailable,
      "\(problems.count) of the \(members.count) hosts of '\(name)' could not be started. "
        + problems.joined(separator: " ") + rest
    )
  }
}

extension ConnectBack {
  fileprivate var problem: String? {
    if case .failed(let problem) = self { "has not connected back: \(problem)" } else { nil }
  }
}

extension HostState {
  fileprivate var reason: String? { if case .queued(let reason) = self { reason } else { nil } }
}

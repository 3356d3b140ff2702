import Foundation
import Outposts
import Transcripts
import Wire

/// A host in the pool.
struct HostMember {
  let definition: HostDefinition
  var host: any RemoteHost
  /// What it has reported last.
  var status: HostStatus
  var failures = HostFailures()
  /// Whether a person has stopped it; nothing starts it but a person.
  var isStopped = false
  /// Its end, after which another host takes its place.
  var closing: Task<Void, Never>?

  /// The entry of `hosts.json` that it belongs to.
  var group: String { definition.group ?? definition.name }
}

extension HostMember {
  func obstacle(at now: ContinuousClock.Instant) -> String? {
    let name = definition.name
    if isStopped { return "\(name) was stopped by a person." }
    if let problem = failures.obstacle(at: now) { return problem }
    switch status.state {
    case .suspect: return "\(name) has not been heard of for some seconds."
    case .draining: return "\(name) is being drained."
    case .off, .queued, .starting, .up, .lost: break
    }
    if let most = definition.limits.workers, status.workers >= most {
      return "\(name) has its \(most.counted("worker")) already."
    }
    return nil
  }

  func candidate(
    for agent: String,
    at now: ContinuousClock.Instant
  ) -> Placement.Candidate {
    var candidate = Placement.Candidate(
      name: definition.name,
      group: group,
      readiness: status.state.readiness,
      obstacle: obstacle(at: now)
    )
    // What it once reported says nothing about an outpost that is gone.
    guard case .up = status.state else {
      candidate.freeMemory = definition.limits.memory
      return candidate
    }
    candidate.isWarm = status.vitals?.templates.contains(agent) ?? false
    candidate.freeCores = status.vitals.map { $0.cores.cores - $0.cores.busy - $0.cores.waiting }
    candidate.freeMemory = status.vitals?.memory
    return candidate
  }
}

extension HostState {
  fileprivate var readiness: Placement.Candidate.Readiness {
    switch self {
    case .up, .suspect, .draining: .up
    case .starting: .starting
    case .queued, .off, .lost: .off
    }
  }
}

import Transcripts

/// Decides on which machine a worker runs.
///
/// A pure value: what is known of the machines at one moment.
struct Placement: Sendable, Equatable {
  /// What this machine has.
  struct LocalCapacity: Sendable, Equatable {
    var freeCores: Int
    /// In bytes; `nil` if unknown.
    var freeMemory: Int?
  }

  /// What is known of a host.
  struct Candidate: Sendable, Equatable {
    /// How soon a worker could be there, the soonest first.
    enum Readiness: Int, Sendable, Comparable {
      case up, starting, off

      static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    var name: String
    /// The entry of `hosts.json` that it belongs to.
    var group: String
    var readiness: Readiness
    /// Why it can get no worker now; `nil` if it can.
    var obstacle: String?
    /// Whether the agent has a template there.
    var isWarm = false
    /// `nil` where it has not reported.
    var freeCores: Int?
    var freeMemory: Int?

    var hasFreeCore: Bool { freeCores.map { $0 > 0 } ?? true }
  }

  enum Decision: Sendable, Equatable {
    case here
    case host(String)
    /// No host will do, for these reasons.
    case none([String])
  }

  var home: LocalCapacity
  var hosts: [Candidate]

  /// Decides for an agent.
  /// - Parameters:
  ///   - staysIfFree: Whether the agent, which requires nothing, may leave this machine only when all
  ///     its cores compute; one that reads files here may not leave at all.
  func decide(_ requirement: HostRequirement?, mayLeave: Bool = true) -> Decision {
    switch requirement {
    case .named(HostRequirement.localName): .here
    case .named(let name): among(hosts.filter { $0.name == name || $0.group == name }, of: name)
    case .any(let memory): anywhere(memory?.bytes ?? 0)
    case nil: byDefault(mayLeave: mayLeave)
    }
  }

  private func among(_ hosts: [Candidate], of name: String) -> Decision {
    guard !hosts.isEmpty else { return .none(["there is no host '\(name)'"]) }
    return best(of: hosts).map { .host($0.name) } ?? .none(hosts.compactMap(\.obstacle))
  }

  /// A machine with so much free memory: best a warm one, then this one, then any.
  private func anywhere(_ memory: Int) -> Decision {
    let fitting = hosts.filter { ($0.freeMemory ?? .max) >= memory }
    let fitsHere = (home.freeMemory ?? .max) >= memory
    let best = best(of: fitting)
    if let best, best.isWarm, best.hasFreeCore, best.readiness == .up { return .host(best.name) }
    if fitsHere, home.freeCores > 0 { return .here }
    if let best, best.readiness == .up || !fitsHere { return .host(best.name) }
    if fitsHere { return .here }
    return .none(hosts.map { $0.obstacle ?? "\($0.name) has too little free memory" })
  }

  /// Here, unless all cores compute and a host has the agent ready.
  private func byDefault(mayLeave: Bool) -> Decision {
    guard mayLeave, home.freeCores <= 0 else { return .here }
    let ready = hosts.filter {
      $0.readiness == .up && $0.isWarm && ($0.freeCores ?? 0) > 0
    }
    return best(of: ready).map { .host($0.name) } ?? .here
  }

  /// The host on which a worker could soonest compute; the first of equal ones.
  private func best(of hosts: [Candidate]) -> Candidate? {
    hosts.filter { $0.obstacle == nil }.min { one, other in
      if one.readiness != other.readiness { return one.readiness < other.readiness }
      if one.hasFreeCore != other.hasFreeCore { return one.hasFreeCore }
      if one.isWarm != other.isWarm { return one.isWarm }
      return (one.freeCores ?? 0) > (other.freeCores ?? 0)
    }
  }
}

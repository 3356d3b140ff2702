import Coordination
import Foundation
import Logging
import Outposts
import Supervision
import Transcripts
import Wire

/// The other machines of a coordinator: opens their outposts when they are needed, and chooses
/// among them.
package actor OutpostPool {
  /// Makes the host of a definition, which reports its status whenever its state changes.
  typealias HostMaker =
    @Sendable (HostDefinition, @escaping @Sendable (HostStatus) -> Void) -> any RemoteHost

  /// A launch that waits for its host.
  private struct Launch {
    let run: RunID
    let host: String
    /// What it was told last that it waits for.
    var wait: HostWait?
    let onWait: @Sendable (LaunchObstacle) -> Void
  }

  /// In the order of their definitions.
  var members: [HostMember] = []
  private var launches: [Int: Launch] = [:]
  private var lastLaunch = 0
  var isClosed = false
  let make: HostMaker
  private let logger: Logger
  /// What hosts report, from any thread, in order.
  private nonisolated let reported: AsyncStream<HostStatus>
  nonisolated let report: AsyncStream<HostStatus>.Continuation
  /// Why there may be fewer hosts than a person expects.
  let caveat: String?

  init(
    _ definitions: [HostDefinition],
    caveat: String? = nil,
    logger: Logger,
    make: @escaping HostMaker
  ) {
    (self.make, self.logger, self.caveat) = (make, logger, caveat)
    (reported, report) = AsyncStream<HostStatus>.makeStream()
    for definition in definitions {
      for member in definition.members {
        members.append(
          HostMember(
            definition: member,
            host: make(member) { [report] in report.yield($0) },
            status: HostStatus(name: member.name)
          )
        )
      }
    }
  }

  /// Hears what becomes of the hosts, until the task is cancelled.
  func watch() async { for await status in reported { changed(status) } }

  // MARK: Launching

  /// Places a worker on a host.
  ///
  /// Where the one that was chosen fails, others are tried, and this machine last.
  /// - Parameter home: What this machine has now.
  /// - Returns: `nil` if the worker is to run on this machine.
  /// - Throws: `HostError`, `CancellationError`.
  func launch(
    _ agent: LaunchableAgent,
    _ configuration: WorkerConfiguration,
    home: Placement.LocalCapacity,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> (any WorkerLink)? {
    guard !members.isEmpty || agent.declaration?.host != nil else { return nil }
    var tried: [String: String] = [:]
    while true {
      await refresh()
      try Task.checkCancellation()
      guard !isClosed else { throw CancellationError() }
      switch placement(of: agent, home, except: tried)
        .decide(agent.declaration?.host, mayLeave: agent.mayLeave)
      {
      case .here:
        if let problem = tried.values.first { note(problem, of: agent, onWait) }
        return nil
      case .none(let reasons):
        let problem = HostError(
          agent: agent.name,
          requirement: agent.declaration?.host,
          reasons: reasons + [caveat].compactMap(\.self)
        )
        guard mayStay(agent) else { throw problem }
        note(problem.reasons.first ?? "No host has enough memory", of: agent, onWait)
        return nil
      case .host(let name):
        do {
          return try await place(configuration.forHosts, on: name, onWait)
        } catch let error as CancellationError {
          throw error
        } catch {
          let problem = String(describing: error)
          tried[name] = problem
          if error.isFailureOfHost { failed(name, problem) }
        }
      }
    }
  }

  /// Whether an agent can do with this machine where its host is not there.
  private func mayStay(_ agent: LaunchableAgent) -> Bool {
    guard case .named(let name) = agent.declaration?.host else { return true }
    // The files that it names are those of its host. A host that there never was is a mistake.
    return agent.mayLeave && !indices(of: name).isEmpty
  }

  private func place(
    _ configuration: WorkerConfiguration,
    on name: String,
    _ onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    guard let index = index(of: name) else { throw CancellationError() }
    lastLaunch += 1
    let launch = lastLaunch
    launches[launch] = Launch(run: configuration.run, host: name, onWait: onWait)
    defer { launches[launch] = nil }
    if members[index].status.state != .up {
      tell(launch, HostWait(members[index].status) ?? HostWait(host: name, state: .starting))
    }
    let worker = try await members[index].host.place(configuration) { onWait(.memory($0)) }
    if let index = self.index(of: name) { members[index].failures.clear() }
    return worker
  }

  private func tell(_ launch: Int, _ wait: HostWait) {
    guard launches[launch]?.wait != wait else { return }
    launches[launch]?.wait = wait
    launches[launch]?.onWait(.host(wait))
  }

  /// The workers that wait for a host.
  var waits: [(run: RunID, wait: HostWait)] {
    launches.sorted { $0.key < $1.key }.compactMap { _, launch in
      launch.wait.map { (launch.run, $0) }
    }
  }

  private func note(
    _ problem: String,
    of agent: LaunchableAgent,
    _ onWait: @Sendable (LaunchObstacle) -> Void
  ) {
    onWait(.elsewhere("\(problem.withFullStop) '\(agent.name)' runs on this machine instead."))
  }

  private func failed(_ name: String, _ problem: String) {
    logger.notice("\(problem)")
    guard let index = index(of: name) else { return }
    members[index].failures.record(problem, at: .now)
  }

  /// Keeps a worker ready for an agent where it would run, if that is not this machine.
  /// - Parameter caller: The host of the agent that may phone it; where it may run as well if it
  ///   requires none.
  /// - Returns: Whether it would run on this machine too.
  func expect(
    _ agent: LaunchableAgent,
    _ configuration: WorkerConfiguration,
    home: Placement.LocalCapacity,
    caller: String? = nil
  ) async -> Bool {
    guard !members.isEmpty else { return true }
    await refresh()
    let requirement = agent.declaration?.host
    var chosen: String?
    if requirement == nil {
      if agent.mayLeave { chosen = caller }
    } else if case .host(let name) = placement(of: agent, home).decide(requirement) {
      chosen = name
    }
    if let chosen, let index = index(of: chosen), members[index].obstacle(at: .now) == nil {
      await members[index].host.expect(configuration.forHosts)
    }
    return requirement == nil || chosen == nil
  }

  // MARK: Choosing

  private func placement(
    of agent: LaunchableAgent,
    _ home: Placement.LocalCapacity,
    except tried: [String: String] = [:]
  ) -> Placement {
    Placement(
      home: home,
      hosts: members.map { member in
        var candidate = member.candidate(for: agent.name, at: .now)
        candidate.obstacle = tried[member.definition.name] ?? candidate.obstacle
        return candidate
      }
    )
  }

  private func index(of name: String) -> Int? {
    members.firstIndex { $0.definition.name == name }
  }

  /// The host of a name, or all of the group.
  func indices(of name: String) -> [Int] {
    members.indices.filter {
      members[$0].group == name || members[$0].definition.name == name
    }
  }

  /// Reads what hosts have reported since.
  func refresh() async {
    for host in members.map(\.host) { changed(await host.status) }
  }

  private func changed(_ status: HostStatus) {
    guard let index = index(of: status.name) else { return }
    let before = members[index].status
    members[index].status = status
    guard before.state != status.state else { return }
    logger.info("host \(status.name): \(status.state.word)")
    guard let wait = HostWait(status) else { return }
    for (launch, _) in launches.filter({ $0.value.host == status.name }) { tell(launch, wait) }
  }
}

extension Error {
  /// Whether the host is to be left alone for a while.
  fileprivate var isFailureOfHost: Bool {
    // Another worker may need less memory, and two launches may have found the last place free.
    if case .full? = self as? OutpostError { return false }
    return !(self is MemoryShortage)
  }
}

extension HostWait {
  /// `nil` where there is nothing to wait for.
  fileprivate init?(_ status: HostStatus) {
    switch status.state {
    case .queued(let reason): self.init(host: status.name, state: .queued, reason: reason)
    case .starting: self.init(host: status.name, state: .starting)
    case .off, .up, .suspect, .lost, .draining: return nil
    }
  }
}

extension LaunchableAgent {
  /// Whether the agent finds on another machine what it needs, or does not say what it needs here.
  fileprivate var mayLeave: Bool {
    declaration?.permissions.allSatisfy { $0 == .network } ?? true
  }
}

extension WorkerConfiguration {
  /// The configuration without what holds for this machine alone.
  fileprivate var forHosts: WorkerConfiguration {
    var configuration = self
    // Links are resolved where the files are.
    configuration.confinement?.places = [:]
    return configuration
  }
}

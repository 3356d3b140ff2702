package import Outposts
package import Plugins
import Supervision
package import Wire

/// Starts a host's outpost, to see what is there, and ends it.
package struct HostProbe: Sendable {
  private let kit: AgentToolchain
  private let folders: Folders
  private let mode: Confinement.Mode
  private let environment: [String: String]

  package init(
    _ kit: AgentToolchain,
    _ folders: Folders,
    _ mode: Confinement.Mode,
    environment: [String: String]
  ) {
    (self.kit, self.folders, self.mode, self.environment) = (kit, folders, mode, environment)
  }

  /// What an outpost tells, and how long it took until it could be used.
  package struct Finding: Sendable {
    package let machine: OutpostMachine
    package let start: Duration
    package let connectBack: ConnectBack?
    /// How long a short message takes there and back, and one of 4,000 bytes.
    package let roundTrips: (short: Duration, long: Duration)
  }

  /// - Throws: `OutpostError` where it cannot be used.
  package func probe(_ host: HostDefinition) async throws -> Finding {
    let outpost = Outpost(
      host,
      parts: HomeParts(
        executable: kit.worker,
        fingerprint: kit.fingerprint,
        confinement: Confinement(mode: mode),
        environment: environment,
        log: { [folders] in folders.log(of: $0.description) }
      ),
      eventLoop: try ChildEventLoop()
    )
    do {
      let finding = try await examine(outpost)
      await outpost.close()
      return finding
    } catch {
      await outpost.close()
      throw error
    }
  }

  private func examine(_ outpost: Outpost) async throws -> Finding {
    let begin = ContinuousClock.now
    try await outpost.start()
    let start = begin.duration(to: .now)
    let roundTrips = (try await outpost.roundTrip(of: 16), try await outpost.roundTrip(of: 4000))
    let status = await outpost.status
    guard let machine = status.machine else {
      throw OutpostError.notGreeted(host: outpost.host.name, lastLines: [])
    }
    return Finding(
      machine: machine,
      start: start,
      connectBack: status.connectBack,
      roundTrips: roundTrips
    )
  }
}

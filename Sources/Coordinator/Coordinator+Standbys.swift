import Coordination
import Foundation
import Plugins
import Supervision
import Transcripts
import Wire

extension Standby {
  fileprivate var modelName: String? { model.map { URL(filePath: $0).lastPathComponent } }
}

extension Coordinator {
  /// Prepares templates while the person types.
  ///
  /// The template of the agent that will answer comes first, then those of the others.
  package func warm(all: Bool) async {
    guard let beginner = await catalog.beginner() else { return }
    let others = (try? await catalog.plugins())?.map(\.description.name) ?? []
    for name in [beginner] + (all ? others.filter { $0 != beginner } : []) {
      guard !Task.isCancelled, let agent = await catalog.agent(named: name) else { return }
      await workers.prepare(agent)
    }
    guard all, let agent = await catalog.agent(named: beginner) else { return }
    await workers.expectFriends(of: agent)
  }

  /// Returns the workers that wait for memory or for hosts, as a person is shown them.
  func launches() async -> [LaunchStatus] {
    roster.memoryWaits.map { LaunchStatus(run: $0.run.description, wait: LaunchWait($0)) }
      + (await workers.hosts.waits).map { LaunchStatus(run: $0.run.description, host: $0.wait) }
  }

  /// Returns the templates and spares, as a person is shown them.
  func standbys() async -> [StandbyStatus] {
    await roster.standbys().map { standby in
      StandbyStatus(
        run: standby.run.description,
        pid: standby.pid,
        name: standby.name,
        role: standby.kind.rawValue,
        isReady: standby.isReady,
        model: standby.modelName,
        memory: ProcessMemory.proportional(of: standby.pid),
        launched: standby.launched,
        corePlace: cores.wait(of: standby.run)?.place,
        progress: standby.progress
      )
    }
  }
}

extension LaunchWait {
  init(_ wait: MemoryWait) {
    self.init(place: wait.place, needed: wait.needed, free: wait.free)
  }
}

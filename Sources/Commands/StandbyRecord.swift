import Coordination
import Foundation
import Inspection
import Journal
import Plugins
import Supervision
import Transcripts
import Wire

/// Journals the runs of templates and spares, beside those of workers.
struct StandbyRecord: Sendable {
  let journal: Journal
  let note: @Sendable (String) -> Void

  /// Writes until there are no more of them.
  func keep(_ lives: AsyncStream<StandbyLife>) async {
    for await life in lives {
      do {
        switch life {
        case .began(let standby): try await journal.beginRun(RunRecord(standby))
        case .ended(let run, let death):
          try await journal.endRun(
            run.description,
            outcome: death.description,
            cause: death.kind
          )
        }
      } catch {
        // A failed write loses the record, but not the template.
        note(String(describing: error))
      }
    }
  }
}

extension Standby {
  fileprivate var modelName: String? { model.map { URL(filePath: $0).lastPathComponent } }
}

extension RunRecord {
  fileprivate init(_ standby: Standby) {
    let role: Role =
      switch standby.kind {
      case .template: .template
      case .spare: .spare
      }
    self.init(
      id: standby.run.description,
      agent: standby.name,
      role: role,
      conversation: nil,
      pid: standby.pid,
      launcher: "local",
      model: standby.modelName,
      log: standby.log,
      started: standby.launched
    )
  }
}

extension Coordinator {
  /// Prepares templates while the person types.
  ///
  /// The template of the agent that will answer comes first; those of the others follow when nobody
  /// waits for the machine.
  func warm(all: Bool) async {
    guard let beginner = await catalog.beginner() else { return }
    let others = (try? await catalog.plugins())?.map(\.description.name) ?? []
    for name in [beginner] + (all ? others.filter { $0 != beginner } : []) {
      guard !Task.isCancelled, let agent = await catalog.agent(named: name) else { return }
      guard let hello = try? LocalWorkers.hello(agent, run: .new(agent: name), settings) else {
        continue
      }
      await roster.prepare(hello)
    }
    guard all, let agent = await catalog.agent(named: beginner) else { return }
    await workers.expectFriends(of: agent)
  }

  /// Returns the workers that wait for memory, as a person is shown them.
  func launches() -> [LaunchStatus] {
    roster.memoryWaits.map { LaunchStatus(run: $0.run.description, wait: LaunchWait($0)) }
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
        corePlace: cores.wait(of: standby.run)?.place
      )
    }
  }
}

extension LaunchWait {
  init(_ wait: MemoryWait) {
    self.init(place: wait.place, needed: wait.needed, free: wait.free)
  }
}

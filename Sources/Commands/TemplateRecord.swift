import AgentKit
import Coordination
import Foundation
import Inspection
import Journal
import Plugins
import Supervision
import Wire

/// Keeps the lives of templates in the journal, beside those of workers.
struct TemplateRecord: Sendable {
  let journal: Journal
  let note: @Sendable (String) -> Void

  /// Writes until there are no more lives.
  func keep(_ lives: AsyncStream<TemplateLife>) async {
    for await life in lives {
      do {
        switch life {
        case .began(let template): try await journal.beginRun(RunRecord(template))
        case .ended(let run, let death):
          try await journal.endRun(
            run.description,
            outcome: death.description,
            cause: death.kind
          )
        }
      } catch {
        // What cannot be written costs the record, and not the template.
        note(String(describing: error))
      }
    }
  }
}

extension RunRecord {
  fileprivate init(_ template: LivingTemplate) {
    self.init(
      id: template.run.description,
      agent: template.name,
      role: .template,
      conversation: nil,
      pid: template.pid,
      launcher: "local",
      model: URL(filePath: template.model).lastPathComponent,
      log: template.log,
      started: template.launched
    )
  }
}

extension Coordinator {
  /// Makes templates ready while the person types: first that of the agent which will answer, then,
  /// where nobody waits for the machine, those of the others.
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
  }

  /// The workers that wait for memory, as a person is shown them.
  func launches() -> [LaunchStatus] {
    roster.memoryWaits.map { LaunchStatus(run: $0.run.description, wait: LaunchWait($0)) }
  }

  /// The templates, as a person is shown them.
  func templates() async -> [TemplateStatus] {
    await roster.templateProcesses().map { template in
      TemplateStatus(
        run: template.run.description,
        pid: template.pid,
        name: template.name,
        isReady: template.isReady,
        model: URL(filePath: template.model).lastPathComponent,
        memory: ProcessMemory.proportional(of: template.pid),
        launched: template.launched,
        corePlace: cores.wait(of: template.run)?.place
      )
    }
  }
}

extension LaunchWait {
  init(_ wait: MemoryWait) {
    self.init(place: wait.place, needed: wait.needed, free: wait.free)
  }
}

import Foundation
import Outposts
import Plugins
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

/// An outpost on this machine, with the shipped agents on the shipped model here.
struct OutpostStage: Sendable {
  let outpost: Outpost
  let states: States
  /// The folder of logs, and of the outpost's own files.
  let folder: String
  let home: WarmStage

  /// What an outpost's state has been, in order.
  final class States: Sendable {
    private let states = Mutex<[HostState]>([])

    var all: [HostState] { states.withLock { $0 } }

    func note(_ state: HostState) { states.withLock { $0.append(state) } }
  }

  /// Sets up the stage and checks afterwards that no process and no file of the outpost is left.
  static func set(
    launch: (String) -> [String] = { ["sh", "-c", "exec '\($0)' --outpost"] },
    models: [String: String]? = nil,
    timeouts: OutpostTimeouts = .standard,
    keepsPrefixes: Bool = false,
    change: (inout HostDefinition) -> Void = { _ in },
    _ body: (OutpostStage) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let worker = try await Troupe.shared().worker
    let environment = ["PATH": "/usr/bin:/bin", "TMPDIR": folder]
    let parts = HomeParts(
      executable: worker,
      fingerprint: try await Troupe.shared().fingerprint,
      confinement: Confinement(mode: .required),
      environment: environment
    ) { "\(folder)/\($0).log" }
    var host = HostDefinition(name: "there", launch: launch(worker), models: models)
    change(&host)
    let (states, eventLoop) = (States(), try ChildEventLoop())
    try await WarmStage.set(templates: false, keepsPrefixes: keepsPrefixes) { [host] home in
      let outpost = Outpost(host, parts: parts, timeouts: timeouts, eventLoop: eventLoop) {
        states.note($0.state)
      }
      let stage = OutpostStage(outpost: outpost, states: states, folder: folder, home: home)
      var failure: (any Error)?
      do { try await body(stage) } catch { failure = error }
      let pid = await outpost.status.machine?.pid
      await outpost.close()
      if let pid { #expect(await Stranger.hasGone(pid)) }
      if let failure { throw failure }
    }
  }

  /// Launches a worker of a shipped agent there.
  func worker(_ agent: String) async throws -> OutpostWorker {
    try await outpost.launch(home.configuration(agent))
  }

  /// What all processes there have logged.
  var logs: String {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".log") }
      .compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
  }

  func ask(_ agent: String, _ question: String) async throws -> WarmWorker.Answer {
    let worker = try await worker(agent)
    let answer = try await WarmWorker.ask(question, worker.events) { try worker.send($0) }
    await worker.end(by: .retire)
    #expect(worker.hasEnded)
    #expect(!answer.entries.isEmpty)
    return answer
  }
}

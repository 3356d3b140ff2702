import AgentKit
import Foundation
import Supervision
import TestSupport
import Wire

/// Workers that try to break out, and targets for them to reach.
final class Prison: Sendable {
  /// The outcome of an attempt.
  enum Outcome: Equatable {
    case escaped
    case held(String)
    case died(Death.Cause)
  }

  /// How its workers are created.
  enum Origin: CaseIterable {
    /// Started from scratch.
    case nothing
    /// Forked from a template: one that has loaded nothing, or one with a model and an agent.
    case program, agent
  }

  /// A secret in the memory of this process, which is the coordinator here.
  nonisolated(unsafe) private static let kept = strdup("kept in memory")

  let roster: Roster
  private let folder: String
  private let plugin: String
  private let origin: Origin
  private let permissions: [Permission]

  /// Opens a prison and removes it afterwards.
  /// - Parameters:
  ///   - permissions: What its workers are allowed, given the folder of the targets.
  ///   - isForeseen: Whether its templates kept that open for them.
  ///   - others: What its templates kept open for other agents.
  static func open(
    _ mode: Confinement.Mode,
    from origin: Origin = .nothing,
    permissions: (String) -> [Permission] = { _ in [] },
    isForeseen: Bool = true,
    others: [Permission] = [],
    _ body: (Prison) async throws -> Void
  ) async throws {
    let prison = try await Prison(mode, origin, permissions, isForeseen, others)
    defer { try? FileManager.default.removeItem(atPath: prison.folder) }
    var failure: (any Error)?
    do { try await body(prison) } catch { failure = error }
    await prison.roster.close()
    if let failure { throw failure }
  }

  private init(
    _ mode: Confinement.Mode,
    _ origin: Origin,
    _ permissions: (String) -> [Permission],
    _ isForeseen: Bool,
    _ others: [Permission]
  ) async throws {
    let troupe = try await Troupe.shared()
    plugin = troupe.plugin("prisoner")
    self.origin = origin
    // The path is short because a socket lies in it.
    folder = "/tmp/orch-\(UUID().uuidString.prefix(8))"
    self.permissions = permissions(folder + "/targets")
    for made in ["/scratch/other", "/targets"] {
      try FileManager.default.createDirectory(
        atPath: folder + made,
        withIntermediateDirectories: true
      )
    }
    roster = try Roster(
      executable: troupe.worker,
      timeouts: Stage.timeouts,
      templateLogs: origin == .nothing ? nil : folder,
      sandbox: SandboxPolicy(
        templates: Confinement(
          mode: mode,
          scratch: folder + "/scratch",
          plugins: (plugin as NSString).deletingLastPathComponent,
          permissions: (isForeseen ? self.permissions : []) + others
        )
      )
    )
  }

  /// Makes an attempt in a worker of its own.
  func attempt(_ how: String) async throws -> Outcome {
    let targets = try Targets(folder: "\(folder)/targets/\(UUID().uuidString.prefix(8))")
    defer { targets.remove() }
    try Targets.write("a secret", to: folder + "/scratch/other/secret")
    let other = try await worker()
    let address = try await ask(other, "address").answer?.split(separator: " ").last
    let prisoner = try await worker()
    let question = targets.words(
      how,
      coordinator: Targets.Victim(pid: getpid(), address: UInt(bitPattern: Self.kept)),
      other: Targets.Victim(pid: other.pid, address: address.flatMap { UInt($0) } ?? 0),
      plugin: plugin,
      home: folder
    )
    let end = try await ask(prisoner, question)
    collectForks(of: prisoner.pid)
    for worker in [other, prisoner] { worker.terminate(reason: .hung(seconds: 0)) }
    if let death = end.death { return .died(death.cause) }
    let answer = end.answer ?? ""
    return answer == "escaped" ? .escaped : .held(answer)
  }

  /// Reaps a worker's forks, which are children of this process in the worker's group.
  ///
  /// The roster reaps the worker itself.
  private func collectForks(of worker: Int32) {
    var ended = siginfo_t()
    while waitid(P_PGID, id_t(worker), &ended, WEXITED | WNOHANG | WNOWAIT) == 0,
      ended.si_signo == SIGCHLD, ended._sifields._sigchld.si_pid != worker
    {
      waitpid(ended._sifields._sigchld.si_pid, nil, WNOHANG)
      ended = siginfo_t()
    }
  }

  private func worker() async throws -> WorkerHandle {
    let configuration = WorkerConfiguration(
      run: .new(agent: "prisoner"),
      plugin: plugin,
      model: origin == .agent ? Repository.pocketModel : nil,
      contextSize: nil,
      confinement: Confinement(permissions: permissions)
    )
    return try await roster.launch(configuration, log: "\(folder)/\(configuration.run).log")
  }

  /// Sends one prompt, grants every request and returns the outcome.
  private func ask(
    _ worker: WorkerHandle,
    _ question: String
  ) async throws -> (answer: String?, death: Death?) {
    var answer: String?
    for await event in worker.events {
      switch event {
      case .message(.ready): try worker.send(.turn(Turns.prompt(question)))
      case .message(.unable(let inability)): return (inability.problem, nil)
      case .message(.ended): return (answer, nil)
      case .message(let message):
        answer = message.answer ?? answer
        if let reply = Turns.reply(to: message) { try worker.send(reply) }
      case .ended(let death): return (nil, death)
      }
    }
    return (answer, nil)
  }
}

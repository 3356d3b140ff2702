import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

/// Mistakes that a sanitizer must report, so that its silence elsewhere means something.
///
/// Enabled only when `deploy/sanitize` asks for it, because the reports remain and are expected by
/// its caller.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: Sanitizer.isProven, "only deploy/sanitize asks for mistakes"),
  .serialized
)
struct `A mistake on purpose is reported` {
  /// Why the thread sanitizer is not asked for the others.
  private static let unordered: Comment = "it does not see what libc writes for others"

  @Test func `in Swift`() async throws {
    let before = try Sanitizer.reported()
    await #expect(processExitsWith: .failure) { Sanitizer.makeMistake() }
    #expect(try Sanitizer.reported() > before)
  }

  @Test(.enabled(if: Sanitizer.name == "address", Self.unordered)) func `in C`() async throws {
    let before = try Sanitizer.reported()
    await #expect(processExitsWith: .failure) { Sanitizer.makeMistakeInC() }
    #expect(try Sanitizer.reported() > before)
  }

  @Test(.enabled(if: Sanitizer.name == "address", Self.unordered))
  func `in a confined worker that was forked`() async throws {
    let before = try Sanitizer.reported()
    let troupe = try await Troupe.shared()
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plugin = troupe.plugin("puppet")
    let roster = try Roster(
      executable: troupe.worker,
      timeouts: Stage.timeouts,
      templateLogs: folder,
      sandbox: SandboxPolicy(
        templates: Confinement(
          mode: .required,
          scratch: folder + "/scratch",
          plugins: (plugin as NSString).deletingLastPathComponent
        )
      )
    )
    let configuration = WorkerConfiguration(
      run: .new(agent: "puppet"),
      plugin: plugin,
      model: Repository.pocketModel,
      contextSize: nil
    )
    let worker = try await roster.launch(configuration, log: folder + "/log")
    #expect(await roster.standbys().contains { $0.kind == .template })
    try await Self.mistake(worker)
    await roster.close()
    #expect(try Sanitizer.reported() > before)
  }

  /// Makes a worker commit a mistake, which may or may not kill it.
  private static func mistake(_ worker: WorkerHandle) async throws {
    for await event in worker.events {
      switch event {
      case .message(.ready): try worker.send(.turn(Turns.prompt("do mistake")))
      case .message(.ended): return
      case .message(let message):
        if let reply = Turns.reply(to: message) { try worker.send(reply) }
      case .ended: return
      }
    }
  }
}

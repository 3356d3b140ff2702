import AgentKit
import Foundation
import Plugins
import Supervision
import Wire

/// From the launch of a friend to its first word, forked from a template against started from
/// nothing, on the model that ships.
enum FriendBenchmark {
  private static let runs = 15
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static func run() async throws -> Row {
    let folder = Products.temporaryFolder()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let kit = try await Kit(
      beside: Products.worker,
      environment: ProcessInfo.processInfo.environment
    )
    let plugins = try await PluginStore(folder: root + "/Agents", kit: kit, cache: folder).refresh()
    guard let title = plugins.first(where: { $0.description.name == "title" }) else {
      throw NoTitle()
    }
    let warm = try Roster(executable: kit.worker, templateLogs: folder)
    let cold = try Roster(executable: kit.worker)
    var forked = Sample("forked")
    var started = Sample("started from nothing")
    // The first of each makes the templates, and fills the page cache.
    for run in 0...runs {
      let times = [
        try await firstWord(of: title, warm, folder), try await firstWord(of: title, cold, folder),
      ]
      if run > 0 {
        forked.add(times[0])
        started.add(times[1])
      }
    }
    await warm.close()
    await cold.close()
    return Row(name: "friend: launch to first word", measured: forked, against: started)
  }

  struct NoTitle: Error {}

  private static func firstWord(
    of plugin: PluginStore.Plugin,
    _ roster: Roster,
    _ folder: String
  ) async throws -> Duration {
    let hello = Hello(
      run: .new(agent: "title"),
      plugin: plugin.library,
      model: root + "/deploy/models/pocket.gguf",
      contextSize: nil
    )
    let prompt = Transcript.Entry.prompt(
      .init(segments: [.text(.init(content: "A project about a paper boat"))])
    )
    let start = ContinuousClock.now
    var duration: Duration?
    let worker = try await roster.launch(hello, log: "\(folder)/\(hello.run).log")
    for await event in worker.events {
      switch event {
      case .message(.ready):
        try worker.send(.turn(TurnOrder(turn: 1, kept: 0, added: [prompt])))
      case .message(.admission):
        try worker.send(.admitted(turn: 1, .admitted(.go(maximumTokens: 50))))
      case .message(.text): duration = duration ?? (.now - start)
      case .message(.entry(_, let entry, _)):
        try worker.send(.recorded(turn: 1, entryID: entry.id, admittedCalls: 0))
      case .message(.ended): try worker.send(.shutdown)
      case .message, .ended: break
      }
    }
    return duration ?? .zero
  }
}

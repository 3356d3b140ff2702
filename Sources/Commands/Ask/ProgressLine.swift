import Coordination
import Coordinator
import Foundation
import Plugins
import Terminal
import Transcripts
import Wire

/// Shows on a terminal, in one line, what a turn waits for that takes long.
struct ProgressLine: Sendable {
  /// What is over sooner is not worth a line.
  private static let interval = Duration.seconds(1)

  private let service: any CoordinatorService
  private let session: String

  init(_ service: any CoordinatorService, session: String) {
    (self.service, self.session) = (service, session)
  }

  /// Runs until the task is cancelled.
  func run() async {
    guard isatty(STDERR_FILENO) == 1 else { return }
    defer { Terminal.status(nil) }
    while (try? await Task.sleep(for: Self.interval)) != nil {
      guard let tree = try? await service.processes(), !Task.isCancelled else { continue }
      Terminal.status(Self.line(for: session, in: tree))
    }
  }

  /// The line for a session; `nil` when it waits for nothing that takes long.
  static func line(for session: String, in tree: ProcessTree) -> String? {
    let workers = tree.workers.filter { $0.session == session }.flatMap(\.withFriends)
    for worker in workers {
      if let progress = worker.progress { return "\(worker.agent): \(progress.sentence)" }
    }
    if let compilation = tree.compilation { return compilation.sentence }
    // As long as none of its own does something, it may wait for what workers are forked from.
    guard !workers.contains(where: { $0.state == .responding || $0.state == .asking }) else {
      return nil
    }
    let standby = tree.standbys.first { !$0.isReady && $0.progress != nil }
    return standby.flatMap { standby in
      standby.progress.map { "\(standby.name): \($0.sentence)" }
    }
  }
}

extension Compilation {
  /// How far it is, and how long the rest takes.
  var sentence: String {
    let left = secondsLeft.map { ", \(WorkProgress.time($0)) left" } ?? ""
    return "compiling agents: \(done) of \(total) done\(left)"
  }
}

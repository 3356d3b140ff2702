import Foundation
import Supervision

/// A child of the tests' shared event loop, and everything that is reported about it.
struct RunningChild {
  /// The output and the end of a child.
  struct Life {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var order: [ChildEvent] = []
    var status: ExitStatus?

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  // The thread of an event loop never ends, so all tests share one.
  private static let shared = Result { try ChildEventLoop() }

  let eventLoop: ChildEventLoop
  let pid: Int32
  private let events: AsyncStream<ChildEvent>

  /// Starts a shell that runs a script.
  static func shell(_ script: String) async throws -> RunningChild {
    try await start("/bin/sh", ["-c", script])
  }

  static func start(
    _ executable: String,
    _ arguments: [String],
    environment: [String: String] = [:],
    killsGroup: Bool = true,
    keeping isKept: @escaping @Sendable (ChildEvent) -> Bool = { _ in true },
    react: @escaping @Sendable (ChildEvent) -> ChildReaction = { _ in .goOn }
  ) async throws -> RunningChild {
    let eventLoop = try shared.get()
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    let own = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    let launch = Launch(
      executable: executable,
      arguments: arguments,
      environment: own.merging(environment) { $1 },
      killsGroup: killsGroup
    )
    let pid = try await eventLoop.launch(launch) { event in
      if isKept(event) { continuation.yield(event) }
      if case .exited = event { continuation.finish() }
      return react(event)
    }
    return RunningChild(eventLoop: eventLoop, pid: pid, events: events)
  }

  func write(_ bytes: [UInt8]) { eventLoop.write(bytes, to: pid) }
  func write(_ text: String) { eventLoop.write(Array(text.utf8), to: pid) }
  func closeInput() { eventLoop.closeInput(of: pid) }
  func signal(_ signal: Int32) { eventLoop.signal(signal, to: pid) }

  /// Waits for the first line on standard output.
  func firstLine() async -> String {
    var line: [UInt8] = []
    for await event in events {
      guard case .output(let bytes) = event else { continue }
      line += bytes
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: line[..<end], as: UTF8.self)
      }
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Waits for the end of the child.
  func life() async -> Life {
    var life = Life()
    for await event in events {
      life.order.append(event)
      switch event {
      case .output(let bytes): life.output += bytes
      case .error(let bytes): life.error += bytes
      case .outputClosed: break
      case .exited(let status): life.status = status
      }
    }
    return life
  }
}

import Foundation

/// The built coordinator with hosts that are played.
final class SimulatedCoordinator: Sendable {
  private struct HostFile: Encodable {
    struct Host: Encodable {
      let name: String
      let launch: [String]
      let count: Int
      let maximumWorkers: Int
    }

    let hosts: [Host]
  }

  /// What it has used up to a moment.
  struct Load {
    /// The memory that it has to itself.
    let megabytes: Double
    /// The time on cores.
    let seconds: Double
  }

  private static let group = "played"
  private static let agent = """
    import AgentKit

    struct Player: Agent {
      let name = "player"
      let description = "is played"

      var body: some DynamicProfile {
        Profile { Instructions("You play.") }
          .model(ScriptedLanguageModel(deciding: { _ in .text("not played") }))
          .host("\(group)")
      }
    }
    """

  private let process: Process
  private let folder: String
  private let port: UInt16
  private let token: String

  init(hosts: Int, workers: Int, launch: [String]) async throws {
    // Short, because sockets lie in it.
    folder = "/tmp/bench-\(UUID().uuidString.prefix(8))"
    let agents = folder + "/Agents"
    try FileManager.default.createDirectory(atPath: agents, withIntermediateDirectories: true)
    try Self.agent.write(toFile: agents + "/Player.swift", atomically: true, encoding: .utf8)
    let file = HostFile(
      hosts: [
        .init(name: Self.group, launch: launch, count: hosts, maximumWorkers: workers)
      ]
    )
    try JSONEncoder().encode(file).write(to: URL(filePath: folder + "/hosts.json"))
    port = try LocalSocket.freePort()
    process = Process()
    process.executableURL = URL(filePath: Products.worker).deletingLastPathComponent()
      .appending(path: "orchestrator")
    process.arguments = [
      "start", "--no-chat", "--agents", agents, "--allow", "hosts.json", "--listen", "\(port)",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["ORCHESTRATOR_HOME": folder + "/home"]
    ) { $1 }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    do {
      token = try await Self.token(in: folder, port, process)
    } catch {
      Self.end(process, folder)
      throw error
    }
  }

  /// Waits until the coordinator can be asked.
  private static func token(
    in folder: String,
    _ port: UInt16,
    _ process: Process
  ) async throws -> String {
    let file = folder + "/home/run/token"
    let deadline = ContinuousClock.now + .seconds(120)
    while process.isRunning, ContinuousClock.now < deadline {
      if let token = try? String(contentsOfFile: file, encoding: .utf8),
        let isReady = try? isReady(port, token), isReady
      {
        return token
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw SimulateRow.Missing(what: "a coordinator")
  }

  private static func isReady(_ port: UInt16, _ token: String) throws -> Bool {
    var hasAgent = false
    let status = try LocalSocket.request(port, request("GET", "/v1/agents", port, token)) {
      if $0.contains("player") { hasAgent = true }
    }
    return status == 200 && hasAgent
  }

  private static func request(
    _ method: String,
    _ path: String,
    _ port: UInt16,
    _ token: String,
    body: String = ""
  ) -> String {
    let head = [
      "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
      "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "Connection: close",
    ]
    return head.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  /// Opens all hosts.
  func startHosts(_ count: Int) throws {
    for number in 1...count {
      _ = try Products.output(
        of: "/usr/bin/env",
        [
          "ORCHESTRATOR_HOME=\(folder)/home", process.executableURL?.path ?? "", "hosts", "start",
          "\(Self.group)-\(number)",
        ]
      )
    }
  }

  /// Has a prompt answered in each session, so many at a time.
  func ask(_ sessions: [String], width: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var rest = sessions[...]
      for _ in 0..<width {
        guard let session = rest.popFirst() else { break }
        group.addTask { try await self.ask(session) }
      }
      while try await group.next() != nil {
        guard let session = rest.popFirst() else { continue }
        group.addTask { try await self.ask(session) }
      }
    }
  }

  private func ask(_ session: String) async throws {
    let body = #"{"session": "\#(session)", "prompt": "play"}"#
    let text = Self.request("POST", "/v1/prompts", port, token, body: body)
    let port = port
    let isAnswered = try await withCheckedThrowingContinuation { continuation in
      // A thread, because the client of this benchmark blocks.
      Thread.detachNewThread {
        var isAnswered = false
        continuation.resume(
          with: Result {
            let status = try LocalSocket.request(port, text) {
              if $0.contains(#""answer":"done""#) { isAnswered = true }
            }
            return status == 200 && isAnswered
          }
        )
      }
    }
    guard isAnswered else { throw SimulateRow.Missing(what: "an answer in \(session)") }
  }

  var load: Load {
    let stat =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8))
      ?? ""
    // After the name, which may hold anything.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
    return Load(
      megabytes: Memory.own(of: process.processIdentifier),
      seconds: ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    )
  }

  func end() { Self.end(process, folder) }

  private static func end(_ process: Process, _ folder: String) {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

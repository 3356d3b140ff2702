import Foundation
import Supervision
import TestSupport

/// The built product in its own home, run as a person would run it.
final class Product: Sendable {
  /// What a command printed and how it ended.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    func notes(containing text: String) -> [String] {
      errors.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }
  }

  static let root = Repository.root
  static let model = Repository.pocketModel
  static let agents = root + "/Agents"

  /// All tests share compiled agents, which depend only on their source.
  private static let cache = folder + "/end-to-end-tests/plugins"

  let home: String
  private let eventLoop: ChildEventLoop

  init() throws {
    eventLoop = try ChildEventLoop()
    // The path is short because sockets lie in it.
    home = "/tmp/orch-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: home + "/cache",
      withIntermediateDirectories: true
    )
    try FileManager.default.createDirectory(
      atPath: Self.cache,
      withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      atPath: home + "/cache/plugins",
      withDestinationPath: Self.cache
    )
  }

  deinit {
    // Processes left by a killed coordinator would keep writing here.
    for pid in processes().keys { kill(pid, SIGKILL) }
    try? FileManager.default.removeItem(atPath: home)
  }

  /// The folder of the built products, which is also that of this test bundle.
  static var folder: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let arguments = CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    let bundle = arguments.first ?? own
    return URL(filePath: bundle).deletingLastPathComponent().path
  }

  static var executable: String { folder + "/orchestrator" }

  /// Starts a command and keeps its input open.
  func open(_ arguments: String...) async throws -> Session {
    try await start(arguments)
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) async throws -> Session {
    let launch = Launch(
      executable: Self.executable,
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment
        .merging(["ORCHESTRATOR_HOME": home]) { $1 }
        .merging(environment) { $1 }
    )
    return try await Session(launch, eventLoop: eventLoop)
  }

  /// Runs a command to its end.
  func run(
    _ arguments: String...,
    input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    let session = try await start(arguments, environment: environment)
    if let input { session.type(input) }
    session.closeInput()
    return await session.end()
  }

  /// Waits until a coordinator of this home answers.
  func waitUntilServing(environment: [String: String] = [:]) async throws {
    try await eventually("a coordinator answers 'ps'") {
      try await run("ps", environment: environment).status == 0
    }
  }

  /// Runs a shell command line that finds `orchestrator` in its path.
  func shell(_ line: String) async throws -> Outcome {
    let session = try await open(shell: line)
    session.closeInput()
    return await session.end()
  }

  /// Starts a shell command line that finds `orchestrator` in its path.
  func open(shell line: String) async throws -> Session {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let launch = Launch(
      executable: "/bin/sh",
      arguments: ["-c", line],
      environment: ProcessInfo.processInfo.environment
        .merging(["ORCHESTRATOR_HOME": home, "PATH": "\(Self.folder):\(path)"]) { $1 }
    )
    return try await Session(launch, eventLoop: eventLoop)
  }

  /// The names of the live processes of this home, by pid.
  ///
  /// Coordinators are recognized by their environment, workers by a run ID that names a log here.
  func processes() -> [Int32: String] {
    let manager = FileManager.default
    let logs = (try? manager.contentsOfDirectory(atPath: home + "/state/logs")) ?? []
    let runs = logs.map { String($0.dropLast(".log".count)) }
    var found: [Int32: String] = [:]
    for name in (try? manager.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let pid = Int32(name),
        let path = try? manager.destinationOfSymbolicLink(
          atPath: "/proc/\(name)/exe"
        )
      else { continue }
      let program = (path as NSString).lastPathComponent
      let environment = Self.text("/proc/\(name)/environ")
      let arguments = Self.text("/proc/\(name)/cmdline").split(separator: "\0").map(String.init)
      if program.hasPrefix("orchestrator"),
        environment.contains(home) || arguments.contains(where: runs.contains)
      {
        found[pid] = program
      }
    }
    return found
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}

import Coordinator
import Doors
import Foundation

/// A coordinator of the built product, in its own process and home.
final class Coordinator: @unchecked Sendable {
  private static let patience = Duration.seconds(60)

  let process: Process
  let client: RemoteCoordinator

  private let environment: [String: String]

  /// Starts a coordinator, and returns once it listens.
  init(
    home: String,
    agents: String,
    options: [String],
    of products: Products = .built
  ) async throws {
    process = Process()
    process.executableURL = URL(filePath: products.orchestrator)
    process.arguments = ["start", "--no-chat", "--agents", agents] + options
    // Swift's report of a crash takes longer than the checks here and would delay the end.
    var own = ["ORCHESTRATOR_HOME": home, "SWIFT_BACKTRACE": "enable=no"]
    // Outside its checkout it does not find the model that ships.
    own["ORCHESTRATOR_MODEL"] = Products.model
    environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let log = home + "/coordinator.log"
    if !FileManager.default.fileExists(atPath: log) {
      _ = FileManager.default.createFile(atPath: log, contents: nil)
    }
    let output = try FileHandle(forWritingTo: URL(filePath: log))
    try output.seekToEnd()
    process.standardOutput = output
    process.standardError = output
    client = RemoteCoordinator(socket: home + "/run/coordinator.sock")
    try process.run()
    let deadline = ContinuousClock.now + Self.patience
    while try await client.statusIfServed()?.pid != process.processIdentifier {
      guard process.isRunning, ContinuousClock.now < deadline else {
        let words = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw Broken(description: "A coordinator does not start: \(words.suffix(2000))")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  var pid: Int32 { process.processIdentifier }

  var isRunning: Bool { process.isRunning }

  /// Everything that it has started.
  var children: [Processes.Facts] { Processes.descendants(of: pid) }

  /// Returns what `sessions verify` finds wrong with its journal or with one session; empty when
  /// all is well.
  func flaws(of session: String? = nil) async -> [String] {
    let check = Process()
    let pipe = Pipe()
    check.executableURL = URL(filePath: Products.built.orchestrator)
    check.arguments = ["sessions", "verify"] + [session].compactMap(\.self)
    check.environment = environment
    (check.standardOutput, check.standardError) = (pipe, pipe)
    guard (try? check.run()) != nil else { return ["the journal could not be checked"] }
    let words = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    check.waitUntilExit()
    return check.terminationStatus == 0 ? [] : [String(decoding: words, as: UTF8.self)]
  }

  /// Ends it as a person does, and waits for the end.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}

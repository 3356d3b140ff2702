import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// llama.cpp's own server, as built by `deploy/peers`, with the shipped model.
struct LlamaServer {
  /// The environment variable that names the folder of `deploy/peers` if it is not the usual cache.
  static let variable = "ORCHESTRATOR_PEERS"

  let url: URL
  /// Whether `/slots` reports that the server's only slot is computing.
  var isComputing: Bool {
    get async throws {
      let (data, _) = try await URLSession.shared.data(from: url.appending(path: "slots"))
      let slots = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
      return slots?.contains { $0["is_processing"] as? Bool == true } ?? false
    }
  }

  /// The server's executable, if it has been built.
  static let program: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment[variable] { return "\(folder)/llama-server" }
    let home = environment["HOME"] ?? ""
    let cache =
      environment["ORCHESTRATOR_CACHE"]
      ?? "\(environment["XDG_CACHE_HOME"] ?? "\(home)/.cache")/orchestrator"
    let builds = (try? FileManager.default.contentsOfDirectory(atPath: "\(cache)/peers")) ?? []
    return builds.map { "\(cache)/peers/\($0)/llama-server" }
      .first(where: FileManager.default.isExecutableFile)
  }()

  /// Runs a server for the duration of `body`.
  static func run(
    _ arguments: [String] = [],
    _ body: (LlamaServer) async throws -> Void
  ) async throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(program))
    // The kernel assigns a port, and the server reports which.
    process.arguments =
      [
        "--model", Repository.pocketModel, "--host", "127.0.0.1", "--port", "0", "--threads", "1",
        "--parallel", "1", "--jinja", "--slots", "--no-warmup", "--ctx-size", "1024",
      ] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    // Keep reading after everyone has stopped listening: a full pipe would block the server.
    let (pieces, piece) = AsyncStream<Data>.makeStream(bufferingPolicy: .bufferingOldest(1000))
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { piece.finish() } else { piece.yield(data) }
    }
    try process.run()
    defer {
      // SIGKILL, because it inherited this process's signal mask and has nothing to lose.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      output.fileHandleForReading.readabilityHandler = nil
    }
    try await body(LlamaServer(url: try await address(in: pieces)))
  }

  /// The address on which the server reports that it listens.
  private static func address(in pieces: AsyncStream<Data>) async throws -> URL {
    var log = ""
    for await piece in pieces {
      log += String(decoding: piece, as: UTF8.self)
      if let match = log.firstMatch(of: /listening on (http:\/\/[0-9.]+:[0-9]+)\s/) {
        return try #require(URL(string: String(match.output.1)))
      }
    }
    throw NotListening(log: log)
  }

  private struct NotListening: Error {
    let log: String
  }
}

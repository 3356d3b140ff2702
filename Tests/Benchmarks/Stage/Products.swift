import Foundation

/// The built programs and the location of their sources.
enum Products {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().standardizedFileURL

  static let worker = built("orchestrator-worker")
  static let orchestrator = built("orchestrator")
  /// The small model that ships.
  static let ownModel = root.appending(path: "deploy/models/pocket.gguf").path

  private static func built(_ name: String) -> String {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appending(path: name).path
  }

  static func temporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "bench-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  /// Runs a script of this package that prints one line, such as what it has made.
  static func line(of script: String, _ arguments: String...) throws -> String {
    try output(of: root.appending(path: script).path, arguments)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns what a program prints; its errors go to this program's.
  static func output(of program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(program: program, status: process.terminationStatus)
    }
    return String(decoding: data, as: UTF8.self)
  }

  struct Failed: Error {
    let program: String
    let status: Int32
  }
}

/// What is made once and then kept in the cache.
struct Fixtures: Sendable {
  /// The stand-in model.
  let model: String
  /// The folder of llama.cpp's own programs.
  let peers: String
  /// The Python of the benchmarks.
  let python: String

  /// For benchmarks that need none of them.
  static let none = Fixtures(model: "", peers: "", python: "")

  private init(model: String, peers: String, python: String) {
    (self.model, self.peers, self.python) = (model, peers, python)
  }

  init() throws {
    python = try Products.line(of: "Tests/Benchmarks/Tools/environment")
    peers = try Products.line(of: "deploy/peers")
    model = try Products.line(of: "Tests/Benchmarks/Tools/stand-in")
  }

  /// Returns the path of one of the benchmarks' tools.
  static func tool(_ name: String) -> String {
    Products.root.appending(path: "Tests/Benchmarks/Tools/\(name)").path
  }
}

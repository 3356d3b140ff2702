import Foundation

/// A program that is run to its end, with everything that it prints.
struct Subprogram: Sendable {
  struct Outcome: Sendable {
    let status: Int32
    let output: String
  }

  let executable: String
  let arguments: [String]

  init(_ executable: String, _ arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// Runs the program; one that takes longer is ended, with status 124.
  func run(within patience: Duration) async throws -> Outcome {
    // A file, because a pipe that nobody reads would stop the program, and one that something else
    // keeps open would never end.
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appending(path: "orchestrator-\(UUID().uuidString)").path
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    let status = try await withCheckedThrowingContinuation { continuation in
      let timer = Task {
        try await Task.sleep(for: patience)
        process.terminate()
      }
      process.terminationHandler = { process in
        let wasEnded = process.terminationReason == .uncaughtSignal && !timer.isCancelled
        timer.cancel()
        continuation.resume(returning: wasEnded ? 124 : process.terminationStatus)
      }
      do {
        try process.run()
      } catch {
        timer.cancel()
        continuation.resume(throwing: error)
      }
    }
    try file.close()
    let data = FileManager.default.contents(atPath: path) ?? Data()
    return Outcome(status: status, output: String(decoding: data, as: UTF8.self))
  }
}

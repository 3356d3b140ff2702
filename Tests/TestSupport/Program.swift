import Foundation

/// Runs programs of this machine to their ends.
package enum Program {
  /// The system's Python, for the counterparts that need nothing but its own library.
  package static let python =
    ["/usr/bin/python3", "/usr/local/bin/python3"].first { isHere($0) } ?? ""
  package static let isPythonHere = isHere(python)

  private static func isHere(_ path: String) -> Bool { access(path, X_OK) == 0 }

  package struct Outcome: Sendable {
    /// What it exited with; as in a shell, 128 and more is the signal that ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    package var lines: [Substring] { output.split(separator: "\n") }
  }

  /// A program did not end in time, and was told to.
  package struct OutOfTime: Error {
    let program: String
    let limit: Duration
  }

  /// Runs a program without input, found as a shell does.
  package static func run(
    _ name: String,
    _ arguments: [String],
    within limit: Duration = .seconds(240)
  ) async throws -> Outcome {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Into files: a pipe may fill up, and reading it to its end would hold a thread that others need.
    let files = ["output", "errors"].map { URL(filePath: "\(folder)/\($0)") }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    let status = try await end(of: process, orFailWith: OutOfTime(program: name, limit: limit))
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: status, output: texts[0], errors: texts[1])
  }

  private static func end(of process: Process, orFailWith outOfTime: OutOfTime) async throws
    -> Int32
  {
    let ended = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      let signal: Int32 = $0.terminationReason == .uncaughtSignal ? 128 : 0
      ended.continuation.yield(signal + $0.terminationStatus)
      ended.continuation.finish()
    }
    try process.run()
    // Unstructured: cancelled at the end, or it makes that come.
    let watch = Task {
      try await Task.sleep(for: outOfTime.limit)
      ended.continuation.finish()
    }
    defer { watch.cancel() }
    for await status in ended.stream { return status }
    process.terminate()
    try Task.checkCancellation()
    throw outOfTime
  }
}

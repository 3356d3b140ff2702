import Foundation

/// Runs this program once more, for work that may trap or never end.
enum Child {
  struct End {
    let isSuccess: Bool
    let output: String
  }

  /// Runs the program.
  ///
  /// - Returns: A failure when it has not ended in time; it is then killed.
  static func run(_ arguments: [String], patience: Duration) async throws -> End {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let pid = process.processIdentifier
    let bound = Task {
      try await Task.sleep(for: patience)
      kill(pid, SIGKILL)
    }
    defer { bound.cancel() }
    // A separate thread, because reading blocks.
    let data = await withCheckedContinuation { continuation in
      let file = pipe.fileHandleForReading
      Thread.detachNewThread {
        continuation.resume(returning: (try? file.readToEnd()) ?? Data())
      }
    }
    process.waitUntilExit()
    let isSuccess = process.terminationReason == .exit && process.terminationStatus == 0
    return End(isSuccess: isSuccess, output: String(decoding: data, as: UTF8.self))
  }
}

import Foundation
import Synchronization

/// A counterpart that runs as long as its input is open, such as a Slurm, and obeys lines.
package final class StandingCounterpart: Sendable {
  /// Why there is none.
  package struct Unavailable: Error, CustomStringConvertible {
    package let description: String
  }

  /// What follows `ready` on its first line.
  package let kind: String
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle

  /// Starts a script of the counterparts, and returns once it is ready.
  ///
  /// - Throws: `Unavailable` where it cannot be had.
  package init(_ script: String, _ arguments: [String]) async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Counterparts"
    )
    let (input, output) = (Pipe(), Pipe())
    let errors = FileManager.default.temporaryDirectory.appending(path: "counterpart-\(UUID())")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process = Process()
    process.executableURL = folder.appending(path: script)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
    try process.run()
    // Only the script's own copies count, so that it ends with this process.
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    let words = await Self.line(from: self.output)?.split(separator: " ", maxSplits: 1)
    guard let words, words.first == "ready" else {
      process.waitUntilExit()
      let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Unavailable(description: "There is no '\(script)': \(text)")
    }
    kind = words.count > 1 ? String(words[1]) : ""
  }

  deinit { close() }

  /// Has it do something, and returns once that is done.
  package func perform(_ line: String) async throws {
    try input.write(contentsOf: Data("\(line)\n".utf8))
    guard await Self.line(from: output) == line else {
      throw Unavailable(description: "It was told '\(line)', and did not.")
    }
  }

  /// Ends it with all that it has started.
  package func close() {
    try? input.close()
    process.waitUntilExit()
  }

  /// Reads a line, on a thread of its own because reading blocks; `nil` at the end.
  private static func line(from file: FileHandle) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var line: [UInt8] = []
        while let byte = try? file.read(upToCount: 1)?.first {
          if byte == UInt8(ascii: "\n") {
            return continuation.resume(returning: String(decoding: line, as: UTF8.self))
          }
          line.append(byte)
        }
        continuation.resume(returning: nil)
      }
    }
  }
}

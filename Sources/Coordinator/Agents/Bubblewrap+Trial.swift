import Foundation
package import Supervision

extension Bubblewrap {
  /// Tries bwrap with a program that does nothing.
  ///
  /// - Parameter timeout: How long it may take before it is killed.
  /// - Returns: What it printed when it failed; `nil` when it works.
  package func problem(within timeout: Duration = .seconds(10)) -> String? {
    let process = Process()
    let words = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments =
      Self.isolation(sharesNetwork: false) + Self.system + ["--", "/usr/bin/true"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = words
    do {
      try process.run()
    } catch {
      return "\(error)"
    }
    let deadline = SuspendingClock.now + timeout
    while process.isRunning, SuspendingClock.now < deadline { usleep(5000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return "it did not exit within \(timeout.components.seconds) s and was killed"
    }
    guard process.terminationStatus != 0 else { return nil }
    let line = Self.available(in: words).split(separator: "\n").last.map(String.init)
    return line ?? "it exited with code \(process.terminationStatus)"
  }

  /// Reads what a pipe holds without waiting for more: a descendant may still hold the other end.
  private static func available(in pipe: Pipe) -> String {
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

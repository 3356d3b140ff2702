import Foundation

/// What is piped into a command.
enum StandardInput {
  /// Reads it to its end.
  static func read() throws(CommandError) -> Data {
    do {
      return try FileHandle.standardInput.readToEnd() ?? Data()
    } catch {
      // Foundation names no cause, which another attempt meets again.
      var byte: UInt8 = 0
      let code = Foundation.read(STDIN_FILENO, &byte, 1) < 0 ? errno : EIO
      let reason = code == EBADF ? "it is closed" : String(cString: strerror(code))
      throw .failed("Cannot read standard input: \(reason).")
    }
  }
}

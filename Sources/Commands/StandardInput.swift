import Foundation

/// What is piped into a command.
enum StandardInput {
  /// Reads it to its end.
  static func read() throws(CommandError) -> Data {
    do {
      return try FileHandle.standardInput.readToEnd() ?? Data()
    } catch {
      throw .failed("Cannot read standard input: \(error.localizedDescription).")
    }
  }
}

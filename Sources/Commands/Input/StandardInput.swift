import Coordinator
import Foundation

/// What is piped into a command.
enum StandardInput {
  static func read() throws(CommandError) -> Data {
    do throws(FileAccessError) {
      return try FileContent.content(from: STDIN_FILENO)
    } catch {
      throw .failed("Cannot read standard input: \(error).")
    }
  }
}

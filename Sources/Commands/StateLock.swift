import CSystem
import Foundation

/// One process that writes to a state folder: others are told who it is, and since when.
///
/// The kernel gives it back, however the process ends.
struct StateLock: Sendable {
  /// Who has it.
  struct Holder: Equatable {
    let pid: String
    let since: String
  }

  private let descriptor: Int32

  init(_ folders: Folders) throws(CommandError) {
    descriptor = csystem_lock(folders.lock)
    guard descriptor >= 0 else {
      guard errno == EWOULDBLOCK else {
        throw .unwritable(folders.lock, reason: String(cString: strerror(errno)))
      }
      throw .alreadyRunning(Holder(file: folders.lock))
    }
    ftruncate(descriptor, 0)
    let words = Array("\(getpid()) \(Date().ISO8601Format())\n".utf8)
    _ = write(descriptor, words, words.count)
  }

  func release() { close(descriptor) }
}

extension StateLock.Holder {
  /// Between taking the lock and writing to it a process has no name.
  fileprivate init(file: String) {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    pid = words.first ?? "unknown"
    since = words.count > 1 ? words[1] : "just now"
  }
}

extension StateLock.Holder: CustomStringConvertible {
  var description: String { "with pid \(pid), since \(since)" }
}

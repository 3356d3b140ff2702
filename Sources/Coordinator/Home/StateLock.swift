import CSystemCalls
import Foundation

/// Ensures that one process writes to a state folder, and tells others which one and since when.
///
/// The kernel releases the lock however the process ends.
package struct StateLock: Sendable {
  /// The process that has the lock.
  package struct Holder: Equatable {
    let pid: String
    let since: String
    /// Where it listens; `nil` when it does not, or not yet.
    let socket: String?
  }

  private let descriptor: Int32

  package init(_ folders: Folders) throws(CoordinatorError) {
    descriptor = csystem_lock(folders.lock)
    guard descriptor >= 0 else {
      guard errno == EWOULDBLOCK else {
        throw .unwritable(folders.lock, reason: String(cString: strerror(errno)))
      }
      throw .alreadyRunning(Holder(file: folders.lock))
    }
    record(listeningOn: nil)
  }

  /// Records who has the lock and where it listens: others might look for the socket elsewhere.
  package func record(listeningOn socket: String?) {
    let line = "\(getpid()) \(Date().ISO8601Format())\(socket.map { " " + $0 } ?? "")\n"
    let bytes = Array(line.utf8)
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  /// Returns who has the lock; `nil` when no process does, as far as that shows without taking it.
  package static func holder(of folders: Folders) -> Holder? {
    let holder = Holder(file: folders.lock)
    guard let pid = Int32(holder.pid), pid > 0, kill(pid, 0) == 0 || errno == EPERM else {
      return nil
    }
    return holder
  }

  package func release() {
    ftruncate(descriptor, 0)
    close(descriptor)
  }
}

extension StateLock.Holder {
  /// Reads the holder; between taking the lock and writing to it, a process has no name.
  fileprivate init(file: String) {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first ?? ""
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    pid = words.first ?? "unknown"
    since = words.count > 1 ? words[1] : "just now"
    socket = words.count > 2 ? words[2] : nil
  }
}

extension StateLock.Holder: CustomStringConvertible {
  package var description: String { "pid \(pid), since \(since)" }

  /// Advice for a person who needs the lock.
  package var advice: String {
    guard let socket else {
      return
        "It is starting, or answering a single question, and takes no requests. Try again in a"
        + " moment."
    }
    return "It listens on \(socket). Use 'orchestrator ask' to ask it, or 'orchestrator stop' to"
      + " stop it."
  }
}

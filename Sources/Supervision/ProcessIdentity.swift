import CSystem
import Foundation

/// Tells a process from every other one that has, had or will have its number.
package struct ProcessIdentity: Equatable, Sendable {
  package let pid: Int32
  /// When it began, in the kernel's ticks since the machine did.
  private let start: String
  /// This run of the machine, and the part of it in which numbers mean the same processes.
  private let place: String

  /// - Returns: `nil` when there is no such process, or the system does not tell.
  package init?(of pid: Int32) {
    guard let facts = ProcessFacts(of: pid), !facts.isZombie, let place = Self.place else {
      return nil
    }
    (self.pid, start, self.place) = (pid, facts.start, place)
  }

  private static let place: String? = {
    let file = "/proc/sys/kernel/random/boot_id"
    guard let boot = try? String(contentsOfFile: file, encoding: .utf8),
      let numbers = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
    else { return nil }
    return boot.trimmingCharacters(in: .whitespacesAndNewlines) + "/" + numbers
  }()

  /// Kills the process and its group, if it is still this one; returns whether it was.
  package func kill() -> Bool {
    // Held first, so that the number cannot become another process's between the look and the signal.
    let handle = csystem_pidfd(pid)
    guard handle >= 0 else { return false }
    defer { close(handle) }
    guard ProcessIdentity(of: pid) == self else { return false }
    _ = Foundation.kill(-pid, SIGKILL)
    // Its parent may have collected it since.
    return csystem_signal(handle, SIGKILL) == 0 || errno == ESRCH
  }

  /// Kills what is left of the process's group when it is gone itself; returns whether there was anything.
  /// - Parameter isOwn: Whether something in the group is certainly what the process has started. The
  ///   number of a group is nobody else's as long as there is something in it.
  package func killGroup(where isOwn: (Int32) -> Bool) -> Bool {
    guard place == Self.place, ProcessFacts(of: pid).map({ $0.start == start }) ?? true,
      ProcessFacts.all().contains(where: { $0.group == pid && !$0.isZombie && isOwn($0.pid) })
    else { return false }
    return Foundation.kill(-pid, SIGKILL) == 0
  }
}

extension ProcessIdentity: LosslessStringConvertible {
  package init?(_ description: String) {
    let words = description.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 3, let pid = Int32(words[0]), pid > 1 else { return nil }
    (self.pid, start, place) = (pid, words[1], words[2])
  }

  package var description: String { "\(pid) \(start) \(place)" }
}

import CSystemCalls
import PlatformLibraries

/// Tells a process from every other one that has, had or will have its number.
package struct ProcessIdentity: Equatable, Sendable {
  package let pid: Int32
  /// The start time, in kernel ticks since boot.
  private let start: String
  /// The boot and PID namespace in which process numbers refer to the same processes.
  private let place: String

  /// - Returns: `nil` when there is no such process, or the system does not report it.
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
    return boot.filter { !$0.isWhitespace } + "/" + numbers
  }()

  /// Kills the process and its group if it is still the same process.
  ///
  /// - Returns: Whether it was.
  package func kill() -> Bool {
    // Opened first, so that the number cannot pass to another process between the check and the
    // signal.
    let handle = csystem_pidfd(pid)
    guard handle >= 0 else { return false }
    defer { close(handle) }
    guard ProcessIdentity(of: pid) == self else { return false }
    _ = systemKill(-pid, SIGKILL)
    // Its parent may have reaped it in the meantime.
    return csystem_signal(handle, SIGKILL) == 0 || errno == ESRCH
  }

  /// Kills what is left of the group of a process that is gone.
  ///
  /// - Parameter isOwn: Whether a member of the group was certainly started by the process. A
  ///   group's number is not reused as long as the group has members.
  /// - Returns: Whether there was anything to kill.
  package func killGroup(where isOwn: (Int32) -> Bool) -> Bool {
    guard place == Self.place, ProcessFacts(of: pid).map({ $0.start == start }) ?? true,
      ProcessFacts.all().contains(where: { $0.group == pid && !$0.isZombie && isOwn($0.pid) })
    else { return false }
    return systemKill(-pid, SIGKILL) == 0
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

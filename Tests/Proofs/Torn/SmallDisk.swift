import Foundation
import Journal

/// Disks that are too small for a journal.
enum SmallDisk {
  struct Findings {
    var full = 0
    var refusals = 0
    var problems: [String] = []
    var isShown = true

    var description: String {
      isShown
        ? "\(full) disks full at one size each, \(refusals) times read-only"
        : "no full disk, which only root can mount"
    }
  }

  private static let sizes = 256..<768

  /// Fills disks of increasing size until nothing more is accepted, and checks what was.
  ///
  /// - Parameter kilobytes: The step from one size to the next.
  static func fill(in folder: String, every kilobytes: Int) async throws -> Findings {
    var findings = Findings()
    for size in stride(from: sizes.lowerBound, to: sizes.upperBound, by: kilobytes) {
      let disk = "\(folder)/disk-\(size)"
      mkdir(disk, 0o700)
      guard geteuid() == 0, mount(disk, "size=\(size)k") else {
        findings.isShown = false
        return findings
      }
      defer { umount2(disk, 2) }
      let accepted = try await fill(disk + "/journal.sqlite", &findings)
      findings.full += 1
      // Nothing can be written there at all, so the journal is refused and left as it is.
      guard mount(disk, "size=8m", MS_REMOUNT | MS_RDONLY) else {
        findings.problems.append("\(size) kB: it could not be made read-only")
        continue
      }
      do {
        let journal = try Journal(path: disk + "/journal.sqlite")
        try await TornJournal.say(accepted, in: journal)
        findings.problems.append("\(size) kB: something was accepted where nothing can be written")
      } catch is JournalError {
        findings.refusals += 1
      }
      _ = mount(disk, "size=8m", MS_REMOUNT)
      let found = try await TornJournal.outcome(disk + "/journal.sqlite")
      if case .first(let number) = found, number >= accepted { continue }
      findings.problems.append("\(size) kB: \(found), with \(accepted) accepted")
    }
    return findings
  }

  /// Says one number after another.
  ///
  /// - Returns: How many were accepted.
  private static func fill(_ path: String, _ findings: inout Findings) async throws -> Int {
    var accepted = 0
    do {
      let journal = try Journal(path: path)
      defer { try? journal.close() }
      for number in 0..<1000 {
        try await TornJournal.say(number, in: journal) { accepted += 1 }
      }
      findings.problems.append("\(path) took everything")
    } catch JournalError.full {
      return accepted
    } catch {
      findings.problems.append("\(path) was refused otherwise: \(error)")
    }
    return accepted
  }

  private static func mount(_ folder: String, _ options: String, _ flags: Int = 0) -> Bool {
    Foundation.mount("none", folder, "tmpfs", UInt(flags), options) == 0
  }
}

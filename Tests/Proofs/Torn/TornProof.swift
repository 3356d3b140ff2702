import ArgumentParser
import Foundation
import TestSupport

/// Tears a journal at every byte of its last pages, and fills the disk below one.
struct TornProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "torn",
    abstract: "A journal, torn at every byte of the last page of its file and of its log.",
    discussion: """
      What was accepted before the tear is there afterwards, or the journal is refused and left as it \
      is. Then disks that are full at one size after the other, and one that cannot be written, where \
      this user can mount them.
      """
  )

  @Option(help: "Tears at every so many bytes only.")
  var stride = 1

  @Option(help: "What stands after a tear is made from it.")
  var seed: UInt64 = 1

  private static let page = 4096

  /// What replaces the rest.
  private enum Rest: CaseIterable {
    case nothing, zeros, noise
  }

  private struct Counts {
    var (whole, first, refused) = (0, 0, 0)
    var lost: [String] = []

    var tears: Int { whole + first + refused + lost.count }
  }

  func run() async throws {
    let folder = NSTemporaryDirectory() + "torn-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let torn = try await TornJournal(in: folder)
    try await prove(torn)
    var counts = Counts()
    try await tearLog(of: torn, &counts)
    try await tearFile(of: torn, &counts)
    try await tearMove(of: torn, &counts)
    let disks = try await SmallDisk.fill(in: folder, every: max(4, 4 * stride))
    for problem in (counts.lost + disks.problems).prefix(20) { note(problem) }
    print(
      "torn: \(counts.tears) tears, seed \(seed): \(counts.whole) whole, \(counts.first) all that was"
        + " accepted before, \(counts.refused) refused; \(disks.description);"
        + " \(counts.lost.count + disks.problems.count) lost something that was accepted"
    )
    guard counts.lost.isEmpty, disks.problems.isEmpty, counts.tears > 0 else {
      throw ExitCode.failure
    }
  }

  /// Tears the log, as when the machine goes down while it is written: the file itself is whole, so
  /// nothing is refused.
  private func tearLog(of torn: TornJournal, _ counts: inout Counts) async throws {
    // The last page that was part of something accepted, and the first page after it.
    guard let accepted = torn.accepted.last else { return }
    let end = min(torn.log.count, accepted + TornJournal.frame)
    for place in places(in: end, last: end - accepted + TornJournal.frame) {
      for rest in Rest.allCases {
        let log = tear(torn.log, at: place, rest)
        let outcome = try await torn.open(torn.main, log: log)
        count(outcome, of: torn.acceptedCount(at: place), "log \(place) \(rest)", &counts)
      }
    }
  }

  /// Tears the file: the journal must not continue without the missing part.
  private func tearFile(of torn: TornJournal, _ counts: inout Counts) async throws {
    for place in places(in: torn.main.count, last: Self.page) {
      for rest in [Rest.nothing, .zeros] {
        let part = tear(torn.main, at: place, rest)
        for (name, log, all) in [
          ("alone", [], TornJournal.settled), ("with its log", torn.log, TornJournal.count),
        ] {
          let outcome = try await torn.open(part, log: log)
          if outcome == .refused { counts.refused += 1 }
          if outcome != .refused {
            count(outcome, of: all, "file \(place) \(rest) \(name)", &counts)
          }
        }
      }
    }
  }

  /// Tears the file, as when the machine goes down while the log is moved into it: the log has it
  /// all.
  private func tearMove(of torn: TornJournal, _ counts: inout Counts) async throws {
    for place in places(in: torn.merged.count, last: Self.page) {
      for rest in Rest.allCases {
        let outcome = try await torn.open(tear(torn.merged, at: place, rest), log: torn.log)
        count(outcome, of: TornJournal.count, "move \(place) \(rest)", &counts)
      }
    }
  }

  private func count(
    _ outcome: TornJournal.Outcome,
    of accepted: Int,
    _ place: String,
    _ counts: inout Counts
  ) {
    switch outcome {
    case .first(TornJournal.count): counts.whole += 1
    case .first(let number) where number >= accepted: counts.first += 1
    case .first(let number): counts.lost.append("\(place): \(number) of \(accepted)")
    case .refused: counts.lost.append("\(place): refused, with \(accepted) accepted")
    case .broken: counts.lost.append("\(place): something that was never said")
    }
  }

  private func places(in length: Int, last: Int) -> StrideTo<Int> {
    Swift.stride(from: max(1, length - last), to: length, by: max(1, stride))
  }

  private func tear(_ bytes: [UInt8], at place: Int, _ rest: Rest) -> [UInt8] {
    let count = bytes.count - place
    switch rest {
    case .nothing: return Array(bytes[..<place])
    case .zeros: return bytes[..<place] + [UInt8](repeating: 0, count: count)
    case .noise:
      var random = Seeded(seed &+ UInt64(place))
      return bytes[..<place] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }

  /// Checks that what is missing is noticed, and that what is whole is not refused.
  private func prove(_ torn: TornJournal) async throws {
    let all = (0..<TornJournal.count).map(TornJournal.words)
    let missing = all.filter { $0 != all[TornJournal.count - 2] }
    let swapped = all.dropLast(2) + [all[TornJournal.count - 1], all[TornJournal.count - 2]]
    let changed = all.dropLast() + [all[TornJournal.count - 1].uppercased()]
    for planted in [missing, Array(swapped), Array(changed)]
    where TornJournal.judge(planted) != .broken {
      throw Broken(description: "Something that was planted is missing, and was not noticed.")
    }
    var counts = Counts()
    count(TornJournal.judge(Array(all.dropLast())), of: all.count, "planted", &counts)
    guard counts.lost.count == 1 else {
      throw Broken(description: "That the last was missing was not noticed.")
    }
    let last = torn.accepted.last ?? 0
    guard
      try await torn.open(torn.main, log: Array(torn.log[..<(last - 1)]))
        == .first(TornJournal.count - 1)
    else { throw Broken(description: "A tear in what was accepted last went unnoticed.") }
    guard try await torn.open(torn.main, log: torn.log) == .first(TornJournal.count),
      try await torn.open(torn.merged) == .first(TornJournal.count)
    else { throw Broken(description: "A journal that is whole was not taken for one.") }
  }
}

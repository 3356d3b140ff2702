import AgentKit
import Foundation
import Testing

@testable import Journal

/// A journal that cannot grow any more.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A journal without room` {
  // In a process of its own: the bound is the process's.
  @Test func `refuses what it cannot keep, and has all that it took`() async {
    await #expect(processExitsWith: .success) {
      let file = try JournalFile()
      signal(SIGXFSZ, SIG_IGN)
      let journal = try file.open()
      let (conversation, turn) = try await journal.beginTalk()
      try await journal.beginRun(RunRecord("a-1", conversation: conversation, at: 1))
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var bound = limit
      bound.rlim_cur = 600_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound)
      let accepted = try await Filling.fill(journal, conversation, turn)
      try #require((1..<1000).contains(accepted))
      // When there is room again it goes on.
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try await Filling.expect(accepted, in: file, journal, conversation, turn)
    }
  }

  @Test(.enabled(if: Filling.canMount, "only root can mount a small disk"))
  func `on a disk that is full says so`() async throws {
    let file = try JournalFile()
    let disk = file.folder.appending(path: "disk").path
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    try #require(Filling.mount(disk, size: "2m"))
    defer { umount2(disk, 2) }
    let path = disk + "/journal.sqlite"
    do {
      let journal = try Journal(path: path)
      let (conversation, turn) = try await journal.beginTalk()
      try await journal.beginRun(RunRecord("a-1", conversation: conversation, at: 1))
      let accepted = try await Filling.fill(journal, conversation, turn) { error in
        #expect(error == .full(path: path))
      }
      #expect((1..<1000).contains(accepted))
      let reader = JournalReader(journal)
      #expect(try await reader.entries(of: conversation).count == accepted + 1)
      try journal.close()
    }
    // Nor can it be begun anew, or opened, with an error of another kind.
    let reader = try #require(try JournalReader(path: path))
    #expect(try await reader.inspect().flaws == [])
  }
}

enum Filling {
  static var canMount: Bool { geteuid() == 0 && canMountHere }

  private static let canMountHere: Bool = {
    let folder = NSTemporaryDirectory() + "mount-\(UUID().uuidString)"
    mkdir(folder, 0o700)
    defer { rmdir(folder) }
    guard mount(folder, size: "4k") else { return false }
    return umount2(folder, 2) == 0
  }()

  static func mount(_ folder: String, size: String) -> Bool {
    Glibc.mount("none", folder, "tmpfs", 0, "size=\(size)") == 0
  }

  /// Appends until nothing more is taken; returns how much was.
  static func fill(
    _ journal: Journal,
    _ conversation: Int64,
    _ turn: Int64,
    onRefusal: (JournalError) -> Void = { _ in }
  ) async throws -> Int {
    for number in 0..<1000 {
      do {
        try await append(number, to: journal, conversation, turn)
      } catch let error as JournalError {
        onRefusal(error)
        return number
      }
    }
    return 1000
  }

  static func append(
    _ number: Int,
    to journal: Journal,
    _ conversation: Int64,
    _ turn: Int64
  ) async throws {
    try await journal.append(
      .response("\(number) " + String(repeating: "x", count: 8000)),
      conversation: conversation,
      turn: turn,
      agent: "a",
      run: "a-1"
    )
  }

  /// All that was taken is there, and what comes next is taken.
  static func expect(
    _ accepted: Int,
    in file: JournalFile,
    _ journal: Journal,
    _ conversation: Int64,
    _ turn: Int64
  ) async throws {
    #expect(try await file.reader().entries(of: conversation).count == accepted + 1)
    try await append(accepted, to: journal, conversation, turn)
    #expect(try await file.reader().entries(of: conversation).count == accepted + 2)
    let other = try file.open()
    #expect(try await JournalReader(other).entries(of: conversation).count == accepted + 2)
  }
}

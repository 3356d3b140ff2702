import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// A journal that can no longer grow.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A journal without room` {
  // Runs in its own process because the file size limit applies to the whole process.
  @Test func `refuses what it cannot keep, and has all that it took`() async {
    await #expect(processExitsWith: .success) {
      let file = try JournalFile()
      signal(SIGXFSZ, SIG_IGN)
      let journal = try file.open()
      let (conversation, turn) = try await journal.beginTalk()
      try await journal.beginRun("a-1", in: conversation)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var bound = limit
      bound.rlim_cur = 600_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound)
      let accepted = try await Filling.fill(journal, conversation, turn)
      try #require((1..<1000).contains(accepted))
      // It continues once there is room again.
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try await Filling.expect(accepted, in: file, journal, conversation, turn)
    }
  }

  // Runs in its own process because the file size limit applies to the whole process.
  @Test func `leaves no part of a session in a file`() async {
    await #expect(processExitsWith: .success) {
      let file = try JournalFile()
      signal(SIGXFSZ, SIG_IGN)
      let journal = try file.open()
      let (conversation, turn) = try await journal.beginTalk()
      try await journal.beginRun("a-1", in: conversation)
      for number in 0..<40 { try await Filling.append(number, to: journal, conversation, turn) }
      let path = file.folder.appending(path: "talk.jsonl").path
      let reader = JournalReader(journal)
      // The journal itself has enough room to be read.
      let length = try await reader.export("talk").content.count
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var bound = limit
      bound.rlim_cur = rlim_t(length - 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound)
      await #expect(throws: SessionError.self) { try await reader.export("talk", to: path) }
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  // Runs in its own process because the file size limit applies to the whole process.
  @Test func `does not blame the file that a session is imported from`() async {
    await #expect(processExitsWith: .success) {
      let file = try JournalFile()
      signal(SIGXFSZ, SIG_IGN)
      let journal = try file.open()
      try await journal.play("one")
      let path = file.folder.appending(path: "one.jsonl").path
      try await file.reader().export("one", to: path)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var bound = limit
      // A journal is larger even without a session.
      bound.rlim_cur = 16 << 10
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound)
      let error = await #expect(throws: JournalError.self) {
        try await journal.importSession(from: path, as: "two")
      }
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      guard case .unwritable(file.path, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try await journal.importSession(from: path, as: "two")
      #expect(try await file.reader().inspect().flaws == [])
    }
  }

  @Test(.enabled(if: Filling.canMount, "only root can mount a small disk"))
  func `on a disk that is full says so of a session that is imported`() async throws {
    let file = try JournalFile()
    let source = try file.open()
    try await source.play("one")
    let content = try await file.reader().export("one").content
    let disk = try SmallDisk(size: "2m")
    defer { disk.unmount() }
    let path = disk.folder + "/journal.sqlite"
    let journal = try Journal(path: path)
    try await journal.play("local")
    let others = disk.folder + "/others"
    #expect(FileManager.default.createFile(atPath: others, contents: nil))
    let rest = try #require(FileHandle(forWritingAtPath: others))
    while (try? rest.write(contentsOf: Data(count: 4096))) != nil {}
    try rest.close()
    await #expect(throws: JournalError.full(path: path)) {
      try await journal.importSession(content, from: "one.jsonl")
    }
    try FileManager.default.removeItem(atPath: others)
    try await journal.importSession(content, from: "one.jsonl")
    try journal.close()
  }

  @Test(.enabled(if: Filling.canMount, "only root can mount a small disk"))
  func `on a disk that is full says so`() async throws {
    let disk = try SmallDisk(size: "2m")
    defer { disk.unmount() }
    let path = disk.folder + "/journal.sqlite"
    do {
      let journal = try Journal(path: path)
      let (conversation, turn) = try await journal.beginTalk()
      try await journal.beginRun("a-1", in: conversation)
      let accepted = try await Filling.fill(journal, conversation, turn) { error in
        #expect(error == .full(path: path))
      }
      #expect((1..<1000).contains(accepted))
      let reader = JournalReader(journal)
      #expect(try await reader.entries(of: conversation).count == accepted + 1)
      try journal.close()
    }
    // No other kind of error keeps the journal from being opened again.
    let reader = try #require(try JournalReader(path: path))
    #expect(try await reader.inspect().flaws == [])
  }

  @Test(.enabled(if: Filling.canMount, "only root can mount a small disk"))
  func `ends the turns that it has begun, and begins no other`() async throws {
    let disk = try SmallDisk(size: "2m")
    defer { disk.unmount() }
    let path = disk.folder + "/journal.sqlite"
    let journal = try Journal(path: path)
    let conversations = try await journal.talks(8)
    try await journal.beginRun("a-1", in: conversations[0].conversation)
    let full = { (error: JournalError) in #expect(error == .full(path: path)) }
    let (conversation, turn) = (conversations[0].conversation, conversations[0].turn)
    let others = disk.folder + "/others"
    #expect(FileManager.default.createFile(atPath: others, contents: Data(count: 256 << 10)))
    _ = try await Filling.fill(journal, conversation, turn, onRefusal: full)
    // Fill the rest of the disk to the last byte.
    let rest = try #require(FileHandle(forWritingAtPath: others))
    try rest.seekToEnd()
    while (try? rest.write(contentsOf: Data(count: 4096))) != nil {}
    try await journal.end(turn, of: conversation, .failed("no room"), revertingTo: "a")
    try await withThrowingTaskGroup { group in
      for (other, turn) in conversations.dropFirst() {
        group.addTask {
          try await journal.end(turn, of: other, .failed("no room"), revertingTo: "a")
        }
        // Nothing else may use the room reserved for turns that have not ended.
        group.addTask {
          await #expect(throws: JournalError.full(path: path)) {
            try await Filling.append(1, to: journal, conversation, turn)
          }
        }
        group.addTask {
          await #expect(throws: JournalError.full(path: path)) {
            try await journal.beginTurn("more", in: conversation)
          }
        }
      }
      try await group.waitForAll()
    }
    for (conversation, _) in conversations {
      let turns = try await JournalReader(journal).turns(of: conversation)
      #expect(turns.map(\.exit) == [.failed("no room")])
    }
    // The ends have left too little room for another turn.
    await #expect(throws: JournalError.full(path: path)) {
      try await journal.beginTurn("again", in: conversation)
    }
    try rest.close()
    try FileManager.default.removeItem(atPath: others)
    let next = try await journal.beginTurn("again", in: conversation)
    try await journal.end(next, of: conversation)
    try journal.close()
  }

  @Test(.enabled(if: Filling.canMount, "only root can mount a small disk"))
  func `ends them also where much has not been moved into the file yet`() async throws {
    let disk = try SmallDisk(size: "8m")
    defer { disk.unmount() }
    let path = disk.folder + "/journal.sqlite"
    let journal = try Journal(path: path)
    let conversations = try await journal.talks(8)
    try await journal.beginRun("a-1", in: conversations[0].conversation)
    // While a reader holds the first snapshot, later pages cannot be moved into the main file.
    let reader = try #require(journal.database as? DatabasePool).makeSnapshot()
    let accepted = try await Filling.fill(
      journal,
      conversations[0].conversation,
      conversations[0].turn
    )
    try #require((200..<1000).contains(accepted))
    try reader.close()
    for (conversation, turn) in conversations {
      try await journal.end(turn, of: conversation, .failed("no room"), revertingTo: "a")
    }
    try journal.close()
  }

  @Test func `in a folder's place says so`() throws {
    let file = try JournalFile()
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    let folder = JournalError.unwritable(path: file.path, reason: "it is a folder")
    #expect(throws: folder) { try file.open() }
    #expect(throws: folder) { try file.reader() }
  }
}

extension Journal {
  /// Begins `count` conversations with one turn each.
  fileprivate func talks(_ count: Int) async throws -> [(conversation: Int64, turn: Int64)] {
    var talks: [(conversation: Int64, turn: Int64)] = []
    for number in 0..<count {
      talks.append(try await beginTalk("talk-\(number)"))
    }
    return talks
  }
}

/// A small disk that fills up quickly.
private struct SmallDisk {
  private let file: JournalFile
  let folder: String

  init(size: String) throws {
    file = try JournalFile()
    folder = file.folder.appending(path: "disk").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try #require(Filling.mount(folder, size: size))
  }

  func unmount() { umount2(folder, 2) }
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

  /// Appends entries until one is refused and returns how many were accepted.
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
      in: conversation,
      turn: turn,
      run: "a-1"
    )
  }

  /// Expects that all accepted entries are there and that the next one is accepted.
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

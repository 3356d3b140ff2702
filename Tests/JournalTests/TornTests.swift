import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// A journal of which only a part has survived.
@Suite(.timeLimit(.minutes(10))) struct `A journal that was cut` {
  private static let answers = 60

  /// Returns the files of a journal as a killed process leaves them.
  ///
  /// Some entries are in the main file and the later ones in the log beside it.
  private static func files() async throws -> (main: [UInt8], log: [UInt8]) {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.beginRun("a-1", in: conversation)
    for number in 0..<answers {
      // Long enough to occupy pages of their own, whose loss shows only when they are read.
      try await journal.append(
        .response("\(number) " + String(repeating: "long ", count: 1000)),
        in: conversation,
        turn: turn,
        run: "a-1"
      )
      if number == answers / 2 {
        _ = try await journal.database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      }
    }
    let bytes = try ["", "-wal"].map {
      [UInt8](try Data(contentsOf: URL(filePath: file.path + $0)))
    }
    withExtendedLifetime(journal) {}
    return (bytes[0], Array(bytes[1].prefix(end(of: bytes[1]))))
  }

  /// The end of the used part of the log; the room allocated in advance follows it.
  private static func end(of log: [UInt8]) -> Int {
    let (head, frame) = (32, 24 + 4096)
    guard let last = log.lastIndex(where: { $0 != 0 }), last >= head else { return log.count }
    return min(log.count, head + ((last - head) / frame + 1) * frame)
  }

  /// The numbers of the answers in a journal made of these files, or `nil` if it is refused.
  private static func answers(main: [UInt8], log: [UInt8]?) async throws -> [Int]? {
    let file = try JournalFile()
    try Data(main).write(to: URL(filePath: file.path))
    if let log { try Data(log).write(to: URL(filePath: file.path + "-wal")) }
    let journal: Journal
    do {
      journal = try file.open()
    } catch JournalError.damaged {
      // A refused file is left unchanged.
      #expect(try [UInt8](Data(contentsOf: URL(filePath: file.path))) == main)
      return nil
    }
    do {
      let reader = JournalReader(journal)
      let conversation = try #require(try await reader.conversation(named: "talk"))
      let entries = try await reader.entries(of: conversation.id).dropFirst()
      // The journal can still be continued.
      try await journal.beginTurn("again", in: conversation.id)
      #expect(try await reader.inspect().flaws == [])
      return entries.compactMap { record in
        guard case .response(let response) = record.entry else { return nil }
        return Int(response.segments.joinedText.prefix { $0.isNumber })
      }
    } catch JournalError.damaged {
      return nil
    } catch JournalError.unreadable {
      // The page is valid but the value on it has changed, which every reader is told.
      return nil
    }
  }

  @Test func `beside the file goes on with a prefix`() async throws {
    let (main, log) = try await Self.files()
    let all = Array(0..<Self.answers)
    #expect(try await Self.answers(main: main, log: log) == all)
    var counts: [Int] = []
    for cut in Self.places(in: log) {
      let found = try #require(try await Self.answers(main: main, log: Array(log[..<cut])))
      #expect(found == Array(all.prefix(found.count)), "at \(cut)")
      counts.append(found.count)
    }
    // Nothing in the main file is lost, and a longer log never yields fewer answers.
    #expect(counts.min() == Self.answers / 2 + 1)
    #expect(counts == counts.sorted())
  }

  @Test func `in the file itself is refused, unless nothing is missing`() async throws {
    let (main, log) = try await Self.files()
    let all = Array(0..<Self.answers)
    let before = Array(all.prefix(Self.answers / 2 + 1))
    #expect(try await Self.answers(main: main, log: nil) == before)
    for cut in Self.places(in: main) {
      let part = Array(main[..<cut])
      let (alone, both) = (
        try await Self.answers(main: part, log: nil), try await Self.answers(main: part, log: log)
      )
      #expect(alone == nil, "at \(cut)")
      #expect(both == nil || both == all, "at \(cut)")
    }
  }

  @Test func `to nothing is refused, and so is one that is gone`() async throws {
    let (main, log) = try await Self.files()
    #expect(try await Self.answers(main: [], log: nil) == nil)
    #expect(try await Self.answers(main: [], log: log) == nil)
    let file = try JournalFile()
    try Data(log).write(to: URL(filePath: file.path + "-wal"))
    let error = #expect(throws: JournalError.self) { try file.open() }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try [UInt8](Data(contentsOf: URL(filePath: file.path + "-wal"))) == log)
    withExtendedLifetime(main) {}
  }

  /// Places throughout the file, including every byte around some boundaries.
  private static func places(in bytes: [UInt8]) -> [Int] {
    let borders = [0, 32, 100, 4096, 8192, bytes.count - 4096, bytes.count]
    let near = borders.flatMap { border in (border - 3)...(border + 3) }
    let spread = stride(from: 1, to: bytes.count, by: bytes.count / 40)
    return Set(near + Array(spread)).filter { $0 > 0 && $0 < bytes.count }.sorted()
  }
}

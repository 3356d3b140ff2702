import AgentKit
import Foundation
import Journal

/// A journal as a killed process leaves it: what was said first is in the file, and the rest in the log
/// that SQLite keeps beside it.
struct TornJournal {
  /// What a part of it came to.
  enum Outcome: Hashable {
    /// It goes on with the first of what was said, so many, and nothing else.
    case first(Int)
    case refused
    /// Something is there that was never said, or whose predecessors are not.
    case broken
  }

  static let count = 40
  /// How many are in the file itself.
  static let settled = count / 2

  let main: [UInt8]
  let log: [UInt8]
  /// How much of the log was written when each of those in it had been accepted, in bytes.
  let accepted: [Int]
  /// The file with everything in it.
  let merged: [UInt8]
  private let folder: String

  /// Makes one in a folder.
  init(in folder: String) async throws {
    self.folder = folder
    let path = folder + "/whole.sqlite"
    let journal = try Journal(path: path)
    for number in 0..<Self.settled { try await Self.say(number, in: journal) }
    // What is closed is all in the file.
    try journal.close()
    main = try Self.bytes(path)
    let other = try Journal(path: path)
    var sizes: [Int] = []
    for number in Self.settled..<Self.count {
      try await Self.say(number, in: other) { sizes.append(try Self.log(of: path).count) }
    }
    (accepted, log) = (sizes, try Self.log(of: path))
    guard try Self.bytes(path) == main else {
      throw Broken(description: "The log was moved into the file too early to be torn.")
    }
    try other.close()
    merged = try Self.bytes(path)
  }

  /// How many had been accepted when the log was so long.
  func acceptedCount(at length: Int) -> Int {
    Self.settled + accepted.count { $0 <= length }
  }

  /// Opens a part of it, as the next coordinator would.
  func open(_ main: [UInt8], log: [UInt8] = []) async throws -> Outcome {
    let path = folder + "/part.sqlite"
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    try Data(main).write(to: URL(filePath: path))
    if !log.isEmpty { try Data(log).write(to: URL(filePath: path + "-wal")) }
    return try await Self.outcome(path)
  }

  static func outcome(_ path: String) async throws -> Outcome {
    do {
      let journal = try Journal(path: path)
      let said = try await texts(in: journal)
      try journal.close()
      return judge(said)
    } catch JournalError.damaged {
      return .refused
    } catch JournalError.unreadable {
      return .refused
    }
  }

  static func judge(_ said: [String]) -> Outcome {
    said == said.indices.map(words) ? .first(said.count) : .broken
  }

  /// Says a number; a turn of its own.
  static func say(
    _ number: Int,
    in journal: Journal,
    onAcceptance: () throws -> Void = {}
  ) async throws {
    let conversation = try await journal.conversation(named: "torn", holder: "a")
    let prompt = Transcript.Prompt(segments: [.text(.init(content: words(number)))])
    let (turn, _) = try await journal.beginTurn(in: conversation.id, prompt: .prompt(prompt))
    try onAcceptance()
    try await journal.endTurn(turn.id, exit: .answered, revertingTo: nil)
  }

  /// Long enough for pages of its own, so that the last of all is one.
  static func words(_ number: Int) -> String {
    "\(number) " + String(repeating: "words of \(number) ", count: 900)
  }

  private static func texts(in journal: Journal) async throws -> [String] {
    let reader = JournalReader(journal)
    guard let conversation = try await reader.conversation(named: "torn") else { return [] }
    return try await reader.entries(of: conversation.id).map { record in
      guard case .prompt(let prompt) = record.entry, case .text(let text) = prompt.segments.first
      else { return "" }
      return text.content
    }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  /// The log without the room that was written ahead: up to the last page that is not empty.
  private static func log(of path: String) throws -> [UInt8] {
    let bytes = try bytes(path + "-wal")
    guard let last = bytes.lastIndex(where: { $0 != 0 }), last >= head else { return bytes }
    return Array(bytes.prefix(head + ((last - head) / frame + 1) * frame))
  }

  /// What the log begins with, in bytes.
  private static let head = 32
  /// A page in the log comes with a head of its own.
  static let frame = 24 + 4096
}

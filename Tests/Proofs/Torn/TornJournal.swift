import AgentKit
import Foundation
import Journal

/// A journal as a killed process leaves it: what was said first is in the file, the rest in
/// SQLite's log beside it.
struct TornJournal {
  /// What a part of the journal opens as.
  enum Outcome: Hashable {
    /// It continues from this many of the first things said, and nothing else.
    case first(Int)
    case refused
    /// It contains something that was never said, or whose predecessors are missing.
    case broken
  }

  static let count = 40
  /// How many are in the file itself.
  static let settled = count / 2

  let main: [UInt8]
  let log: [UInt8]
  /// The length of the log, in bytes, when each of the prompts in it had been accepted.
  let accepted: [Int]
  /// The file with everything in it.
  let merged: [UInt8]
  private let folder: String

  /// Creates one in a folder.
  init(in folder: String) async throws {
    self.folder = folder
    let path = folder + "/whole.sqlite"
    let journal = try Journal(path: path)
    for number in 0..<Self.settled { try await Self.say(number, in: journal) }
    // Closing moves everything into the file.
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

  /// Returns how many had been accepted when the log had this length.
  func acceptedCount(at length: Int) -> Int {
    Self.settled + accepted.count { $0 <= length }
  }

  /// Opens a part of the journal, as the next coordinator would.
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

  /// Says a number in a turn of its own.
  static func say(
    _ number: Int,
    in journal: Journal,
    onAcceptance: () throws -> Void = {}
  ) async throws {
    let conversation = try await journal.conversation(named: "torn", holder: "a")
    let prompt = Transcript.Prompt(segments: [.text(.init(content: words(number)))])
    let (turn, _) = try await journal.beginTurn(
      in: conversation.id,
      prompt: RawEntry(.prompt(prompt)),
      caps: "{}"
    )
    try onAcceptance()
    try await journal.append(
      [.ended(.answered, revertingTo: nil)],
      in: conversation.id,
      turn: turn.id
    )
  }

  /// Returns text long enough for pages of its own, so that the last page is one of them.
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

  /// Returns the log without the space allocated ahead: up to the last page that is not empty.
  private static func log(of path: String) throws -> [UInt8] {
    let bytes = try bytes(path + "-wal")
    guard let last = bytes.lastIndex(where: { $0 != 0 }), last >= head else { return bytes }
    return Array(bytes.prefix(head + ((last - head) / frame + 1) * frame))
  }

  /// The size of the log's header, in bytes.
  private static let head = 32
  /// The size of a page in the log, including its own header.
  static let frame = 24 + 4096
}

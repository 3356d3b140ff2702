import AgentKit
import Foundation
import GRDB
import Synchronization
import Testing
import Wire

@testable import Coordination
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `An image that comes with a prompt` {
  /// The head of a PNG file, padded to `count` bytes.
  static func png(_ count: Int = 29) -> Data {
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    let whole = Data(head + Array("IHDR".utf8) + [0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0])
    return whole + Data(count: max(0, count - whole.count))
  }

  @Test func `reaches the worker with its bytes, and is journaled once`() async throws {
    let seen = Mutex<[Data]>([])
    let table = try Table([
      "a": serving { turn in
        let attachments = turn.order.entries.flatMap(\.segments.attachments)
        seen.withLock { $0 += attachments.compactMap(\.image.data) }
        return try await turn.answer("a crane")
      }
    ])
    let image = PromptImage(path: "/photos/crane.png", data: Self.png())
    let talk = try await table.talk
    for images in [[image], []] {
      let summary = try await talk.respond(to: "What is it?", images: images, caps: Caps()) { _ in }
      #expect(summary?.answer == "a crane")
    }
    #expect(seen.withLock { $0 } == [Self.png()])
    #expect(
      try await table.words().first == "prompt: [image, crane.png, PNG, 2×3, 29 bytes]\nWhat is it?"
    )
    #expect(try await rows(of: table, with: Self.png().base64EncodedString()) == 1)
    // Proves that the search works: the row of the worker's life names its model.
    #expect(try await rows(of: table, with: "fake.gguf") > 0)
  }

  /// Counts the journal rows that contain a text.
  private func rows(of table: Table, with text: String) async throws -> Int {
    try await table.journal.database.read { db in
      let names = try String.fetchAll(
        db,
        sql: "SELECT name FROM sqlite_master WHERE type = 'table'"
      )
      return try names.reduce(0) { count, name in
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"")
        return count + rows.count { $0.description.contains(text) }
      }
    }
  }

  @Test func `is refused before anything is journaled when no model could be shown it`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    let talk = try await table.talk
    let image = PromptImage(path: "/photos/crane.gif", data: Data("GIF89a".utf8))
    let error = await #expect(throws: ConversationError.self) {
      try await talk.respond(to: "What is it?", images: [image], caps: Caps()) { _ in }
    }
    #expect("\(try #require(error))".contains("crane.gif"))
    #expect("\(try #require(error))".contains("neither a PNG nor a JPEG"))
    #expect(try await table.words().isEmpty)
  }

  @Test func `is refused where a worker could not be sent them all`() async throws {
    let table = try Table(["a": answering("hello")])
    let talk = try await table.talk
    let half = PromptImage(data: Self.png(ImageFile.maximumBytes / 2 + 1))
    let first = try await talk.respond(to: "One", images: [half], caps: Caps()) { _ in }
    #expect(first?.answer == "hello")
    await #expect(
      throws: ConversationError.imagesTooLarge(
        bytes: (ImageFile.maximumBytes / 2 + 1) * 2,
        limit: ImageFile.maximumBytes
      )
    ) {
      try await talk.respond(to: "Two", images: [half], caps: Caps()) { _ in }
    }
    #expect(try await talk.respond(to: "Three", caps: Caps()) { _ in }?.answer == "hello")
  }
}

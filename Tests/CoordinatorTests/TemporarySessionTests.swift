import Foundation
import Journal
import Logging
import TestSupport
import Testing

@testable import Coordinator

struct `Temporary sessions that a coordinator left behind` {
  @Test func `are removed with the outputs that were kept for them`() async throws {
    let home = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: home) }
    let folders = try Folders(environment: ["ORCHESTRATOR_HOME": home])
    try folders.make()
    let journal = try Journal(path: folders.journal)
    let store = OutputStore(folder: folders.outputs)
    let text = String(repeating: "x", count: 20_000)
    for (name, isTemporary) in [("gone", true), ("kept", false)] {
      let start = ConversationStart(name: name, holder: "a", isTemporary: isTemporary)
      _ = try await journal.conversation(start, history: [])
      _ = store.fitted(text, of: "a", session: name, window: nil)
    }
    try await Coordinator.removeTemporary(
      journal,
      folders,
      Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    #expect(try await JournalReader(journal).conversations().map(\.name) == ["kept"])
    #expect(store.read("a-1", from: 0, session: "gone", window: nil) == nil)
    #expect(store.read("a-1", from: 0, session: "kept", window: nil) != nil)
  }
}

import AgentKit
import Synchronization
import Testing

/// What a host is shown of an answer while a model generates it.
@Suite(.timeLimit(.minutes(5)))
struct `A change of a growing text` {
  /// A host that keeps what it is shown.
  private final class Showing: LenientHost {
    private let shown = Mutex<[TextChange]>([])

    var changes: [TextChange] { shown.withLock { $0 } }

    func show(_ change: TextChange) async { shown.withLock { $0.append(change) } }
  }

  private typealias Action = LanguageModelExecutorGenerationChannel.Response.Action

  /// Returns the changes that parts of an answer make.
  private func changes(_ actions: Action...) async throws -> [TextChange] {
    let model = DirectModel { channel in
      for action in actions { await channel.send(.response(entryID: "e", action: action)) }
    }
    let host = Showing()
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Go"))])
    _ = try await LanguageModelSession(model: model).run(.prompt(prompt), host: host)
    return host.changes
  }

  @Test func `is what was appended, after all that there was`() async throws {
    let changes = try await changes(
      .appendText("Für", tokenCount: 1),
      .appendText(" dich", tokenCount: 1),
      .appendText("One", segmentID: "2", tokenCount: 1),
      .appendText("!", segmentID: "2", tokenCount: 1)
    )
    #expect(changes.map(\.keptBytes) == [0, 4, 9, 13])
    #expect(changes.map(\.added) == ["Für", " dich", "\nOne", "!"])
  }

  @Test func `is what follows the common beginning, where text was replaced`() async throws {
    let changes = try await changes(
      .appendText("One é", tokenCount: 1),
      // The characters differ in their second byte.
      .replaceTextSegment("One è", tokenCount: 1),
      .replaceTextSegment("On", tokenCount: 1)
    )
    #expect(changes.map(\.keptBytes) == [0, 4, 2])
    #expect(changes.map(\.added) == ["One é", "è", ""])
  }

  @Test func `is all that follows, where text was appended in the middle`() async throws {
    let changes = try await changes(
      .appendText("One", segmentID: "1", tokenCount: 1),
      .appendText("Two", segmentID: "2", tokenCount: 1),
      .appendText("!", segmentID: "1", tokenCount: 1)
    )
    #expect(changes.map(\.keptBytes) == [0, 3, 3])
    #expect(changes.map(\.added) == ["One", "\nTwo", "!\nTwo"])
  }
}

import AgentKit
import Foundation
import Testing

/// What people read of the errors that an agent's code throws.
@Suite struct `A failure's reason` {
  private struct Closed: LocalizedError {
    var errorDescription: String? { "The shop is closed." }
  }

  private struct Precise: LocalizedError, CustomDebugStringConvertible {
    var errorDescription: String? { "The shop is closed." }
    var debugDescription: String { "The shop is closed until 9." }
  }

  private struct Silent: LocalizedError {
    var day = 7
  }

  private static let cases: [(any Error, String)] = [
    (Closed(), "The shop is closed."),
    (Precise(), "The shop is closed until 9."),
    (Silent(), "Silent(day: 7)"),
    (Mishap(), #"Mishap(cause: "tool")"#),
  ]

  @Test func `of a script that has ended says how many steps there were`() async {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("Hello.")))
    _ = try? await session.respond(to: "Hi")
    let error = await #expect(throws: ScriptedLanguageModel.ScriptEnded.self) {
      try await session.respond(to: "Again")
    }
    let words = "The script has no step left for this request: it has 1,"
    #expect(error.map { "\(TurnExit(throwing: $0))" }?.hasPrefix("failed: \(words)") == true)
  }

  @Test(arguments: cases)
  func `is in the error's own words, as far as it has any`(error: any Error, words: String) {
    let exit = TurnExit(throwing: error)
    #expect("\(exit)".hasPrefix("failed: ") && "\(exit)".hasSuffix(words), "\(exit)")
    let tool = Doing("fail") { _ in throw error }
    let failure = LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
    #expect(failure.debugDescription.hasSuffix(words), "\(failure.debugDescription)")
  }
}

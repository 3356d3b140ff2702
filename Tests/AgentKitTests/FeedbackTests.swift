import AgentKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A feedback attachment` {
  private func read(_ data: Data) throws -> GeneratedContent {
    try GeneratedContent(json: String(decoding: data, as: UTF8.self))
  }

  @Test func `holds what was thought, and all that was said`() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("No.")))
    try await session.respond(to: "Is it?")
    let data = session.logFeedbackAttachment(
      sentiment: .negative,
      issues: [.init(category: .incorrect, explanation: "It is.")],
      desiredResponseText: "Yes."
    )
    let document = try read(data)
    #expect(try document.value(String.self, forProperty: "sentiment") == "negative")
    let issues = try document.value([GeneratedContent].self, forProperty: "issues")
    #expect(try issues.map { try $0.value(String.self, forProperty: "category") } == ["incorrect"])
    let transcript = try document.value(GeneratedContent.self, forProperty: "session").jsonString
    let copy = try JSONDecoder().decode(Transcript.self, from: Data(transcript.utf8))
    #expect(copy.outline == session.transcript.outline)
    let desired = try document.value(GeneratedContent.self, forProperty: "desiredOutput").jsonString
    #expect(
      try JSONDecoder().decode(Transcript.Entry.self, from: Data(desired.utf8)).outline
        == "response: Yes."
    )
  }

  @Test func `may be about a structured answer, or about nothing`() throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel())
    let structured = session.logFeedbackAttachment(
      sentiment: nil,
      desiredResponseContent: Person(name: "Ann", age: nil)
    )
    #expect(try read(structured).jsonString.contains(#""name": "Ann""#))
    #expect(!session.logFeedbackAttachment(sentiment: .positive).isEmpty)
  }
}

@Suite(.timeLimit(.minutes(5)))
struct `An error of a model` {
  @Test func `says what happened`() {
    let errors: [LanguageModelError] = [
      .contextSizeExceeded(.init(contextSize: 8, tokenCount: 9, debugDescription: "1")),
      .rateLimited(.init(resetDate: .now, debugDescription: "2")),
      .guardrailViolation(.init(debugDescription: "3")),
      .refusal(.init(explanation: "I will not.", debugDescription: "4")),
      .unsupportedCapability(.init(capability: .vision, debugDescription: "5")),
      .unsupportedTranscriptContent(.init(unsupportedContent: [], debugDescription: "6")),
      .unsupportedGenerationGuide(.init(schemaName: "S", debugDescription: "7")),
      .unsupportedLanguageOrLocale(.init(languageCode: "de", debugDescription: "8")),
      .timeout(.init(debugDescription: "9", metadata: ["seconds": 60])),
    ]
    #expect(errors.map(\.debugDescription) == (1...9).map(String.init))
    #expect(errors.map(\.errorDescription) == (1...9).map(String.init))
  }

  @Test func `explains a refusal, at once and as a stream`() async throws {
    let refusal = LanguageModelError.Refusal(explanation: "I will not.", debugDescription: "no")
    #expect(try await refusal.explanation.content == "I will not.")
    var texts: [String] = []
    for try await snapshot in refusal.explanationStream { texts.append(snapshot.content) }
    #expect(texts == ["I will not."])
    #expect(try await refusal.explanationStream.collect().content == "I will not.")
  }
}

import Foundation
import Testing

@testable import AgentKit

/// Checks what is known about a context without rendering it.
@Suite(.timeLimit(.minutes(5))) struct `A context whose tokens are not counted` {
  private func meter() throws -> ContextMeter {
    let model = ScriptedLanguageModel(.text("ok")).contextSize(2000)
    return ContextMeter(model: try #require(model as? any LocalLanguageModel), tools: [])
  }

  private func prompt(words count: Int) -> Transcript.Entry {
    let text = Array(repeating: "abcdefghi", count: count).joined(separator: " ")
    return .prompt(.init(segments: [.text(.init(content: text))]))
  }

  @Test func `certainly fits when its bytes do, or the tokens of its texts`() throws {
    let meter = try meter()
    #expect(meter.certainlyFits([prompt(words: 100)], into: 1600))
    // 2,000 bytes and 200 tokens.
    #expect(meter.certainlyFits([prompt(words: 200)], into: 800))
    #expect(!meter.certainlyFits([prompt(words: 200)], into: 700))
  }

  @Test func `is uncertain with an image, whose tokens only its model knows`() throws {
    let meter = try meter()
    var entries = [prompt(words: 1)]
    #expect(meter.certainlyFits(entries, into: 1600))
    let image = Attachment(imageData: Data([0x89])).promptRepresentation
    entries.append(.prompt(.init(segments: image.segments)))
    #expect(!meter.certainlyFits(entries, into: 1600))
  }

  @Test func `counts calls and outputs by their bytes, for templates write them as JSON`() throws {
    let meter = try meter()
    let words = Array(repeating: "abcdefghi", count: 200).joined(separator: " ")
    let segments = [Transcript.Segment.text(.init(content: words))]
    #expect(meter.certainlyFits([.response(.init(segments: segments))], into: 800))
    let output = Transcript.ToolOutput(id: "1", toolName: "read", segments: segments)
    #expect(!meter.certainlyFits([.toolOutput(output)], into: 800))
  }

  @Test func `counts the schema that its prompt shows`() throws {
    let meter = try meter()
    var prompt = Transcript.Prompt(segments: [.text(.init(content: "A title"))])
    #expect(meter.certainlyFits([.prompt(prompt)], into: 600))
    let properties = (0..<40).map {
      GenerationSchema.Property(name: "property \($0)", description: "a word", type: String.self)
    }
    prompt.responseFormat = .init(
      schema: GenerationSchema(type: GeneratedContent.self, properties: properties)
    )
    prompt.contextOptions.includeSchemaInPrompt = true
    #expect(!meter.certainlyFits([.prompt(prompt)], into: 600))
  }
}

import AgentKit
import Testing
import Transcripts

/// Checks a transcript in the form in which a chat template and a server receive it.
struct `A transcript as messages` {
  private func contents(_ entries: [Transcript.Entry], of key: String) throws -> [String?] {
    try ChatMessages(entries).messages.map {
      try $0.content.value(String?.self, forProperty: key)
    }
  }

  private func prompt(
    shows: Bool?,
    format: Transcript.ResponseFormat? = .init(type: Person.self)
  ) -> Transcript.Entry {
    .prompt(
      .init(
        segments: [.text(.init(content: "Who?"))],
        responseFormat: format,
        contextOptions: ContextOptions(includeSchemaInPrompt: shows)
      )
    )
  }

  @Test(arguments: [true, nil] as [Bool?])
  func `shows the schema of the answer unless the prompt hides it`(shows: Bool?) throws {
    let schema = Person.generationSchema.jsonSchema.jsonString
    let shown = try contents([prompt(shows: shows)], of: "content")
    #expect(shown == ["Who?\n\nAnswer with JSON that follows this schema: \(schema)"])
    #expect(try contents([prompt(shows: false)], of: "content") == ["Who?"])
    // An answer in text has none.
    #expect(try contents([prompt(shows: shows, format: nil)], of: "content") == ["Who?"])
  }

  @Test func `keeps every thought before an answer`() throws {
    func thought(_ text: String) -> Transcript.Entry {
      .reasoning(.init(segments: [.text(.init(content: text))]))
    }
    let answer = Transcript.Entry.response(.init(segments: [.text(.init(content: "Yes."))]))
    let thoughts = try contents(
      [thought("Hm."), thought("So."), answer, thought("Or."), answer],
      of: "reasoning_content"
    )
    #expect(thoughts == ["Hm.\nSo.", "Or."])
    // Reasoning for a prompt that was never answered does not belong to the next answer.
    let later = try contents(
      [thought("Hm."), prompt(shows: nil), answer, prompt(shows: nil), thought("Or."), answer],
      of: "reasoning_content"
    )
    #expect(later == [nil, nil, nil, "Or."])
  }

  /// Returns the numbers of the calls and outputs in the messages, in order.
  private func numbers(_ entries: some Sequence<Transcript.Entry>) -> [Int?] {
    ChatMessages(entries).content.jsonString
      .matches(of: /call([0-9]{5})/).map { Int($0.output.1) }
  }

  private func calls(_ ids: String...) -> Transcript.Entry {
    let calls = ids.map { id in
      Transcript.ToolCall(id: id, toolName: "look", arguments: GeneratedContent(properties: [:]))
    }
    return .toolCalls(.init(calls))
  }

  private func output(_ id: String) -> Transcript.Entry {
    .toolOutput(.init(id: id, toolName: "look", segments: [.text(.init(content: "Seen."))]))
  }

  @Test func `numbers each call anew, and its output like it, whatever the model called it`() {
    let entries = [
      calls("a", "b"), output("b"), output("a"), calls("a", "a"), output("a"), output("a"),
    ]
    let all = numbers(entries)
    #expect(all == [0, 1, 1, 0, 2, 3, 2, 3])
    // What is added later changes nothing before it.
    for count in entries.indices {
      #expect(all.starts(with: numbers(entries.prefix(count))), "\(count)")
    }
  }

  @Test func `numbers outputs like the calls since the last prompt`() {
    #expect(numbers([calls("a"), prompt(shows: nil), calls("a"), output("a")]) == [0, 1, 1])
    #expect(numbers([output("a"), calls("a"), output("a")]) == [0, 1, 1])
  }
}

import AgentKit
import Testing

/// Checks a transcript in the form in which a chat template and a server receive it.
struct `A transcript as messages` {
  private func contents(_ entries: [Transcript.Entry], of key: String) throws -> [String?] {
    try ChatMessages(entries, identities: .own).messages.map {
      try $0.content.value(String?.self, forProperty: key)
    }
  }

  private func prompt(shows: Bool?) -> Transcript.Entry {
    .prompt(
      .init(
        segments: [.text(.init(content: "Who?"))],
        responseFormat: .init(type: Person.self),
        contextOptions: ContextOptions(includeSchemaInPrompt: shows)
      )
    )
  }

  @Test func `shows the schema of the answer where the prompt asks for it, and nowhere else`()
    throws
  {
    let schema = Person.generationSchema.jsonSchema.jsonString
    let shown = try contents([prompt(shows: true)], of: "content")
    #expect(shown == ["Who?\n\nAnswer with JSON that follows this schema: \(schema)"])
    for isShown in [false, nil] {
      #expect(try contents([prompt(shows: isShown)], of: "content") == ["Who?"])
    }
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
}

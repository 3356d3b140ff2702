import AgentKit
import Testing

@Suite struct `A partially generated value` {
  @Test func `has what there is and nil for the rest`() throws {
    let partial = try Letter.PartiallyGenerated(
      GeneratedContent(json: #"{"to": "Ann", "signature": {"name": "A."}}"#)
    )
    #expect(partial.to == "Ann")
    #expect(partial.pages == nil)
    #expect(partial.signature?.name == "A.")
    #expect(partial.signature?.isLegible == nil)
    #expect(partial.enclosures == nil)
  }

  @Test func `has partial elements in its arrays`() throws {
    let partial = try Tree.PartiallyGenerated(
      GeneratedContent(json: #"{"label": "a", "children": [{"label": "b"}, {}]}"#)
    )
    #expect(partial.children?.map(\.label) == ["b", nil])
  }

  @Test func `takes its identity from the content`() throws {
    let id = GenerationID()
    var content = GeneratedContent(properties: ["title": "T"], id: id)
    #expect(try Form.PartiallyGenerated(content).id == id)
    content.id = nil
    #expect(try Form.PartiallyGenerated(content).id != id)
  }

  @Test func `has the identity that the whole value has in the end`() throws {
    let id = GenerationID()
    for json in [#"{"searchTerm": "bo"#, #"{"searchTerm": "boats"}"#] {
      var content = try GeneratedContent(json: json)
      content.id = id
      #expect(try SearchTerm.PartiallyGenerated(content).id == id)
      #expect(try SearchTerm(content).id == id)
      #expect(try SearchTerm(content).asPartiallyGenerated().id == id)
    }
  }

  @Test func `leaves a stored id to the user`() throws {
    let partial = try Record.PartiallyGenerated(GeneratedContent(json: #"{"id": "r1"}"#))
    #expect(partial.id == "r1")
  }

  @Test func `is the user's own where there is one`() throws {
    let content = try GeneratedContent(json: #"{"text": "four"}"#)
    #expect(try OwnPartial.PartiallyGenerated(content).length == 4)
  }

  @Test func `of an enum is the enum`() {
    #expect(Mood.PartiallyGenerated.self == Mood.self)
  }
}

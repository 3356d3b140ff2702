import AgentKit
import Foundation
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

  @Test(arguments: [
    (#"{"step": {"type": "fold", "side": "le"#, nil),
    (#"{"step": {"type": "fold", "side": "left", "times": 1"#, nil),
    (
      #"{"step": {"type": "fold", "side": "left", "times": 12}"#,
      Step.fold(side: "left", times: 12)
    ),
    (#"{"step": {"type": "turn""#, nil), (#"{"step": {"type": "turn"}"#, .turn),
  ])
  func `has an enum with associated values when all of it is there`(
    json: String,
    step: Step?
  ) throws {
    #expect(try Instruction.PartiallyGenerated(GeneratedContent(json: json)).step == step)
  }

  @Test func `has the elements of a list of enums that are whole`() throws {
    let json = #"{"steps": [{"type": "turn"}, {"type": "fold", "side": "left", "times": 1"#
    let partial = try Instruction.PartiallyGenerated(GeneratedContent(json: json))
    #expect(partial.steps == [.turn])
  }

  @Test func `is the whole one of every number`() {
    #expect(Float.infinity.asPartiallyGenerated() == .infinity)
    #expect((-Float.infinity).asPartiallyGenerated() == -.infinity)
    #expect(Float.nan.asPartiallyGenerated().isNaN)
    #expect(Double.infinity.asPartiallyGenerated() == .infinity)
    #expect(Decimal.nan.asPartiallyGenerated().isNaN)
    #expect(Decimal(12.5).asPartiallyGenerated() == 12.5)
  }

  @Test func `of an enum is the enum`() {
    #expect(Mood.PartiallyGenerated.self == Mood.self)
  }
}

@Generable
enum Step: Equatable {
  case fold(side: String, times: Int)
  case turn
}

@Generable
private struct Instruction {
  var step: Step?
  var steps: [Step]?
}

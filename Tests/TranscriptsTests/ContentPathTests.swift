import AgentKit
import Testing

@testable import Transcripts

struct ContentPathTests {
  @Generable struct Line {
    var article: String
    var count: Int
  }

  @Generable struct Order {
    var lines: [Line]
    var sizes: [[Double]]
    var note: Note?

    @Generable struct Note { var isUrgent: Bool }
  }

  private static let fitting = #""lines": [], "sizes": []"#

  @Test(arguments: [
    (#"{"lines": 1, "sizes": []}"#, "The property 'lines' is not an array."),
    (
      #"{"lines": [{"article": "a", "count": 1}, {"article": "b", "count": "two"}], "sizes": []}"#,
      "The property 'lines', element 2, property 'count', is not an Int."
    ),
    (#"{"lines": [7], "sizes": []}"#, "The property 'lines', element 1, is not an object."),
    (
      #"{"lines": [{"article": "a"}], "sizes": []}"#,
      "The property 'lines', element 1, has no property 'count'."
    ),
    (
      #"{"lines": [], "sizes": [[1], [2, true]]}"#,
      "The property 'sizes', element 2, element 2, is not a Double."
    ),
    (
      #"{\#(Self.fitting), "note": {"isUrgent": "yes"}}"#,
      "The property 'note.isUrgent' is not a Bool."
    ),
    (#"{\#(Self.fitting), "note": true}"#, "The property 'note' is not an object."),
    (#"[]"#, "The content is not an object."),
  ])
  func `an error names the property that does not fit`(json: String, problem: String) throws {
    let content = try GeneratedContent(json: json)
    let error = #expect(throws: GeneratedContent.ParsingError.self) { try Order(content) }
    #expect(error?.debugDescription == problem)
  }

  @Test func `an error about content that is still being generated names the property`() throws {
    let content = try GeneratedContent(json: #"{"lines": [{"count": "two"}]}"#)
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try Order.PartiallyGenerated(content)
    }
    let problem = "The property 'lines', element 1, property 'count', is not an Int."
    #expect(error?.debugDescription == problem)
  }

  @Test func `an error about an element of a list names the element`() throws {
    let content = try GeneratedContent(json: "[1, 2, 0.5]")
    let error = #expect(throws: GeneratedContent.ParsingError.self) { try [Int](content) }
    #expect(error?.debugDescription == "The content, element 3, is not a whole number.")
    #expect(error?.rawContent == "0.5")
  }

  @Test func `an author's own error stays as it is`() throws {
    struct Picky: ConvertibleFromGeneratedContent {
      init(_ content: GeneratedContent) throws {
        throw GeneratedContent.ParsingError(rawContent: "", debugDescription: "Not today.")
      }
    }
    let content = try GeneratedContent(json: #"{"a": 1}"#)
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(Picky.self, forProperty: "a")
    }
    #expect(error?.debugDescription == "Not today.")
  }
}

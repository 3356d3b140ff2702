import AgentKit
import Testing

@Suite struct `A generable value` {
  let signature = Letter.Signature(name: "A.", isLegible: false)

  @Test func `of properties and cases named by keywords comes and goes`() throws {
    let text = #"{"default": "a", "content": 1, "init": true, "self": "b"}"#
    let value = try Keywords(GeneratedContent(json: text))
    #expect(value.`init` && value.`self` == "b")
    #expect(try Keywords(value.generatedContent).`init`)
    #expect(try Mood(Mood.`init`.generatedContent) == .`init`)
  }

  @Test func `reads each property from content`() throws {
    let content = try GeneratedContent(
      json: """
        {"to": "Ann", "pages": 2, "body": "Hello", "signature": {"name": "A.", "isLegible": false},
         "enclosures": [{"name": "B.", "isLegible": true}], "tags": ["x"]}
        """
    )
    let letter = try Letter(content)
    #expect(letter.to == "Ann")
    #expect(letter.pages == 2)
    #expect(letter.body == "Hello")
    #expect(letter.signature == signature)
    #expect(letter.enclosures.map(\.name) == ["B."])
    #expect(letter.tags == ["x"])
    #expect(letter.version == 1)
  }

  @Test func `keeps its memberwise initializer and writes back what it reads`() throws {
    let letter = Letter(
      to: "Ben",
      body: nil,
      signature: signature,
      enclosures: [signature],
      tags: ["x", "y"]
    )
    let copy = try Letter(letter.generatedContent)
    #expect(copy.to == "Ben")
    #expect(copy.pages == 1)
    #expect(copy.body == nil)
    #expect(copy.enclosures == [signature])
    #expect(copy.tags == ["x", "y"])
  }

  @Test func `has properties of the program's own, which have a value and no type`() throws {
    let row = try Row(GeneratedContent(json: #"{"title": "Boats"}"#))
    #expect(row.title == "Boats")
    #expect(!row.isExpanded)
    #expect(Row(title: "Kites").generatedContent.jsonString == #"{"title": "Kites"}"#)
    #expect(!Row.generationSchema.debugDescription.contains("isExpanded"))
  }

  @Test func `is given the identity of its content, and gives it back`() throws {
    let id = GenerationID()
    let term = try SearchTerm(GeneratedContent(properties: ["searchTerm": "boats"], id: id))
    #expect(term.id == id)
    #expect(term.generatedContent.id == id)
    #expect(term.generatedContent.keys == ["searchTerm"])

    let finding = Finding(id: id, page: nil, terms: [term])
    #expect(finding.generatedContent.id == id)
    #expect(finding.generatedContent.keys == ["terms"])
    #expect(try Finding(finding.generatedContent).terms.map(\.id) == [id])
  }

  @Test func `has an identity of its own where its content has none`() throws {
    let content = try GeneratedContent(json: #"{"searchTerm": "boats"}"#)
    #expect(try SearchTerm(content).id != SearchTerm(content).id)
  }

  @Test func `keeps the value of a constant that stands beside one without`() throws {
    let parcel = try Parcel(GeneratedContent(json: #"{"weight": 2, "depth": 3, "width": 4}"#))
    #expect(parcel.weight == 2)
    #expect(parcel.unit == "kg")
    #expect(parcel.generatedContent.keys == ["weight", "depth", "width"])
  }

  @Test func `is a finished one of those that stream`() {
    let letter = Letter(to: "Ben", body: nil, signature: signature, enclosures: [], tags: ["x"])
    let partial = letter.asPartiallyGenerated()
    #expect(partial.to == "Ben")
    #expect(partial.body == nil)
    #expect(partial.signature?.name == signature.name)
    #expect(partial.tags == ["x"])
  }

  @Test func `writes its properties in order and leaves nil out`() {
    let letter = Letter(to: "Ben", body: nil, signature: signature, enclosures: [], tags: [])
    #expect(letter.generatedContent.keys == ["to", "pages", "signature", "enclosures", "tags"])
  }

  @Test func `writes nil as null when told to`() {
    let form = Form(title: "T", note: nil)
    #expect(form.generatedContent.keys == ["title", "note"])
    guard case .structure(let values, _) = form.generatedContent.kind else {
      Issue.record("A form is an object.")
      return
    }
    #expect(values["note"]?.kind == .null)
  }

  @Test func `refuses content that lacks a property`() {
    #expect(throws: (any Error).self) {
      try Letter.Signature(GeneratedContent(json: #"{"name": "A."}"#))
    }
  }

  @Test func `may be recursive, generic, public or empty`() throws {
    let tree = Tree(label: "a", children: [Tree(label: "b", children: [])])
    #expect(try Tree(tree.generatedContent).children.first?.label == "b")
    #expect(try Box<Int>(Box(value: 3).generatedContent).value == 3)
    let book = Shelf.Book(title: "T", tone: .dark)
    #expect(try Shelf.Book(book.generatedContent).tone == .dark)
    #expect(try Empty(Empty().generatedContent).generatedContent.keys.isEmpty)
  }

  @Test(arguments: Color.allCases)
  func `of an enum is its raw string`(color: Color) throws {
    #expect(color.generatedContent.kind == .string(color.rawValue))
    #expect(try Color(color.generatedContent) == color)
  }

  @Test func `of an enum refuses other strings`() {
    #expect(throws: GeneratedContent.ParsingError.self) { try Mood(GeneratedContent("glad")) }
    #expect(throws: Never.self) { try Mood(GeneratedContent("default")) }
  }

  @Test(arguments: [
    Encounter.order("tea"), .complain(about: "tea", minutes: nil), .move(2, 3), .leave,
  ])
  func `of an enum with associated values survives the round trip`(
    encounter: Encounter
  ) throws {
    #expect(try Encounter(encounter.generatedContent) == encounter)
  }

  @Test func `of an enum with associated values writes nil as null when told to`() throws {
    let storm = Weather.storm(name: nil, hours: 3)
    #expect(storm.generatedContent.jsonString == #"{"type": "storm", "name": null, "hours": 3}"#)
    #expect(try Weather(storm.generatedContent) == storm)
    #expect(try Weather(Weather.calm.generatedContent) == .calm)
  }

  @Test func `of an enum with associated values names its case first`() {
    #expect(Encounter.order("tea").generatedContent.keys == ["type", "value"])
    #expect(Encounter.move(2, 3).generatedContent.keys == ["type", "value", "value1"])
    let complaint = Encounter.complain(about: "tea", minutes: 4)
    #expect(complaint.generatedContent.keys == ["type", "about", "minutes"])
  }

  @Test func `of an enum has associated values under the names behind their labels`() throws {
    let walk = Journey.walk(3, "north")
    #expect(walk.generatedContent.keys == ["type", "steps", "direction"])
    #expect(try Journey(walk.generatedContent) == walk)
    let ride = Journey.ride(1, line: "U2", 4, case: true)
    #expect(ride.generatedContent.keys == ["type", "value", "line", "value1", "case"])
    #expect(try Journey(ride.generatedContent) == ride)
  }

  @Test func `of an enum that names no case of it is refused`() throws {
    for json in [#"{"type": "fly"}"#, #"{"type": 1}"#, #"{"case": "stay"}"#, "{}", "[]"] {
      let content = try GeneratedContent(json: json)
      #expect(throws: GeneratedContent.ParsingError.self, "\(json)") { try Journey(content) }
    }
  }
}

@Generable
enum Journey: Equatable {
  case walk(_ steps: Int, _ direction: String)
  case ride(Int, line: String, Int, case: Bool?)
  case sail(String)
  case stay
}

@Generable
private struct Row {
  var title: String
  var isExpanded = false
}

import AgentKit
import Testing

@Suite struct `A generable type's schema` {
  @Test func `has the stored properties in the order of their declaration`() throws {
    let schema = SchemaProbe(Letter.self)
    #expect(schema.order == ["to", "pages", "body", "signature", "enclosures", "tags"])
    #expect(schema.description == "A letter")
  }

  @Test func `has no identity of the content`() {
    #expect(SchemaProbe(SearchTerm.self).order == ["searchTerm"])
    #expect(SchemaProbe(Finding.self).order == ["page", "terms"])
  }

  @Test func `has those properties of a line of constants that lack a value`() {
    #expect(SchemaProbe(Parcel.self).order == ["weight", "depth", "width"])
  }

  @Test func `requires what is not optional`() throws {
    let schema = SchemaProbe(Letter.self)
    #expect(schema.required.map(Set.init) == ["to", "pages", "signature", "enclosures"])
  }

  @Test func `carries descriptions and guides`() throws {
    let properties = try #require(SchemaProbe(Letter.self).properties)
    #expect(properties["to"]?.description == "Who gets it")
    #expect(properties["to"]?.choices == ["Ann", "Ben"])
    #expect(properties["pages"]?.minimum == 1)
    #expect(properties["pages"]?.maximum == 9)
    #expect(properties["body"]?.description == "What it says")
    #expect(properties["tags"]?.maximumCount == 3)
  }

  @Test func `carries regexes`() throws {
    let properties = try #require(SchemaProbe(Named.self).properties)
    #expect(properties["code"]?.pattern != nil)
    #expect(properties["code"]?.description == "Digits")
    #expect(properties["word"]?.pattern != nil)
  }

  @Test func `carries all guides of a property that has several`() throws {
    let properties = try #require(SchemaProbe(Itinerary.self).properties)
    #expect(properties["days"]?.description == "What happens on each day")
    #expect(properties["days"]?.minimumCount == 3)
    #expect(properties["days"]?.maximumCount == 3)
    #expect(properties["guests"]?.description == "Adults only: How many come along")
    #expect(properties["guests"]?.minimum == 1)
    #expect(properties["guests"]?.maximum == 9)
    #expect(properties["place"]?.description == "Where it goes")
    #expect(properties["place"]?.pattern != nil)
  }

  @Test func `carries a regex beside the guides of other attributes`() throws {
    let properties = try #require(SchemaProbe(Locker.self).properties)
    #expect(properties["name"]?.description == "Which one")
    #expect(properties["name"]?.choices == ["a1", "b2"])
    #expect(properties["name"]?.pattern == "^([a-z][0-9])$")
    #expect(properties["key"]?.description == "Where the key is")
    #expect(properties["key"]?.constant == "x1")
    #expect(properties["key"]?.pattern == "^([a-z][0-9])$")
  }

  @Test func `carries regexes and guides by name beside each other`() throws {
    let properties = try #require(SchemaProbe(Locker.self).properties)
    #expect(properties["code"]?.description == "How to open it")
    #expect(properties["code"]?.choices == ["7", "12"])
    #expect(properties["code"]?.pattern == "^([0-9]+)$")
    #expect(properties["floor"]?.choices == ["1", "2"])
    #expect(properties["floor"]?.pattern == "^([0-9]+)$")
  }

  @Test func `carries the last of several regexes, whatever they capture`() throws {
    let properties = try #require(SchemaProbe(Locker.self).properties)
    #expect(properties["word"]?.pattern == "^([a-z]+)$")
  }

  @Test func `has properties with other attributes than guides under a condition`() throws {
    let properties = try #require(SchemaProbe(Ticket.self).properties)
    #expect(properties["place"]?.description == "Where it leads")
  }

  @Test func `takes a guide of the author's own that has the name of another`() throws {
    let properties = try #require(SchemaProbe(Headline.self).properties)
    #expect(properties["title"]?.pattern == "^([a-z]+ [a-z]+)$")
  }

  @Test func `takes the name that is given`() throws {
    #expect(SchemaProbe(Named.self).title == "Renamed")
  }

  @Test func `keeps the lines of a description`() throws {
    #expect(SchemaProbe(Keywords.self).description == "Two lines\n  of text")
  }

  @Test func `has keywords and shared declarations as plain names`() throws {
    #expect(
      SchemaProbe(Keywords.self).order == [
        "default", "content", "properties", "value", "init", "self",
      ]
    )
  }

  @Test func `of an enum lists the cases`() throws {
    let schema = SchemaProbe(Mood.self)
    #expect(schema.choices == ["calm", "cross", "default", "init"])
    #expect(schema.description == "A mood")
  }

  @Test func `of an enum lists the raw strings`() throws {
    #expect(SchemaProbe(Color.self).choices == ["red", "sea green"])
  }

  @Test func `of an enum with associated values has one type for each case`() throws {
    #expect(SchemaProbe(Encounter.self).types?.count == 4)
  }

  @Test func `of an enum has nothing that could be null`() {
    let schema = SchemaProbe(NamedMood.self)
    #expect(schema.title == "Disposition")
    #expect(schema.choices == ["calm", "wild"])
  }

  @Test func `requires what may be null in an associated value`() throws {
    #expect(SchemaProbe(Weather.self).title == "Sky")
    let types = try #require(SchemaProbe(Weather.self).types)
    #expect(types.map(\.required) == [["type", "name", "hours"], ["type"]])
    let complaint = try #require(SchemaProbe(Encounter.self).types?.dropFirst().first)
    #expect(complaint.required == ["type", "about"])
  }
}

@Generable
private struct Headline {
  @Guide(.count(words: 2)) var title: String
}

extension GenerationGuide where Value == String {
  fileprivate static func count(words: Int) -> Self {
    words == 1 ? .pattern(/[a-z]+/) : .pattern(/[a-z]+ [a-z]+/)
  }
}

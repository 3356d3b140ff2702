import AgentKit
import Testing

@Suite struct `The schema of a type that contains itself` {
  @Test func `ends and refers to itself by name`() throws {
    let schema = SchemaProbe(Tree.self)
    #expect(schema.order == ["label", "children"])
    let children = try #require(schema.properties?["children"])
    #expect(children.items?.reference == "#/$defs/Tree")
    let definition = try #require(schema.definitions?["Tree"])
    #expect(definition.order == ["label", "children"])
    #expect(definition.properties?["children"]?.items?.reference == "#/$defs/Tree")
  }

  @Test func `leaves other arrays as they are`() throws {
    let leaf = try #require(SchemaProbe(Wood.self).definitions?["Branch"])
    #expect(leaf.properties?["names"]?.items?.content.jsonString == #"{"type": "string"}"#)
  }

  @Test func `keeps two such types apart, also when they have one name`() throws {
    let schema = SchemaProbe(Wood.self)
    #expect(schema.definitionOrder == ["Branch", "Branch2"])
    #expect(schema.properties?["trees"]?.items?.reference == "#/$defs/Branch")
    #expect(schema.properties?["bushes"]?.items?.reference == "#/$defs/Branch2")
    #expect(schema.definitions?["Branch"]?.order == ["branches", "names"])
    #expect(schema.definitions?["Branch2"]?.order == ["twigs"])
  }

  @Test func `describes the reference and not the definition with a property's words`() throws {
    let schema = SchemaProbe(Wood.self)
    #expect(schema.properties?["tallest"]?.reference == "#/$defs/Branch")
    #expect(schema.properties?["tallest"]?.description == "The tallest")
    #expect(schema.definitions?["Branch"]?.description == nil)
  }

  @Test func `may go through the cases of an enum`() throws {
    let schema = SchemaProbe(Term.self)
    let names = schema.types?.map { $0.properties?["type"]?.constant }
    #expect(names == ["number", "sum", "negative"])
    let terms = try #require(schema.types?[1].properties?["value"]?.items)
    #expect(terms.reference == "#/$defs/Term")
    #expect(schema.definitions?["Term"]?.types?.count == 3)
  }

  @Test func `reads and writes such values`() throws {
    let term = Term.sum([.number(1), .negative(.sum([.number(2)]))])
    #expect(try Term(term.generatedContent) == term)
  }
}

@Generable
struct Wood {
  @Guide(description: "The tallest") var tallest: Conifer.Branch
  var trees: [Conifer.Branch]
  var bushes: [Shrub.Branch]
}

enum Conifer {
  @Generable
  struct Branch {
    var branches: [Branch]
    var names: [String]
  }
}

enum Shrub {
  @Generable
  struct Branch {
    var twigs: [Branch]
  }
}

@Generable
indirect enum Term: Equatable {
  case number(Int)
  case sum([Term])
  case negative(Term)
}

import AgentKit
import Testing

/// Generated code is placed in types of its own, where a name may have a different meaning.
@Suite struct `A generable type` {
  @Test func `may say Self in its properties`() throws {
    let node = Node(
      label: "a",
      kind: .branch,
      children: [Node(label: "b", kind: .leaf, children: [])]
    )
    let copy = try Node(node.generatedContent)
    #expect(copy.kind == .branch)
    #expect(copy.children.map(\.label) == ["b"])
    let partial = node.asPartiallyGenerated()
    #expect(partial.kind == .branch)
    #expect(partial.children?.first?.kind == .leaf)
    #expect(SchemaProbe(Node.self).properties?["children"]?.items?.reference == "#/$defs/Node")
  }

  @Test(arguments: [
    Formula.number(1), .not(.number(2)), .all([.number(3), .not(.number(4))], note: nil),
    .first(.some(.number(5))),
  ])
  func `may say Self in its cases`(formula: Formula) throws {
    #expect(try Formula(formula.generatedContent) == formula)
  }

  @Test func `may say Self and be generic`() throws {
    let chain = Chain(value: 1, rest: [Chain(value: 2, rest: [])])
    #expect(try Chain<Int>(chain.generatedContent).rest.map(\.value) == [2])
    #expect(chain.asPartiallyGenerated().rest?.map(\.value) == [2])
  }

  @Test func `may have a type that is called ID`() throws {
    let errand = Errand(owner: .ann, helpers: [.ben], lead: nil)
    let copy = try Errand(errand.generatedContent)
    #expect(copy.owner == .ann)
    #expect(copy.helpers.first == .ben)
    #expect(copy.lead == nil)
    let partial = try Errand.PartiallyGenerated(GeneratedContent(json: #"{"lead": "ben"}"#))
    #expect(partial.owner == nil)
    #expect(partial.lead == .ben)
    #expect(SchemaProbe(Errand.self).properties?["owner"]?.choices == ["ann", "ben"])
  }

  @Test func `may be public and have both an identity and a type that is called ID`() throws {
    let loan = Shelf.Loan(id: GenerationID(), reader: .guest)
    #expect(try Shelf.Loan(loan.generatedContent).reader == .guest)
    #expect(loan.asPartiallyGenerated().reader == .guest)
    #expect(loan.asPartiallyGenerated().id == loan.id)
  }
}

@Generable
struct Node {
  var label: String
  var kind: Self.Kind
  var children: [Self]

  @Generable
  enum Kind { case leaf, branch }
}

@Generable
indirect enum Formula: Equatable, Sendable {
  case number(Int)
  case not(Self)
  case all([Self], note: String?)
  case first(Optional<Self>)
}

@Generable
struct Chain<Value: Generable> {
  var value: Value
  var rest: [Self]
}

@Generable
struct Errand {
  var owner: ID
  var helpers: [Self.ID]
  var lead: ID?
  private var deputy: ID?

  init(owner: ID, helpers: [ID], lead: ID?) {
    self.owner = owner
    self.helpers = helpers
    self.lead = lead
  }

  @Generable
  enum ID { case ann, ben }
}

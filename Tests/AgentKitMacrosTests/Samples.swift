import AgentKit

/// Types that use every feature of `@Generable`; the first test is that they compile.
@Generable(description: "A letter")
struct Letter {
  static let stamp = 90
  let version = 1

  @Guide(description: "Who gets it", .anyOf(["Ann", "Ben"]))
  let to: String

  @Guide(description: "How many pages", .range(1...9))
  var pages: Int = 1

  @Guide(description: "What it says")
  var body: String?

  var signature: Signature
  var enclosures: [Signature]

  @Guide(.maximumCount(3))
  var tags: Optional<[String]>

  var summary: String { "\(pages) pages to \(to)" }

  @Generable
  struct Signature: Equatable {
    var name: String
    var isLegible: Bool
  }
}

@Generable
struct Itinerary {
  @Guide(description: "What happens on each day") @Guide(.count(3))
  let days: [String]

  @Guide(description: "Adults only:", .minimum(1), .maximum(20))
  @Guide(description: "How many come along", .maximum(9))
  var guests: Int?

  @Guide(/[A-Z]+/)
  @Guide(description: "Where it goes")
  var place: String
}

private var digits: Regex<Substring> { /[0-9]+/ }
private var numbers: GenerationGuide<String> { .anyOf(["7", "12"]) }

@Generable
struct Locker {
  @Guide(/[a-z][0-9]/)
  @Guide(description: "Which one", .anyOf(["a1", "b2"]))
  var name: String

  @Guide(.constant("x1"))
  @Guide(description: "Where the key is", /[a-z][0-9]/)
  var key: String?

  @Guide(digits)
  @Guide(numbers)
  @Guide(description: "How to open it")
  var code: String

  // Their types differ, because one of them captures something.
  @Guide(/([0-9])[a-z]*/)
  @Guide(/[a-z]+/)
  var word: String

  @Guide(.pattern(/[0-9]/), .anyOf(["1", "2"]))
  @Guide(digits)
  var floor: String
}

@Generable(description: "With nulls", representNilExplicitlyInGeneratedContent: true)
struct Form {
  var title: String
  var note: String?
}

@Generable(name: "Renamed")
struct Named {
  @Guide(description: "Digits", /[0-9]+/)
  var code: String
  @Guide(/[a-z]+/)
  var word: String?
}

@Generable(
  description: """
    Two lines
      of text
    """
)
struct Keywords {
  var `default`: String
  var content: Int
  var properties, value: Double?
  var `init`: Bool
  var `self`: String?
}

@Generable
struct Record {
  private(set) var id: String
  private var secret: Int?
  var count: Int { didSet {} }
}

@Generable
struct Tree {
  var label: String
  var children: [Tree]
}

@Generable
struct Box<Value: Generable> {
  var value: Value
}

@Generable
struct OwnPartial {
  var text: String

  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    var length: Int

    init(_ content: GeneratedContent) throws {
      length = try content.value(String?.self, forProperty: "text")?.count ?? 0
    }
  }
}

@Generable
struct Empty {}

@Generable(description: "A mood")
enum Mood {
  case calm, cross
  case `default`, `init`
}

@Generable
enum Color: String, CaseIterable {
  case red
  case green = "sea green"
}

@Generable
enum Encounter: Equatable {
  case order(String)
  case complain(about: String, minutes: Int?)
  case move(Int, Int)
  case leave
}

@Generable(name: "Disposition", representNilExplicitlyInGeneratedContent: true)
enum NamedMood { case calm, wild }

@Generable(name: "Sky", representNilExplicitlyInGeneratedContent: true)
enum Weather: Equatable {
  case storm(name: String?, hours: Int)
  case calm
}

@Generable
struct SearchTerm {
  var id: GenerationID

  @Guide(description: "What to search for")
  var searchTerm: String
}

@Generable
struct Finding {
  let id: AgentKit.GenerationID
  var page: Int?
  var terms: [SearchTerm]
}

@Generable
struct Ticket {
  #if os(Linux)
    @available(macOS 10.15, *)
  #endif
  @Guide(description: "Where it leads")
  var place: String
}

@Generable
struct Parcel {
  let weight: Int, unit: String = "kg"
  let depth, width: Int
}

import AgentKit
import Testing

/// Values that one agent's process writes and another's reads.
@Suite struct `A session property that travels` {
  private func properties() -> SessionPropertyValues {
    LanguageModelSession(model: ScriptedLanguageModel()).properties
  }

  /// Returns the properties of another process that has received everything.
  private func sent(_ properties: SessionPropertyValues) -> SessionPropertyValues {
    let receiver = self.properties()
    receiver.receive(properties.exported())
    return receiver
  }

  @Test func `arrives with its value, whatever its type is made of`() {
    let giver = properties()
    giver.place = Place(name: "Oslo", days: [1, 2])
    giver.plan = Plan(title: "Ski", steps: ["wax", "go"])
    giver.nick = nil
    giver.count = 7
    let receiver = sent(giver)
    #expect(receiver.place == Place(name: "Oslo", days: [1, 2]))
    #expect(receiver.plan.title == "Ski")
    #expect(receiver.plan.steps == ["wax", "go"])
    #expect(receiver.nick == nil)
    #expect(receiver.count == 7)
  }

  @Test func `is written only when it was set, and always in the same way`() {
    let giver = properties()
    _ = giver.place
    #expect(giver.exported().isEmpty)
    giver.place = Place(name: "Oslo", days: [])
    #expect(giver.exported() == ["place": #"{"days":[],"name":"Oslo"}"#])
    giver.plan = Plan(title: "Ski", steps: [])
    #expect(giver.exported()["plan"] == #"{"title": "Ski", "steps": []}"#)
  }

  @Test func `may say itself how it is written`() {
    let giver = properties()
    giver[TicketKey.self] = Ticket(number: 12)
    #expect(giver.exported() == ["ticket": "12"])
    #expect(sent(giver)[TicketKey.self].number == 12)
  }

  @Test func `is left alone while a tool may be changing it, where it is an object`() {
    let giver = properties()
    giver.count = 7
    giver.notebook = Notebook()
    #expect(giver.exported() == ["count": "7", "notebook": #"{"lines":[]}"#])
    #expect(giver.exported(includesObjects: false) == ["count": "7"])
  }

  @Test func `stays where it is when it cannot be written`() {
    let giver = properties()
    giver.secret = Ticket(number: 3)
    #expect(giver.exported().isEmpty)
    #expect(giver.secret.number == 3)
    giver.fraction = .nan
    #expect(giver.exported().isEmpty)
  }

  @Test func `that this process does not declare is passed on unchanged`() {
    let middle = properties()
    let unknown = ["weather": #"{ "sky" : "blue" }"#]
    middle.receive(unknown)
    middle.count = 1
    #expect(middle.exported() == ["count": "1"].merging(unknown) { $1 })
  }

  @Test func `that is something else here is its default, and handed on untouched`() {
    let receiver = properties()
    receiver.receive(["place": "17", "count": "\"many\""])
    #expect(receiver.place == Place(name: "nowhere", days: []))
    #expect(receiver.count == 0)
    #expect(receiver.exported() == ["place": "17", "count": "\"many\""])
    receiver.count = 2
    #expect(receiver.exported()["count"] == "2")
  }

  @Test func `that is written while it is read stays as it is written`() {
    let receiver = properties()
    receiver.receive(["stamp": "12"])
    let read = StampKey.$meanwhile.withValue({ receiver[StampKey.self] = 13 }) {
      receiver[StampKey.self]
    }
    #expect(read == 13)
    #expect(receiver[StampKey.self] == 13)
    #expect(receiver.exported() == ["stamp": "13"])
  }

  @Test func `takes the place of an older value, and keeps the object of an equal one`() {
    let receiver = properties()
    receiver.receive(["notebook": #"{"lines":["a"]}"#])
    let object = receiver.notebook
    object.lines.append("b")
    #expect(receiver.exported()["notebook"] == #"{"lines":["a","b"]}"#)
    receiver.receive(["notebook": #"{"lines":["a","b"]}"#])
    #expect(receiver.notebook === object)
    receiver.receive(["notebook": #"{"lines":[]}"#])
    #expect(receiver.notebook.lines.isEmpty)
  }
}

private struct Place: Codable, Equatable {
  var name: String
  var days: [Int]
}

@Generable
private struct Plan {
  var title: String
  var steps: [String]
}

private struct Ticket {
  var number: Int
}

private final class Notebook: Codable {
  var lines: [String] = []
}

private enum TicketKey: EncodingSessionPropertyKey {
  static let name = "ticket"
  static var defaultValue: Ticket { Ticket(number: 0) }
  static func encode(_ value: Ticket) -> GeneratedContent { GeneratedContent(value.number) }
  static func decode(_ content: GeneratedContent) throws -> Ticket {
    Ticket(number: try content.value(Int.self))
  }
}

/// A key whose values take so long to decode that something else happens in the meantime.
private enum StampKey: EncodingSessionPropertyKey {
  @TaskLocal static var meanwhile: @Sendable () -> Void = {}
  static let name = "stamp"
  static var defaultValue: Int { 0 }
  static func encode(_ value: Int) -> GeneratedContent { GeneratedContent(value) }
  static func decode(_ content: GeneratedContent) throws -> Int {
    meanwhile()
    return try content.value(Int.self)
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var place: Place = Place(name: "nowhere", days: [])
  @SessionPropertyEntry fileprivate var plan: Plan = Plan(title: "", steps: [])
  @SessionPropertyEntry fileprivate var nick: String? = "none yet"
  @SessionPropertyEntry fileprivate var count: Int = 0
  @SessionPropertyEntry fileprivate var fraction: Double = 0
  @SessionPropertyEntry fileprivate var secret: Ticket = Ticket(number: 0)
  @SessionPropertyEntry fileprivate var notebook: Notebook = Notebook()
}

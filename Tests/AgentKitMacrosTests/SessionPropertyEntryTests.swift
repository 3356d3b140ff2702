import Testing

@testable import AgentKit

@Suite struct `A session property entry` {
  let values = SessionPropertyValues()

  @Test func `starts as its default and keeps what is set`() {
    #expect(values.counter == 0)
    values.counter += 1
    #expect(values.counter == 1)
    #expect(SessionPropertyValues().counter == 0)
  }

  @Test func `needs no type`() {
    #expect(values.greeting == "hello")
    values.greeting = "bye"
    #expect(values.greeting == "bye")
  }

  @Test func `of an optional type starts as nil without a value`() {
    #expect(values.summary == nil)
    values.summary = "short"
    #expect(values.summary == "short")
  }

  @Test func `evaluates its default anew each time`() {
    let first = values.notebook
    let second = values.notebook
    #expect(first !== second)
    values.notebook = first
    #expect(values.notebook === first)
  }

  @Test func `without a type evaluates its default anew as well`() {
    let first = values.plainNotebook
    #expect(first !== values.plainNotebook)
    values.plainNotebook = first
    #expect(values.plainNotebook === first)
    #expect(SessionPropertyValues().plainNotebook !== first)
  }

  @Test func `is reached by a key path`() {
    let path: ReferenceWritableKeyPath<SessionPropertyValues, Int> = \.counter
    values[keyPath: path] = 7
    #expect(values.counter == 7)
  }
}

/// A class that is not Sendable, as the value of a session property may be.
private final class Notebook {
  var pages: [String] = []
}

extension SessionPropertyValues {
  @SessionPropertyEntry var counter: Int = 0
  @SessionPropertyEntry var greeting = "hello"
  @SessionPropertyEntry var summary: String?
  @SessionPropertyEntry fileprivate var notebook: Notebook = Notebook()
  @SessionPropertyEntry fileprivate var plainNotebook = Notebook()
}

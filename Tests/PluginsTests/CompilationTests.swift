import Testing

@testable import Plugins

@Suite struct `The progress of a compilation` {
  @Test func `counts what had to be compiled, and what had not`() throws {
    let meter = CompilationMeter()
    #expect(meter.current == nil)
    meter.begin(of: 3)
    meter.finished("Known")
    // Nothing had to be compiled so far.
    #expect(meter.current == nil)
    meter.began("Coach")
    meter.began("Title")
    let begun = try #require(meter.current)
    #expect(begun.done == 1)
    #expect(begun.sources == ["Coach", "Title"])
    #expect(begun.secondsLeft == nil)
    // A source that changed meanwhile is begun again.
    meter.began("Coach")
    meter.finished("Coach")
    let later = try #require(meter.current)
    #expect(later.done == 2)
    #expect(later.compiled == 1)
    #expect(later.sources == ["Title"])
    #expect(later.secondsLeft != nil)
    meter.end()
    #expect(meter.current == nil)
  }
}

import Testing

@testable import Commands

@Suite struct `Who holds the baton` {
  @Test func `is what a chat begins with`() {
    let holder = SessionHolder(session: "trip", holder: "tutorial", beginner: nil)
    #expect(holder.greeting == "session 'trip', tutorial holds the baton; Ctrl-D ends the chat")
    #expect(holder.correction == nil)
  }

  @Test func `is said where another was to begin`() {
    let same = SessionHolder(session: "trip", holder: "coach", beginner: "coach")
    #expect(same.correction == nil)
    let other = SessionHolder(session: "trip", holder: "tutorial", beginner: "coach")
    #expect(other.correction?.hasPrefix("session 'trip' continues with tutorial") == true)
    #expect(other.correction?.contains("--agent coach applies to new sessions only") == true)
  }
}

import Foundation
import Terminal
import Testing

@testable import Commands
@testable import Coordinator

/// What a transcript shows under its calls.
@Suite(.timeLimit(.minutes(5))) struct `A transcript shows` {
  private struct Document: Decodable {
    let turns: [Turn]

    struct Turn: Decodable { let entries: [Entry] }
    struct Entry: Decodable { let friends: [String: [Friend]] }
    struct Friend: Decodable { let agent: String }
  }

  @Test func `all the friends that one call has asked, in order, and what they cost`()
    async throws
  {
    var talk = try JournaledTalk()
    try talk.call("ask", at: 101)
    try talk.phone("title", for: "ask", at: 102, saying: "Boats", tokensOut: 3)
    try talk.phone("critic", for: "ask", at: 103, saying: "Too short", tokensOut: 4)
    try talk.output(of: "ask", at: 104)
    try talk.say(response: "done", at: 105, tokensOut: 5)
    let tree = try await talk.transcript()
    let lines = tree.lines(indent: 0, withUsage: false)
    let friends = ["  friend title (no process):", "  friend critic (no process):"]
    #expect(lines.filter { $0.hasPrefix("  friend ") } == friends, "\(lines)")
    for answer in ["title: Boats", "critic: Too short"] {
      #expect(lines.contains { $0.hasSuffix(answer) }, "\(lines)")
    }
    let turn = try #require(tree.turns.first)
    #expect(turn.ofFriends.tokensOut == 7)
    #expect(turn.total.tokensOut == 12)
    let json = try JSONOutput.document(tree)
    let document = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
    let listed = document.turns.flatMap(\.entries).compactMap { $0.friends["ask"] }
    #expect(listed.map { $0.map(\.agent) } == [["title", "critic"]])
  }

  @Test func `what belongs to a call also where the clock was set back during the turn`()
    async throws
  {
    var talk = try JournaledTalk()
    try talk.call("ask", at: 101)
    let question = try talk.ask(about: "ask", at: 50)
    try talk.phone("title", for: "ask", at: 52, saying: "Boats")
    try talk.pass(to: "b", with: "ask", at: 53)
    try talk.output(of: "ask", at: 54)
    try talk.say(response: "done", by: "b", at: 55)
    let lines = try await talk.transcript().lines(indent: 0, withUsage: false)
    for words in [
      "request \(question): approved (chat)", "baton: a → b", "friend title (no process):",
    ] {
      #expect(lines.contains("  " + words), "\(lines)")
    }
  }

  @Test func `each friend under its own round where the identity of a call comes again`()
    async throws
  {
    var talk = try JournaledTalk()
    // All at the same moment, so that timestamps cannot tell the calls apart.
    for friend in ["title", "critic"] {
      try talk.call("1", at: 100)
      try talk.phone(friend, for: "1", at: 100, saying: "Boats")
      try talk.output(of: "1", at: 100)
    }
    try talk.say(response: "done", at: 100)
    let entries = try await talk.transcript().turns.flatMap(\.entries)
    let agents = entries.compactMap { $0.friends["1"]?.map(\.agent) }
    #expect(agents == [["title"], ["critic"]])
  }
}

import Foundation
import Outposts
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `A worker on an outpost` {
  @Test func `answers as a worker at home does, from a warm template`() async throws {
    let question = "A project about a paper boat"
    try await OutpostStage.set { stage in
      let here = try await stage.home.worker("title").ask(question)
      let first = try await stage.ask("title", question)
      let second = try await stage.ask("title", question)
      #expect(!here.entries.isEmpty)
      #expect(first.entries.first == here.entries.first)
      #expect(second.entries.first == here.entries.first)
      // The template there computed the instructions.
      #expect(first.tokensCached > 10)
      #expect(stage.states.all == [.starting, .up])
    }
  }
}

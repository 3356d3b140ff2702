import AgentKit
import Coordination
import Foundation
import Journal
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `Separate processes` {
  @Test func `answer as agents that share a baton and phone a friend`() async throws {
    try await Stage.set { stage in
      #expect(try await stage.ask("say hello").answer == "hello")
      #expect(try await stage.ask("phone say one;say two").answer == "one + two")
      let passed = try await stage.ask("pass")
      #expect(passed.exit == .answered)
      #expect(passed.holder == "partner")
      #expect(passed.answer == "partner has it")
      #expect(try await stage.ask("say goodbye").answer == "goodbye")
      let agents = stage.traffic.lines.map(\.agent).sorted()
      #expect(agents == ["friend", "friend", "partner", "puppet"])
      let pids = Set(stage.traffic.lines.map(\.pid))
      #expect(pids.count == 4)
      #expect(!pids.contains(getpid()))
    }
  }

  @Test func `are the ones that do the work`() async throws {
    try await Stage.set { stage in
      let answer = try await stage.ask("do tell").answer
      #expect(answer == stage.traffic.lines.first.map { "\($0.pid)" })
      let friends = try await stage.ask("phone do tell;do tell").answer
      #expect(
        friends?.split(separator: " + ").sorted().map(String.init)
          == stage.traffic.lines(of: "friend").map { "\($0.pid)" }.sorted()
      )
    }
  }

  @Test func `of friends are gone when they have answered, and those of the team are not`()
    async throws
  {
    try await Stage.set { stage in
      _ = try await stage.ask("phone say one")
      let friend = try #require(stage.traffic.lines(of: "friend").first)
      let puppet = try #require(stage.traffic.lines(of: "puppet").first)
      #expect(friend.death?.cause == .farewell(.done))
      #expect(await Stranger.hasGone(friend.pid))
      // Proves that every stage's check works: it finds a process that is left.
      #expect(Stranger.members(of: [friend.pid, puppet.pid]) == [puppet.pid])
    }
  }

  @Test func `of friends are told nothing of what their parent knows`() async throws {
    try await Stage.set { stage in
      let secret = "the-cake-is-a-lie"
      _ = try await stage.ask("say \(secret)")
      _ = try await stage.ask("phone recite")
      let puppet = try #require(stage.traffic.lines(of: "puppet").first)
      let friend = try #require(stage.traffic.lines(of: "friend").first)
      // Proves that the search works: it finds the secret where it belongs.
      #expect(puppet.text.contains(secret))
      #expect(friend.text.contains("recite"))
      #expect(!friend.text.contains(secret))
      // It took no other way either: the friend recites everything that it has.
      let recital = friend.heard.compactMap { event -> String? in
        if case .message(let message) = event { message.answer } else { nil }
      }
      #expect(recital == ["Do what you are told. | recite"])
    }
  }
}

import AgentKit
import Coordination
import Foundation
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A confined worker` {
  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount <= 32, "the bound is higher"))
  func `that has very many threads is ended, with the bound`() async throws {
    try await Stage.set(restarts: .never, isConfined: true) { stage in
      let turn = try await stage.ask("do multiply")
      guard case .failed(let problem) = turn.exit else {
        Issue.record("the turn ended with \(turn.exit)")
        return
      }
      #expect(problem.contains("it was killed for having more than 512 threads"))
      #expect(problem.contains("'act'"))
      let death = stage.traffic.lines(of: "puppet").first?.death
      #expect(death?.cause == .tooManyThreads(limit: 512))
      #expect(try await stage.ask("say after").answer == "after")
    }
  }
}

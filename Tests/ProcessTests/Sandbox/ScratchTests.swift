import AgentKit
import Coordination
import Foundation
import Journal
import Supervision
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A scratch folder` {
  /// Small, so that a test fills it quickly.
  private static let limit = FolderQuota(bytes: 6_000_000, files: 1000)

  @Test(arguments: [
    ("write", ScratchExcess.bytes(limit: 6_000_000)),
    ("litter", .files(limit: 1000)),
    // Unlinked files that are still open occupy the disk, too.
    ("unlink", .bytes(limit: 6_000_000)),
    ("hide", .bytes(limit: 6_000_000)),
    // So do files that are only mapped.
    ("map", .bytes(limit: 6_000_000)),
    // So do files that only another program has open.
    ("lend", .bytes(limit: 6_000_000)),
    // Files that an agent puts among its prefixes count, too, although they outlive it.
    ("keep", .bytes(limit: 6_000_000, in: .prefixes)),
  ])
  func `that holds too much ends its worker, with the bound`(act: String, excess: ScratchExcess)
    async throws
  {
    try await Stage.set(
      restarts: .never,
      isConfined: true,
      permissions: act == "lend" ? [.running("/bin/sleep")] : [],
      limit: Self.limit
    ) { stage in
      let turn = try await stage.ask("do \(act)")
      guard case .failed(let problem) = turn.exit else {
        Issue.record("the turn ended with \(turn.exit)")
        return
      }
      #expect(problem.contains("it was killed for having \(excess)"))
      #expect(stage.traffic.lines(of: "puppet").first?.death?.cause == .scratchFull(excess))
      let runs = try await JournalReader(stage.journal).runs().map(\.cause)
      #expect(runs == ["scratchFull"])
      // Its files are gone with it, and the next worker has the full limit.
      #expect(try await stage.ask("do note").exit == .answered)
      let prefixes = try FileManager.default.contentsOfDirectory(atPath: stage.folder + "/prefixes")
      #expect(prefixes.isEmpty)
    }
  }

  @Test func `with little in it is left alone`() async throws {
    try await Stage.set(restarts: .never, isConfined: true, limit: Self.limit) { stage in
      #expect(try await stage.ask("do note").exit == .answered)
      let line = try #require(stage.traffic.lines(of: "puppet").first)
      let folder = "\(stage.folder)/scratch/\(line.run)"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 4)
      // It is still there after several checks.
      await stage.traffic.reach { lines in
        lines[0].heard.count { if case .message(.pong) = $0 { true } else { false } } > 5
      }
      #expect(try await stage.ask("do note").exit == .answered)
      #expect(stage.traffic.lines(of: "puppet").count == 1)
    }
  }
}

import Foundation
import Outposts
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `An outpost that connects back` {
  private let question = "A project about a paper boat"

  @Test func `says nothing more through its launcher`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await OutpostStage.set(
      launch: { ["sh", "-c", "tee '\(folder)/in' | '\($0)' --outpost | tee '\(folder)/out'"] },
      change: { $0.connectBack = ConnectBackPlace(address: "127.0.0.1") }
    ) { stage in
      _ = try await stage.ask("title", question)
      #expect(await stage.outpost.status.connectBack == .connected)
      // Its end is one of the protocol, and comes through.
      await stage.outpost.drain()
      try await eventually("it is given back") { await stage.outpost.status.state == .off }
      #expect(stage.states.all == [.starting, .up, .draining, .off])
    }
    for (name, bytes) in [("in", 16_384), ("out", 16_384)] {
      let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      #expect((1...bytes).contains(data.count), "\(name): \(data.count)")
      #expect(data.range(of: Data("paper boat".utf8)) == nil)
    }
  }

  @Test(.enabled(if: getuid() == 0, "Only root can take the network from a process."))
  func `goes on through its launcher where it cannot, and says why`() async throws {
    try await OutpostStage.set(
      launch: { ["unshare", "--net", $0, "--outpost"] },
      change: { $0.connectBack = ConnectBackPlace(address: "127.0.0.1") }
    ) { stage in
      _ = try await stage.ask("title", question)
      guard case .failed(let problem)? = await stage.outpost.status.connectBack else {
        Issue.record("It is said to have connected.")
        return
      }
      #expect(problem.lowercased().contains("unreachable"), "\(problem)")
    }
  }

  @Test func `is lost with its launcher all the same`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await OutpostStage.set(
      launch: {
        ["sh", "-c", "echo $$ > '\(folder)/launcher'; cat | '\($0)' --outpost | cat"]
      },
      change: { $0.connectBack = ConnectBackPlace(address: "127.0.0.1") }
    ) { stage in
      let worker = try await stage.worker("title")
      let machine = try #require(await stage.outpost.status.machine)
      let text = try String(contentsOfFile: folder + "/launcher", encoding: .utf8)
      let launcher = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      kill(launcher, SIGKILL)
      for await event in worker.events {
        if case .ended = event { break }
      }
      for pid in [machine.pid, worker.pid] { #expect(await Stranger.hasGone(pid)) }
    }
  }
}

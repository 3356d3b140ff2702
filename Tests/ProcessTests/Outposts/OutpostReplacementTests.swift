import Foundation
import Outposts
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `An outpost of another build` {
  /// Copies the worker's program with another identity.
  private func other(_ worker: String, in folder: String) async throws -> String {
    let fingerprint = try await Troupe.shared().fingerprint
    let digits = Array(fingerprint.utf8)
    let identity = stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
    }
    var program = try Data(contentsOf: URL(filePath: worker))
    let place = try #require(program.firstRange(of: Data(identity)))
    program[place.lowerBound] ^= 0xFF
    let path = folder + "/orchestrator-worker"
    try program.write(to: URL(filePath: path))
    #expect(chmod(path, 0o700) == 0)
    return path
  }

  @Test func `is refused, or becomes the one that is sent over where that is allowed`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (worker, fingerprint) = try await (
      Troupe.shared().worker, Troupe.shared().fingerprint
    )
    let path = try await other(worker, in: folder)
    let launch = ["sh", "-c", "exec '\(path)' --outpost"]
    try await OutpostStage.set(launch: { _ in launch }) { stage in
      do {
        try await stage.outpost.start()
        Issue.record("it was accepted")
      } catch OutpostError.otherBuild(_, let found, let expected) {
        #expect(found != expected)
        #expect(expected == fingerprint)
      }
    }
    try await OutpostStage.set(launch: { _ in launch }, change: { $0.copiesWorker = true }) {
      stage in
      _ = try await stage.ask("title", "A project about a boat")
      #expect(await stage.outpost.status.machine?.fingerprint == fingerprint)
    }
  }
}

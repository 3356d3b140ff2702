import CSystemCalls
import Foundation
import Testing
import Wire

@testable import Supervision

@Suite struct `An end for lack of memory` {
  @Test func `is a kill that the kernel has counted, and explains one death`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "kills-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    func count(_ kills: Int) throws {
      try "pgfault 9\noom_kill \(kills)\nswap_ra 0\n"
        .write(toFile: file, atomically: true, encoding: .utf8)
    }
    try count(7)
    let kills = OutOfMemoryKills(file: file)
    #expect(!kills.explainDeath(), "it was counted before")
    try count(9)
    kills.sample()
    #expect((0..<3).map { _ in kills.explainDeath() } == [true, true, false])
    try count(10)
    kills.sample()
    kills.sample()
    #expect(!kills.explainDeath(), "it was too long ago")
    #expect(!OutOfMemoryKills(file: "/nonexistent").explainDeath())
  }

  @Test func `is what a crashed worker reports`() async {
    let report = "\(CSYSTEM_OUT_OF_MEMORY)70 of 100 bytes"
    let ends: [(Supervision.ExitStatus, Bool)] = [
      (.signal(SIGABRT), true), (.signal(SIGILL), true), (.signal(SIGKILL), false),
      (.code(1), false),
    ]
    for (status, isReported) in ends {
      let connection = WorkerConnection(log: WorkerLog(path: "/nonexistent/log"))
      _ = connection.handle(.error(Array("bad_alloc\n\(report)\n".utf8)))
      _ = connection.handle(.exited(status))
      var death: Death?
      for await case .ended(let end) in connection.events { death = end }
      #expect(death?.lastLines == ["bad_alloc"])
      let isOutOfMemory = death?.cause == .outOfMemory(.refused(used: 70, limit: 100))
      #expect(isOutOfMemory == isReported, "\(status): \(String(describing: death))")
    }
    #expect(OutOfMemory(crashReport: "\(CSYSTEM_OUT_OF_MEMORY)nonsense") == nil)
  }
}

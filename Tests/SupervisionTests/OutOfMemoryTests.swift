import Foundation
import Testing
import Wire

@testable import Supervision

@Suite struct `A kill by the kernel` {
  @Test func `explains one death, and no later one`() {
    var count = KillCount()
    let start = ContinuousClock.now
    count.note(7, at: start)
    // Kills that were counted before the first look explain nothing.
    var explained = [count.explainDeath()]
    count.note(9, at: start + .seconds(1))
    explained += (0..<3).map { _ in count.explainDeath() }
    #expect(explained == [false, true, true, false])
    count.note(10, at: start + .seconds(2))
    count.note(10, at: start + .seconds(13))
    let isExplainedLate = count.explainDeath()
    #expect(!isExplainedLate)
  }

  @Test func `is not made up of a counter that cannot be read, or begins anew`() {
    var count = KillCount()
    count.note(nil, at: .now)
    count.note(3, at: .now)
    count.note(nil, at: .now)
    count.note(1, at: .now)
    var explained = [count.explainDeath()]
    count.note(2, at: .now)
    explained.append(count.explainDeath())
    #expect(explained == [false, true])
    #expect(KillCount.read("/nonexistent") == nil)
  }

  @Test(arguments: [
    ("0::/job\n", "job/memory.events", "low 0\nhigh 0\nmax 3\noom 2\noom_kill "),
    ("4:memory:/job\n", "memory/job/memory.oom_control", "oom_kill_disable 0\noom_kill "),
    ("", "", ""),
  ])
  func `is found where the groups of a process count it, or the machine`(
    membership: String,
    counter: String,
    words: String
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "kills-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ text: String, to path: String) throws {
      let url = URL(filePath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    func count(_ kills: Int, ofOthers: Int = 0) throws {
      let all = kills + ofOthers + 40
      try write("pgfault 9\noom_kill \(all)\nswap_ra 0\n", to: "proc/vmstat")
      if !counter.isEmpty { try write("\(words)\(kills)\n", to: "groups/\(counter)") }
    }
    try count(1)
    try write("MemTotal: 2000 kB\nMemAvailable: 1000 kB\n", to: "proc/meminfo")
    for pid in [11, 12] { try write(membership, to: "proc/\(pid)/cgroup") }
    let kills = MemoryKills(processes: folder + "/proc", groups: folder + "/groups")
    let reach = try #require(kills.reach(of: 11))
    #expect(reach.bound == 2_048_000)
    #expect(kills.reach(of: 12) == reach)
    #expect(kills.reach(of: 13) == nil)
    #expect(!kills.explainDeath(in: reach))
    try count(2)
    kills.look()
    #expect(kills.explainDeath(in: reach))
    #expect(!kills.explainDeath(in: reach))
    try count(3)
    #expect(kills.explainDeath(in: reach))
    // A kill in another group explains nothing, where the kernel tells them apart.
    try count(3, ofOthers: 1)
    #expect(kills.explainDeath(in: reach) == counter.isEmpty)
  }
}

@Suite struct `The last words of a worker that was refused memory` {
  private static let note = "worker: memory at its end: "

  @Test(
    arguments: [
      ("Fatal error: failed to allocate 1048608 bytes of memory with alignment 8", 1_048_608),
      (
        "FoundationEssentials/Data.swift:353: Fatal error: unable to allocate memory for length (309)",
        309
      ),
      ("terminate called after throwing an instance of 'std::bad_alloc'", nil),
    ] as [(String, Int?)]
  )
  func `say so`(line: String, wanted: Int?) {
    let trace = (0..<30).map { "\($0)    libswiftCore.so   0x00007fd20ed5f130 swift_report + 33" }
    let words = MemoryWords(["before", line] + trace + ["", Self.note + "70 of 100 bytes"])
    #expect(words.tellsOfRefusal)
    #expect(words.wanted == wanted)
    #expect(words.had == 70)
    #expect(words.bound == 100)
    #expect(words.lines.last == "")
  }

  @Test func `are told by how near it was to its bound where there are none`() {
    #expect(MemoryWords([Self.note + "1600 of 1600 bytes"]).tellsOfRefusal)
    #expect(MemoryWords([Self.note + "1500 of 1600 bytes"]).tellsOfRefusal)
    #expect(!MemoryWords([Self.note + "1499 of 1600 bytes"]).tellsOfRefusal)
    #expect(
      !MemoryWords(["Fatal error: on purpose", Self.note + "7 of 1600 bytes"]).tellsOfRefusal
    )
    #expect(!MemoryWords([Self.note + "rubbish"]).tellsOfRefusal)
    #expect(!MemoryWords([]).tellsOfRefusal)
  }

  @Test func `count when it crashed, and not when it was killed or has ended`() async {
    let ends: [(Supervision.ExitStatus, Bool)] = [
      (.signal(SIGABRT), true), (.signal(SIGILL), true), (.signal(SIGKILL), false),
      (.code(1), false),
    ]
    for (status, isTold) in ends {
      let line = WorkerLine(log: WorkerLog(path: "/nonexistent/log"))
      _ = line.take(.error(Array("bad_alloc\n\(Self.note)70 of 100 bytes\n".utf8)))
      _ = line.take(.exited(status))
      var death: Death?
      for await case .ended(let end) in line.events { death = end }
      #expect(death?.lastLines == ["bad_alloc"])
      let isOutOfMemory = death?.cause == .outOfMemory(OutOfMemory(.refused, had: 70, bound: 100))
      #expect(isOutOfMemory == isTold, "\(status): \(String(describing: death))")
    }
  }

  @Test func `become a sentence with the figures that there are`() {
    func words(_ end: OutOfMemory) -> String {
      Death(cause: .outOfMemory(end), lastLines: []).description
    }
    #expect(
      words(OutOfMemory(.killed, had: 61_000_000, bound: 67_108_864))
        == "it ran out of memory and the kernel killed it: it had 61 MB of 67 MB"
    )
    #expect(
      words(OutOfMemory(.refused, had: 2_000_000_000, bound: 2_100_000_000, wanted: 24))
        == "it ran out of memory: it had 2000 MB of 2100 MB, and it asked for 24 bytes more"
    )
    #expect(words(OutOfMemory(.refused)) == "it ran out of memory")
  }
}

import Synchronization
import Testing
import Wire

@testable import Supervision

/// Figures are in megabytes, beyond the 64 that are left to others.
@Suite(.timeLimit(.minutes(5))) struct `Memory that is shared` {
  private let runs = (0..<4).map { RunID("run-\($0)") }

  @Test func `is kept for a process until it is gone`() async throws {
    let stage = Stage(free: 100)
    try await stage.admit(runs[0], 60)
    async let second: Void = stage.admit(runs[1], 60)
    await stage.reach { $0 == [runs[1]] }
    #expect(stage.memory.waits.map(\.place) == [1])
    #expect(stage.memory.waits.map(\.needed) == [60_000_000])
    #expect(stage.memory.waits.map(\.free) == [40_000_000])
    stage.memory.release(runs[0])
    try await second
    #expect(stage.memory.waits.isEmpty)
  }

  @Test func `is given first come, first served, and told of with the place`() async throws {
    let stage = Stage(free: 10)
    let heard = Heard()
    async let first: Void = stage.admit(runs[0], 60, heard)
    await heard.reach { $0 == [runs[0]] }
    // It would fit, but must not jump the queue.
    async let second: Void = stage.admit(runs[1], 5, heard)
    await heard.reach { $0.contains(runs[1]) }
    stage.gauge.set(free: 164_000_000)
    _ = try await (first, second)
    #expect(heard.places(of: runs[0]) == [1])
    #expect(heard.places(of: runs[1]).first == 2)
  }

  @Test func `that there can never be is refused at once, and nothing is ended for it`()
    async throws
  {
    let stage = Stage(free: 900)
    let shortage = await #expect(throws: MemoryShortage.self) {
      try await stage.memory.admit(
        runs[0],
        onWait: { _ in Issue.record("It waits.") },
        reclaim: {
          Issue.record("Something is ended.")
          return false
        },
        needs: { [.needing(2000)] }
      )
    }
    #expect(shortage?.needed == 2_000_000_000)
    #expect(shortage?.description.contains("needs 2000 MB") == true)
    #expect(shortage?.description.contains("can never fit") == true)
  }

  @Test func `is waited for no longer than its patience, and then refused with the figures`()
    async throws
  {
    let stage = Stage(free: 100, patience: .milliseconds(50))
    try await stage.admit(runs[0], 60)
    stage.gauge.set(own: 30_000_000, of: 7)
    stage.memory.begin(runs[0], pid: 7)
    stage.memory.weigh(runs[0])
    let shortage = await #expect(throws: MemoryShortage.self) {
      try await stage.admit(runs[1], 110)
    }
    #expect(shortage?.needed == 110_000_000)
    #expect(shortage?.free == 100_000_000)
    #expect(shortage?.holders == [MemoryHolder(run: runs[0], bytes: 30_000_000)])
    #expect(shortage?.description.contains("run-0 with 30 MB") == true)
    #expect(stage.memory.waits.isEmpty)
  }

  @Test func `is not waited for by a task that is cancelled`() async throws {
    let stage = Stage(free: 10)
    let task = Task { [runs] in try await stage.admit(runs[0], 60) }
    await stage.reach { $0.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stage.memory.waits.isEmpty)
  }

  @Test func `is made by ending what nobody uses, and no more than is needed`() async throws {
    let stage = Stage(free: 10)
    let ended = Mutex(0)
    try await stage.memory.admit(
      runs[0],
      onWait: { _ in Issue.record("It waits.") },
      reclaim: {
        let count = ended.withLock { ended in
          ended += 1
          return ended
        }
        stage.gauge.set(free: 64_000_000 + (10 + 30 * count) * 1_000_000)
        return true
      },
      needs: { [.needing(60)] }
    )
    #expect(ended.withLock { $0 } == 2)
  }

  @Test func `is kept ahead where there is some, and nobody waits for that`() async throws {
    let stage = Stage(free: 100)
    try stage.memory.admitAhead(runs[0], .needing(60))
    #expect(throws: MemoryShortage.self) { try stage.memory.admitAhead(runs[1], .needing(60)) }
    async let waiting: Void = stage.admit(runs[2], 50)
    await stage.reach { $0.count == 1 }
    #expect(throws: MemoryShortage.self) { try stage.memory.admitAhead(runs[1], .needing(1)) }
    stage.memory.release(runs[0])
    try await waiting
  }

  @Test func `that a process has taken is not kept for it as well`() async throws {
    let stage = Stage(free: 100)
    try await stage.admit(runs[0], 60)
    stage.memory.begin(runs[0], pid: 7)
    // While it loads, what it already has is missing from the free memory.
    stage.gauge.set(free: 114_000_000)
    stage.gauge.set(own: 50_000_000, of: 7)
    try await stage.admit(runs[1], 40)
  }

  @Test func `is bounded by nothing where nobody can tell how much there is`() async throws {
    let stage = Stage(free: 0)
    stage.gauge.forget()
    try await stage.admit(runs[0], 1_000_000)
  }
}

@Suite struct `The ledger of memory` {
  private let first = RunID("first")
  private let second = RunID("second")

  @Test func `takes what one process had for what the next will have`() {
    var ledger = MemoryLedger()
    #expect(ledger.bytes([.needing(60)]) == 60_000_000)
    ledger.promise(first, [.needing(60, growth: 5)])
    ledger.weigh(first, 20_000_000)
    #expect(ledger.bytes([.needing(60)]) == 20_000_000)
    #expect(ledger.bytes([.needing(60, growth: 5)]) == 25_000_000)
    #expect(ledger.bytes([.needing(60, kind: "other")]) == 60_000_000)
    ledger.release(first)
    #expect(ledger.bytes([.needing(60)]) == 20_000_000)
  }

  @Test func `keeps what a process may still take`() {
    var ledger = MemoryLedger()
    ledger.promise(first, [.needing(60, growth: 5)])
    #expect(ledger.outstanding(except: second) == 65_000_000)
    #expect(ledger.outstanding(except: first) == 0)
    ledger.weigh(first, 20_000_000)
    #expect(ledger.outstanding(except: second) == 5_000_000)
    ledger.note(first, 24_000_000)
    #expect(ledger.outstanding(except: second) == 1_000_000)
    // Memory that it now shares with its forks has not been given back.
    ledger.note(first, 2_000_000)
    #expect(ledger.outstanding(except: second) == 1_000_000)
    ledger.release(first)
    #expect(ledger.outstanding(except: second) == 0)
  }

  @Test func `takes what a template needs from what was kept for its worker`() {
    var ledger = MemoryLedger()
    let (template, fork) = (MemoryNeed.needing(60, kind: "t"), MemoryNeed.needing(5, kind: "f"))
    ledger.promise(first, [template, fork])
    ledger.promise(second, template, outOf: first)
    #expect(ledger.outstanding(except: RunID("other")) == 65_000_000)
    #expect(ledger.outstanding(except: first) == 60_000_000)
    ledger.promise(first, [fork])
    #expect(ledger.outstanding(except: RunID("other")) == 65_000_000)
  }
}

/// A stage whose memory the test controls.
private struct Stage {
  let gauge: FakeMemory
  let memory: Memory

  init(free: Int, patience: Duration = .seconds(30)) {
    gauge = FakeMemory(free: (free + 64) * 1_000_000)
    memory = Memory(gauge: gauge, patience: patience)
  }

  func admit(_ run: RunID, _ megabytes: Int, _ heard: Heard = Heard()) async throws {
    try await memory.admit(run, onWait: heard.note, reclaim: { false }) {
      [.needing(megabytes, kind: "\(megabytes)")]
    }
  }

  /// Waits until the queue meets a condition.
  func reach(_ isSo: ([RunID]) -> Bool) async {
    while !isSo(memory.waits.map(\.run)), !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}

private final class Heard: Sendable {
  private let waits = Mutex<[MemoryWait]>([])

  func note(_ wait: MemoryWait) { waits.withLock { $0.append(wait) } }

  /// Waits until the notified runs meet a condition.
  func reach(_ isSo: ([RunID]) -> Bool) async {
    while !isSo(waits.withLock { $0.map(\.run) }), !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  func places(of run: RunID) -> [Int] {
    waits.withLock { $0.filter { $0.run == run }.map(\.place) }
  }
}

extension MemoryNeed {
  fileprivate static func needing(
    _ megabytes: Int,
    growth: Int = 0,
    kind: String = "kind"
  ) -> MemoryNeed {
    MemoryNeed(
      kind: Kind(
        origin: .fork,
        model: kind,
        modelVersion: nil,
        projector: nil,
        contextSize: nil,
        plugin: nil
      ),
      load: megabytes * 1_000_000,
      growth: growth * 1_000_000
    )
  }
}

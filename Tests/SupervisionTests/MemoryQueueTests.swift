import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Supervision

/// Sizes are in megabytes, beyond the 64 that are left to others.
@Suite(.timeLimit(.minutes(5))) struct `The queue for memory` {
  private let runs = (0..<4).map { RunID("run-\($0)") }

  @Test func `admits the next launch when a process has ended`() async throws {
    let machine = PlayedMemory(free: 100)
    try await machine.admit(runs[0], 60)
    async let second: Void = machine.admit(runs[1], 60)
    try await machine.waits { $0 == [runs[1]] }
    #expect(machine.queue.waits.map(\.place) == [1])
    #expect(machine.queue.waits.map(\.needed) == [60_000_000])
    #expect(machine.queue.waits.map(\.free) == [40_000_000])
    machine.queue.release(runs[0])
    try await second
    #expect(machine.queue.waits.isEmpty)
  }

  @Test func `admits in the order of arrival and reports places`() async throws {
    let machine = PlayedMemory(free: 10)
    let notices = Notices()
    async let first: Void = machine.admit(runs[0], 60, notices)
    try await eventually("the first is notified") { notices.runs == [runs[0]] }
    // It would fit, but must not overtake.
    async let second: Void = machine.admit(runs[1], 5, notices)
    try await eventually("the second is notified") { notices.runs.contains(runs[1]) }
    machine.gauge.set(free: 164_000_000)
    _ = try await (first, second)
    #expect(notices.places(of: runs[0]) == [1])
    #expect(notices.places(of: runs[1]).first == 2)
  }

  @Test func `refuses at once what can never fit, without reclaiming anything`() async throws {
    let machine = PlayedMemory(free: 900)
    let shortage = await #expect(throws: MemoryShortage.self) {
      try await machine.queue.admit(
        runs[0],
        onWait: { _ in Issue.record("It waits.") },
        reclaim: {
          Issue.record("Something is ended.")
          return false
        },
        need: { .megabytes(2000) }
      )
    }
    #expect(shortage?.needed == 2_000_000_000)
    #expect(shortage?.isPermanent == true)
  }

  @Test func `refuses after its timeout`() async throws {
    let machine = PlayedMemory(free: 100, timeout: .milliseconds(50))
    try await machine.admit(runs[0], 60)
    let shortage = await #expect(throws: MemoryShortage.self) {
      try await machine.admit(runs[1], 110)
    }
    #expect(shortage?.needed == 110_000_000)
    #expect(shortage?.free == 40_000_000)
    #expect(shortage?.isPermanent == false)
    #expect(machine.queue.waits.isEmpty)
  }

  @Test func `forgets a launch that is cancelled`() async throws {
    let machine = PlayedMemory(free: 10)
    let task = Task { [runs] in try await machine.admit(runs[0], 60) }
    try await machine.waits { $0.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(machine.queue.waits.isEmpty)
  }

  @Test func `reclaims no more than is needed before a launch is told to wait`() async throws {
    let machine = PlayedMemory(free: 10)
    let ended = Mutex(0)
    try await machine.queue.admit(
      runs[0],
      onWait: { _ in Issue.record("It waits.") },
      reclaim: {
        let count = ended.withLock { ended in
          ended += 1
          return ended
        }
        machine.gauge.set(free: 64_000_000 + (10 + 30 * count) * 1_000_000)
        return true
      },
      need: { .megabytes(60) }
    )
    #expect(ended.withLock { $0 } == 2)
  }

  @Test func `reserves ahead only while no launch waits`() async throws {
    let machine = PlayedMemory(free: 100)
    try machine.queue.reserveAhead(runs[0], .megabytes(60))
    #expect(throws: MemoryShortage.self) {
      try machine.queue.reserveAhead(runs[1], .megabytes(60))
    }
    async let waiting: Void = machine.admit(runs[2], 50)
    try await machine.waits { $0.count == 1 }
    #expect(throws: MemoryShortage.self) {
      try machine.queue.reserveAhead(runs[1], .megabytes(1))
    }
    machine.queue.release(runs[0])
    try await waiting
  }

  @Test func `does not count twice what a process has already taken`() async throws {
    let machine = PlayedMemory(free: 100)
    try await machine.admit(runs[0], 60)
    machine.queue.began(runs[0], pid: 7)
    // While it loads, what it already has is missing from the free memory.
    machine.gauge.set(free: 114_000_000)
    machine.gauge.set(own: 50_000_000, of: 7)
    try await machine.admit(runs[1], 40)
  }

  @Test func `keeps the reservation of a ready process only where it goes on growing`() throws {
    let machine = PlayedMemory(free: 100)
    try machine.queue.reserveAhead(runs[0], .megabytes(20))
    try machine.queue.reserveAhead(runs[1], MemoryNeed(bytes: 20_000_000, isGradual: true))
    for run in runs { machine.queue.becameReady(run) }
    #expect(machine.queue.reserving == [runs[1]])
  }

  @Test func `admits everything where the free memory is unknown`() async throws {
    let machine = PlayedMemory(free: 0)
    machine.gauge.forget()
    try await machine.admit(runs[0], 1_000_000)
  }
}

@Suite struct `The need for memory` {
  private func configuration(projector: String? = nil, contextSize: Int? = 512)
    -> WorkerConfiguration
  {
    WorkerConfiguration(
      run: RunID("a"),
      plugin: "/a.so",
      model: Repository.pocketModel,
      projector: projector,
      contextSize: contextSize
    )
  }

  @Test func `is the files and the context, of which a fork takes only the latter`() throws {
    let key = try #require(TemplateKey(configuration()))
    let model = try #require(key.parent)
    let files = ModelFiles(Repository.pocketModel, projector: nil, contextSize: 512)
    #expect(files.bytes == 3_665_664)
    #expect(files.context == files.bytes / 32_768 * 512)
    #expect(MemoryNeed.template(model).bytes > files.bytes + files.context)
    #expect(MemoryNeed.template(model) == .alone(configuration()))
    #expect(MemoryNeed.fork(of: key).bytes - files.context < 10_000_000)
    #expect(MemoryNeed.fork(of: key).isGradual)
    #expect(MemoryNeed.template(key).bytes < MemoryNeed.fork(of: key).bytes)
  }

  @Test func `includes a projector that was named`() throws {
    let difference =
      MemoryNeed.alone(configuration(projector: Repository.pocketModel)).bytes
      - MemoryNeed.alone(configuration()).bytes
    #expect(difference == 3_665_664)
  }

  @Test func `stays a number however large the context`() {
    #expect(MemoryNeed.alone(configuration(contextSize: .max)).bytes > 1 << 47)
  }
}

/// A queue on a machine whose memory the test controls.
private struct PlayedMemory {
  let gauge: FakeMemory
  let queue: MemoryQueue

  init(free: Int, timeout: Duration = .seconds(30)) {
    gauge = FakeMemory(free: (free + 64) * 1_000_000)
    queue = MemoryQueue(gauge: gauge, timeout: timeout)
  }

  func admit(_ run: RunID, _ megabytes: Int, _ notices: Notices = Notices()) async throws {
    try await queue.admit(run, onWait: notices.append, reclaim: { false }) {
      .megabytes(megabytes)
    }
  }

  /// Waits until the waiting launches meet a condition.
  func waits(until condition: ([RunID]) -> Bool) async throws {
    try await eventually("the queue is as expected") { condition(queue.waits.map(\.run)) }
  }
}

private final class Notices: Sendable {
  private let waits = Mutex<[MemoryWait]>([])

  var runs: [RunID] { waits.withLock { $0.map(\.run) } }

  func append(_ wait: MemoryWait) { waits.withLock { $0.append(wait) } }

  func places(of run: RunID) -> [Int] {
    waits.withLock { $0.filter { $0.run == run }.map(\.place) }
  }
}

extension MemoryNeed {
  fileprivate static func megabytes(_ count: Int) -> MemoryNeed {
    MemoryNeed(bytes: count * 1_000_000)
  }
}

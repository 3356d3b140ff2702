import Synchronization
import Testing

@testable import Llama

@Suite(.serialized) struct `Work that takes long` {
  @Test func `is told of from its beginning to its end, and short work is not`() {
    let told = Mutex<[LongWork.Step?]>([])
    LongWork.observe { step in told.withLock { $0.append(step) } }
    defer { LongWork.observe(nil) }
    // A total by which it is told from what other tests load and compute meanwhile.
    let short = WorkMeter(.prefill, of: 4711)
    short.reach(4711)
    short.end()
    #expect(told.withLock { $0.contains { $0?.total == 4711 } } == false)

    let long = WorkMeter(.loading, from: 100, of: 4711, interval: .zero)
    long.reach(part: 0.5)
    long.reach(4711)
    long.end()
    let steps = told.withLock { $0.compactMap(\.self) }.filter { $0.total == 4711 }
    #expect(steps.map(\.done) == [2355, 4711])
    #expect(steps.allSatisfy { $0.first == 100 && $0.seconds >= 0 })
    #expect(told.withLock { $0.contains { $0 == nil } })
  }
}

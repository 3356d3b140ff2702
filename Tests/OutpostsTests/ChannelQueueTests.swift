import Testing
import Wire

@testable import Outposts

@Suite struct `What waits to cross the channel` {
  private let lanes = (0..<3).map { ChannelFrame.Lane(RunID("run-\($0)")) }

  private func piece(_ count: Int, _ byte: UInt8 = 0) -> Frame {
    Frame(kind: .last, payload: [UInt8](repeating: byte, count: count))
  }

  @Test func `goes in turn, a frame of each lane, however much one of them sends`() {
    var queue = ChannelQueue()
    for _ in 0..<4 { queue.append([piece(1000)], stream: .worker, lane: lanes[0]) }
    queue.append([piece(10)], stream: .worker, lane: lanes[1])
    queue.append([piece(10)], stream: .log, lane: lanes[2])
    let order = (0..<6).compactMap { _ in queue.next()?.lane }
    #expect(order == [lanes[0], lanes[1], lanes[2], lanes[0], lanes[0], lanes[0]])
    #expect(queue.isIdle)
  }

  @Test func `lets the ends' own messages go first, and urgent ones before the others' pieces`() {
    var queue = ChannelQueue()
    queue.append([piece(10)], stream: .worker, lane: lanes[0])
    queue.append([Frame(kind: .piece, payload: [1]), Frame(kind: .last, payload: [2])])
    queue.append([Frame(kind: .control, payload: [3])])
    queue.append([Frame(kind: .control, payload: [4])])
    let order = (0..<5).compactMap { _ in queue.next()?.frame.payload.first }
    #expect(order == [3, 4, 1, 2, 0])
  }

  @Test func `waits once the other end has not taken a window of a lane, and that lane alone`() {
    var queue = ChannelQueue()
    for _ in 0..<10 { queue.append([piece(60_000, 1)], stream: .worker, lane: lanes[0]) }
    var sent = 0
    while queue.next() != nil { sent += 1 }
    #expect(sent == 5)
    queue.append([piece(10, 2)], stream: .worker, lane: lanes[1])
    #expect(queue.next()?.frame.payload.first == 2)
    #expect(queue.next() == nil)
    queue.credit(lanes[0], bytes: 120_000)
    sent = 0
    while queue.next() != nil { sent += 1 }
    #expect(sent == 2)
    #expect(queue.waitingBytes(lanes[0]) == 180_000)
  }

  @Test func `keeps the order of each lane among lanes chosen at random`() {
    var generator = SystemRandomNumberGenerator()
    var queue = ChannelQueue()
    var (given, taken) = ([0, 0, 0], [0, 0, 0])
    for _ in 0..<5000 {
      let lane = Int.random(in: 0..<3, using: &generator)
      if Bool.random(using: &generator) {
        let frame = Frame(kind: .last, payload: Array("\(given[lane])".utf8))
        queue.append([frame], stream: .worker, lane: lanes[lane])
        given[lane] += 1
      } else if let next = queue.next(), let index = lanes.firstIndex(of: next.lane) {
        #expect(String(decoding: next.frame.payload, as: UTF8.self) == "\(taken[index])")
        taken[index] += 1
        queue.credit(next.lane, bytes: next.frame.payload.count)
      }
    }
    while let next = queue.next(), let index = lanes.firstIndex(of: next.lane) { taken[index] += 1 }
    #expect(taken == given)
  }

  @Test func `is forgotten with its lane`() {
    var queue = ChannelQueue()
    queue.append([piece(10)], stream: .worker, lane: lanes[0])
    queue.append([piece(10)], stream: .worker, lane: lanes[1])
    queue.drop(lanes[0])
    queue.close(lanes[1])
    #expect(queue.next()?.lane == lanes[1])
    #expect(queue.next() == nil)
  }
}

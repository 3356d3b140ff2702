import CSystemCalls
import Foundation
import Supervision
import Testing
import Wire

@testable import Outposts

@Suite struct `The code of a message` {
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `is its HMAC with SHA-256`(key: [UInt8], text: String, digits: String) {
    let code = MessageAuthenticator(key: key).code(
      of: Array(text.utf8.prefix(3)),
      Array(text.utf8.dropFirst(3))
    )
    #expect(code.map { String(format: "%02x", $0) }.joined() == digits)
  }

  @Test func `is compared whole`() {
    #expect(MessageAuthenticator.areEqual([1, 2], [1, 2]))
    #expect(!MessageAuthenticator.areEqual([1, 2], [1, 3]))
    #expect(!MessageAuthenticator.areEqual([1, 2], [1]))
  }
}

@Suite struct `What crosses a connection` {
  private let keys = ConnectionKeys(key: [1], outpost: [2], coordinator: [3])
  private let messages: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 7, count: 5000)]

  private func records(of end: ConnectionKeys.End = .outpost) -> [[UInt8]] {
    var sealer = keys.sealer(of: end)
    return messages.map { sealer.seal($0) }
  }

  private func opened(_ bytes: [UInt8], pieces: Int = .max) throws -> [[UInt8]] {
    var (opener, rest, found) = (keys.opener(of: .outpost), bytes[...], [[UInt8]]())
    while !rest.isEmpty {
      opener.append(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      while let message = try opener.next() { found.append(message) }
    }
    return found
  }

  @Test(arguments: [1, 7, 4096, .max]) func `arrives however it was divided`(pieces: Int) throws {
    #expect(try opened(records().flatMap(\.self), pieces: pieces) == messages)
  }

  @Test func `is refused where a bit was changed`() throws {
    let record = records()[0]
    for index in record.indices {
      var changed = record
      changed[index] ^= 1
      // A longer length waits for more, which is not sealed either.
      let more = [UInt8](repeating: 0, count: WireLimits.piece + 300)
      #expect(throws: WireBreach.self, "\(index)") { try opened(changed + more) }
    }
  }

  @Test func `is refused where it is repeated, left out, or sent back`() throws {
    let sent = records()
    for wrong in [[sent[0], sent[0]], [sent[1]], [records(of: .coordinator)[0]]] {
      #expect(throws: WireBreach.self) { try opened(wrong.flatMap(\.self)) }
    }
  }

  @Test func `is refused where its length is impossible, before it is waited for`() {
    #expect(throws: WireBreach.self) { try opened([0xff, 0, 0, 0]) }
  }
}

@Suite(.timeLimit(.minutes(1))) struct `A connection back` {
  /// Runs what blocks on a thread of its own.
  private func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
  }

  private func connection(_ offer: ConnectBackOffer) async throws -> DirectConnection {
    try await blocking { Result { try DirectConnection.connect(offer) } }.get()
  }

  /// What a connection brings until it ends, and whether it broke the protocol.
  private func all(from connection: DirectConnection) async -> (bytes: [UInt8], isBroken: Bool) {
    await blocking {
      var bytes: [UInt8] = []
      do throws(WireBreach) {
        try connection.read { bytes += $0 }
        return (bytes, false)
      } catch {
        return (bytes, true)
      }
    }
  }

  @Test func `carries what both ends send`() async throws {
    let listener = try ConnectBackListener(.here)
    async let accepted = blocking { listener.accept() }
    let outpost = try await connection(listener.offer)
    let coordinator = try #require(await accepted)
    async let there = all(from: outpost)
    async let here = all(from: coordinator)
    #expect(coordinator.write([1, 2]))
    #expect(outpost.write([3]) && outpost.write([4]))
    await blocking { outpost.finish(within: .seconds(0)) }
    #expect(await here == ([3, 4], false))
    coordinator.close()
    #expect(await there == ([1, 2], false))
  }

  @Test func `is made by the outpost that has the key, whatever connects before it`() async throws {
    let listener = try ConnectBackListener(.here)
    async let accepted = blocking { listener.accept() }
    // One that hears the proof of the other end and has none of its own.
    let port = listener.offer.port
    let answer = await blocking {
      let stranger = csystem_connect("127.0.0.1", port, 1000)
      defer { systemClose(stranger) }
      _ = systemWrite([UInt8](repeating: 1, count: 32), to: stranger)
      var heard = [UInt8](repeating: 0, count: 64)
      _ = systemRead(stranger, into: &heard)
      _ = systemWrite([UInt8](heard[32...]), to: stranger)
      return systemRead(stranger, into: &heard)
    }
    #expect(answer <= 0, "it is sent away")
    var wrong = listener.offer
    wrong.key = [UInt8](repeating: 0, count: ConnectBackOffer.keyBytes)
    await #expect(throws: DirectConnection.Problem.self) { try await connection(wrong) }
    let outpost = try await connection(listener.offer)
    let coordinator = try #require(await accepted)
    #expect(outpost.write([5]))
    await blocking { outpost.finish(within: .seconds(0)) }
    #expect(await all(from: coordinator) == ([5], false))
  }

  @Test func `is not made where there is no coordinator`() async throws {
    var offer = try ConnectBackListener(.here).offer
    // The listener is gone.
    await #expect(throws: DirectConnection.Problem.self) { try await connection(offer) }
    offer.address = "nowhere"
    await #expect(throws: DirectConnection.Problem.self) { try await connection(offer) }
    #expect(throws: DirectConnection.Problem.self) {
      // Reserved for documentation, so no machine has it.
      try ConnectBackListener(ConnectBackPlace(address: "192.0.2.1"))
    }
  }

  @Test func `is made at once beside strangers that say nothing`() async throws {
    let listener = try ConnectBackListener(.here)
    let port = listener.offer.port
    async let accepted = blocking { listener.accept() }
    let strangers = (0..<12).map { _ in csystem_connect("127.0.0.1", port, 1000) }
    defer { for stranger in strangers { systemClose(stranger) } }
    // One after another they would keep it waiting for longer than both ends do.
    let outpost = try await connection(listener.offer)
    let coordinator = try #require(await accepted)
    outpost.close()
    coordinator.close()
  }

  /// A stranger that sends a byte now and then, which a bound on each step would allow for longer.
  @Test func `waits no longer for a stranger that sends little by little`() async throws {
    let listener = try ConnectBackListener(.here)
    let port = listener.offer.port
    async let accepted = blocking { listener.accept() }
    let stranger = csystem_connect("127.0.0.1", port, 1000)
    defer { systemClose(stranger) }
    // Each measures its own thread: a busy machine may be late to start it.
    async let strangerTime = blocking {
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .seconds(9) {
        guard systemWrite([1], to: stranger) == 1 else { break }
        usleep(140_000)
      }
      return ContinuousClock.now - begin
    }
    let offer = listener.offer
    let (result, time) = await blocking {
      let begin = ContinuousClock.now
      let result = Result { try DirectConnection.connect(offer) }
      return (result, ContinuousClock.now - begin)
    }
    let outpost = try result.get()
    #expect(await accepted != nil)
    #expect(time < .seconds(6))
    #expect(await strangerTime < .seconds(6), "it is sent away")
    outpost.close()
  }

  @Test func `is made at a port of those that it may take`() async throws {
    let first = try ConnectBackListener(.here)
    let port = first.offer.port
    let taken = ConnectBackPlace(address: "127.0.0.1", ports: port...port)
    #expect(throws: DirectConnection.Problem.self) { try ConnectBackListener(taken) }
    var listeners: [ConnectBackListener] = []
    // A free port is taken, and the next of the range where that is not free.
    let ports = port > 60_000 ? port - 50...port : port...port + 50
    for _ in 0..<2 {
      listeners.append(
        try ConnectBackListener(ConnectBackPlace(address: "127.0.0.1", ports: ports))
      )
    }
    let found = listeners.map(\.offer.port)
    #expect(found.allSatisfy(ports.contains) && Set(found + [port]).count == 3)
    // What was accepted at a port keeps no other from listening there.
    async let accepted = blocking { first.accept() }
    let outpost = try await connection(first.offer)
    let coordinator = try #require(await accepted)
    #expect(try ConnectBackListener(taken).offer.port == port)
    outpost.close()
    coordinator.close()
  }
}

extension ConnectBackPlace {
  fileprivate static let here = ConnectBackPlace(address: "127.0.0.1")
}

import Synchronization

extension Outpost {
  /// Measures how long a message of some bytes, at most 4,000, takes there and back: the median of a
  /// few.
  ///
  /// - Throws: `OutpostError`.
  package func roundTrip(of bytes: Int) async throws -> Duration {
    guard let link, link.isUp else {
      throw OutpostError.unavailable(host: host.name, status.state)
    }
    var times: [Duration] = []
    for _ in 0..<5 { times.append(try await echo(bytes, by: link)) }
    return times.sorted()[times.count / 2]
  }

  private func echo(_ bytes: Int, by link: OutpostLink) async throws -> Duration {
    let start = ContinuousClock.now
    let bound = link.giveUp(unless: "an echo came back")
    defer { bound.cancel() }
    try await withCheckedThrowingContinuation { continuation in
      let isUp = link.state.withLock { state in
        if state.phase == .up { state.waiters.append(continuation) }
        return state.phase == .up
      }
      guard isUp else {
        return continuation.resume(throwing: OutpostError.lost(host: host.name))
      }
      link.sender.send(ToOutpost.echo(String(repeating: ".", count: bytes)))
    }
    return start.duration(to: .now)
  }
}

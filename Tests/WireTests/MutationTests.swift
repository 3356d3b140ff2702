import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `Mutated streams` {
  /// The outcome of decoding one stream.
  private enum Outcome: Hashable {
    case whole, refused, unfinished
  }

  @Test func `are read whole, refused or left unfinished, and never trap or hang`() throws {
    let originals = try Samples.fromWorker.map { message in
      try MessageEncoder().frames(of: message).flatMap(\.bytes)
    }
    var random = Seeded(20_261_121)
    var outcomes: [Outcome: Int] = [:]
    for index in 0..<20_000 {
      var bytes = originals[index % originals.count]
      for _ in 0...Int.random(in: 0...2, using: &random) { mutate(&bytes, using: &random) }
      outcomes[read(bytes), default: 0] += 1
    }
    // All three outcomes occurred, so the mutations reach the whole decoder.
    #expect(outcomes[.whole, default: 0] > 100)
    #expect(outcomes[.refused, default: 0] > 1000)
    #expect(outcomes[.unfinished, default: 0] > 1000)
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout Seeded) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where place < bytes.count:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 3 where place < bytes.count: bytes.remove(at: place)
    case 4: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: bytes.suffix(from: place), at: place)
    }
  }

  private func read(_ bytes: [UInt8]) -> Outcome {
    var decoder = MessageDecoder<FromWorker>()
    decoder.append(bytes)
    do {
      while try decoder.next() != nil {}
    } catch {
      return .refused
    }
    do {
      try decoder.finish()
      return .whole
    } catch {
      return .unfinished
    }
  }
}

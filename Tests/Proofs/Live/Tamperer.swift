import Foundation
import TestSupport
import Wire

/// Turns what an honest process would say into what a broken one may say: untrue numbers, messages
/// out of turn, and bytes outside the protocol.
struct Tamperer {
  /// Replacements for a number, at which counting, adding and slicing go wrong.
  private static let numbers = [
    "-1", "0", "1", "255", "65536", "2147483647", "-2147483648", "4294967296",
    "9007199254740993", "9223372036854775807", "-9223372036854775808", "1e308", "-0.5",
  ]

  private var random: Seeded

  init(seed: UInt64) {
    random = Seeded(seed)
  }

  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }

  /// Returns the bytes of messages after one or more changes.
  mutating func bytes(of messages: [some WireMessage]) -> [UInt8] {
    var frames = messages.flatMap { (try? MessageEncoder().frames(of: $0)) ?? [] }
    let way = Int.random(in: 0..<8, using: &random)
    let times = Int.random(in: 1...3, using: &random)
    for _ in 0..<times where !frames.isEmpty {
      let place = Int.random(in: frames.indices, using: &random)
      let other = Int.random(in: frames.indices, using: &random)
      switch way {
      case 0...2: frames[place].payload = lie(in: frames[place].payload)
      case 3: frames.swapAt(place, other)
      case 4: frames.insert(frames[place], at: other)
      default: break
      }
    }
    var bytes = frames.flatMap(\.bytes)
    if way > 4 { for _ in 0..<times { FrameBatch.mutate(&bytes, using: &random) } }
    return bytes
  }

  /// Replaces a number.
  private mutating func lie(in payload: [UInt8]) -> [UInt8] {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let starts = payload.indices.filter { index in
      digits.contains(payload[index]) && (index == 0 || !digits.contains(payload[index - 1]))
    }
    guard let start = starts.randomElement(using: &random) else { return payload }
    let end = payload[start...].firstIndex { !digits.contains($0) } ?? payload.endIndex
    let number = Self.numbers.randomElement(using: &random) ?? ""
    return payload[..<start] + Array(number.utf8) + payload[end...]
  }
}

import Foundation
import Wire

/// There is not enough memory for one more process; all figures are in bytes.
package struct MemoryShortage: Error, Sendable, Equatable {
  package let needed: Int
  /// What is free and reserved for nobody else.
  package let free: Int
  /// What there is for processes in total.
  package let total: Int
  /// How long the process waited.
  package let waited: Duration
  /// The processes of this coordinator that hold the most, the largest first.
  package let holders: [MemoryHolder]

  /// Whether the shortage would remain no matter what ends.
  var isForEver: Bool { needed > total }
}

extension MemoryShortage: CustomStringConvertible {
  package var description: String {
    var sentences = [
      "There is not enough memory for one more process: it needs \(Self.size(needed)), and"
        + " \(Self.size(free)) of \(Self.size(total)) are free."
    ]
    if waited >= .seconds(1) {
      sentences.append("Nothing was freed within \(waited.components.seconds) s.")
    }
    if !holders.isEmpty {
      let list = holders.map { "\($0.run) with \(Self.size($0.bytes))" }.joined(separator: ", ")
      sentences.append("The largest processes here: \(list).")
    }
    let smaller = "a smaller model with --model, or a smaller window with --context"
    sentences.append(
      isForEver
        ? "It can never fit: choose \(smaller)."
        : "Try again when other programs or sessions have ended, or choose \(smaller)."
    )
    return sentences.joined(separator: " ")
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 10_000_000_000
      ? "\(bytes / 1_000_000) MB" : String(format: "%.1f GB", Double(bytes) / 1e9)
  }
}

import Foundation
import Wire

/// There is no memory for one more process; all figures are bytes.
package struct MemoryShortage: Error, Sendable, Equatable {
  package let needed: Int
  /// What is free, and kept for nobody else.
  package let free: Int
  /// What there is for processes at all.
  package let total: Int
  /// How long it was waited for.
  package let waited: Duration
  /// The processes of this coordinator that have the most, the largest first.
  package let holders: [MemoryHolder]

  /// Whether it stays so, whatever ends.
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

import CSystem
import Foundation

/// What the end of a worker's log says about memory.
struct MemoryWords {
  /// The last words of a process that was refused memory: by Swift, by Foundation and by C++.
  private static let refusals = [
    "Fatal error: failed to allocate ", "Fatal error: unable to allocate memory ", "bad_alloc",
  ]

  /// What it had, and could have by its own bound, in bytes; `nil` when it had no time to say.
  private(set) var had: Int?
  private(set) var bound: Int?
  /// What it asked for when it was refused.
  private(set) var wanted: Int?
  private var isRefused = false
  /// The log's lines, without those that only report memory.
  let lines: [String]

  init(_ lines: [String]) {
    self.lines = lines.filter { !$0.hasPrefix(CSYSTEM_MEMORY_NOTE) }
    if let note = lines.last(where: { $0.hasPrefix(CSYSTEM_MEMORY_NOTE) }) {
      let figures = Self.numbers(in: note.dropFirst(CSYSTEM_MEMORY_NOTE.count))
      if figures.count == 2 { (had, bound) = (figures[0], figures[1]) }
    }
    guard let line = self.lines.last(where: { $0.containsAny(of: Self.refusals) }) else { return }
    isRefused = true
    let words = Self.refusals.compactMap { line.range(of: $0)?.upperBound }.first
    wanted = words.flatMap { Self.numbers(in: line[$0...]).first }
  }

  /// Whether the process ended because it was refused memory.
  ///
  /// Either it says so, or it had nearly all that it could have: a refusal without a message is
  /// just a null pointer to the caller.
  var tellsOfRefusal: Bool {
    guard !isRefused, let had, let bound else { return isRefused }
    return had >= bound - bound / 16
  }

  private static func numbers(in text: some StringProtocol) -> [Int] {
    text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
  }
}

extension String {
  fileprivate func containsAny(of words: [String]) -> Bool { words.contains { contains($0) } }
}

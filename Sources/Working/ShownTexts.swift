import AgentKit
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How far the coordinator has been shown the texts of a turn: it is sent what is new of them.
struct ShownTexts {
  private var texts: [String: String] = [:]

  /// What becomes of a text by a snapshot of it.
  mutating func change(to snapshot: EntrySnapshot) -> TextChange {
    let text = snapshot.text
    let before = texts.updateValue(text, forKey: snapshot.entryID) ?? ""
    // A cut inside a character would send half of it.
    let boundary = text.utf8.index(text.startIndex, offsetBy: text.bytesInCommon(with: before))
    let start = boundary.samePosition(in: text.unicodeScalars) ?? text.startIndex
    return TextChange(
      entryID: snapshot.entryID,
      isReasoning: snapshot.kind == .reasoning,
      keptBytes: text.utf8.distance(from: text.startIndex, to: start),
      added: String(text[start...])
    )
  }
}

extension String {
  /// How many bytes stand at the beginning of both.
  ///
  /// Every token asks it of all that was said before, which mostly stands, and so is compared as a whole
  /// first.
  fileprivate func bytesInCommon(with other: String) -> Int {
    let before = other.utf8.count
    let stands = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { others in
        guard own.count >= before, let own = own.baseAddress, let others = others.baseAddress else {
          return false
        }
        return memcmp(own, others, before) == 0
      }
    }
    if stands == true { return before }
    var count = 0
    for (own, others) in zip(utf8, other.utf8) {
      guard own == others else { break }
      count += 1
    }
    return count
  }
}

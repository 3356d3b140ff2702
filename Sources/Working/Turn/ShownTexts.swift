import AgentKit
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How much of a turn's texts the coordinator has been shown, so that only what is new is sent.
struct ShownTexts {
  private var texts: [String: String] = [:]

  /// Returns the change that a snapshot makes to a text.
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
  /// Returns the number of bytes that both strings begin with.
  ///
  /// Called on the whole text for every token. The old text is usually a prefix of the new one, so
  /// it is compared as a whole first.
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

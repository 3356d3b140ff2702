import AgentKit
import Wire

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
  /// Counted one by one: every token asks it of all that was said before.
  fileprivate func bytesInCommon(with other: String) -> Int {
    var count = 0
    for (own, others) in zip(utf8, other.utf8) {
      guard own == others else { break }
      count += 1
    }
    return count
  }
}

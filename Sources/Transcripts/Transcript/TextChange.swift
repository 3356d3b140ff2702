/// How the text of an unfinished entry changed: some bytes stay, and these follow.
package struct TextChange: Codable, Sendable, Equatable {
  package var entryID: String
  package var isReasoning: Bool
  package var keptBytes: Int
  package var added: String

  package init(entryID: String, isReasoning: Bool, keptBytes: Int, added: String) {
    self.entryID = entryID
    self.isReasoning = isReasoning
    self.keptBytes = keptBytes
    self.added = added
  }
}

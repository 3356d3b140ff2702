/// How large an entry may be: what the journal and the pipes between processes take.
package enum EntryLimit {
  /// Bytes of an entry as JSON.
  package static let bytes = 16 * 1024 * 1024 - 4096
  /// How many bytes of JSON one byte of text can become: that of a control character, as an escape.
  private static let longestEscape = 6
  /// Bytes that stand around a text and its identity.
  private static let keysOfSegment = 64

  /// What a call has returned, or, where that is more than can be kept, words that say so: the call was
  /// made, and its model can ask for less.
  static func fitted(
    _ segments: [Transcript.Segment],
    of call: Transcript.ToolCall
  ) -> [Transcript.Segment] {
    guard mayExceed(segments) else { return segments }
    let output = Transcript.ToolOutput(id: call.id, toolName: call.toolName, segments: segments)
    guard let size = try? Transcript.Entry.toolOutput(output).json().count, size > bytes else {
      return segments
    }
    let words =
      "'\(call.toolName)' has run, but returned \(size) bytes, more than the \(bytes) that can be"
      + " kept. Its output is lost; ask it for less."
    return [.text(.init(content: words))]
  }

  /// Whether they have to be written down to know.
  private static func mayExceed(_ segments: [Transcript.Segment]) -> Bool {
    var count = 0
    for segment in segments {
      guard case .text(let text) = segment else { return true }
      count += text.content.utf8.count + text.id.utf8.count + keysOfSegment
    }
    return count > bytes / longestEscape - 4096
  }
}

/// The maximum size of an entry that the journal and the pipes between processes accept.
package enum EntryLimit {
  /// The maximum number of bytes of an entry as JSON.
  package static let bytes = 16 * 1024 * 1024 - 4096
  /// The maximum number of bytes of JSON per byte of text: that of an escaped control character.
  private static let longestEscape = 6
  /// The number of bytes around a text and its identity.
  private static let keysOfSegment = 64

  /// Returns what a call returned, or a message in its place if it is too large to keep.
  ///
  /// The call was made, so the message tells the model to ask for less.
  package static func fitted(
    _ segments: [Transcript.Segment],
    of call: Transcript.ToolCall
  ) -> [Transcript.Segment] {
    guard mayExceed(segments) else { return segments }
    let output = Transcript.ToolOutput(id: call.id, toolName: call.toolName, segments: segments)
    guard let size = try? RawEntry(.toolOutput(output)).size, size > bytes else {
      return segments
    }
    let words =
      "'\(call.toolName)' has run, but returned \(size) bytes, more than the \(bytes) that can be"
      + " kept. Its output is lost; ask it for less."
    return [.text(.init(content: words))]
  }

  /// Returns whether the segments must be encoded to find out their size.
  private static func mayExceed(_ segments: [Transcript.Segment]) -> Bool {
    var count = 0
    for segment in segments {
      guard case .text(let text) = segment else { return true }
      count += text.content.utf8.count + text.id.utf8.count + keysOfSegment
    }
    return count > bytes / longestEscape - 4096
  }
}

import AgentKit
import Journal

extension Conversation {
  /// Bytes of a prompt's words: more than any window holds, and not too much for one message when they
  /// are spelled as JSON.
  static let maximumPromptBytes = 8 << 20

  /// The entry of a prompt, with its images before its words.
  ///
  /// - Throws: `ConversationError` for what no model can be shown, and where the images of the
  ///   conversation would not go to a worker in one message any more.
  func entry(of prompt: String, _ images: [PromptImage]) throws -> Transcript.Entry {
    guard prompt.utf8.count <= Self.maximumPromptBytes else {
      throw ConversationError.promptTooLarge(
        bytes: prompt.utf8.count,
        limit: Self.maximumPromptBytes
      )
    }
    for image in images {
      if let flaw = image.flaw { throw ConversationError.badImage("\(image)", flaw: flaw) }
    }
    let attachments = images.map(\.attachment)
    if !attachments.isEmpty {
      let known = history.flatMap(\.segments.attachments)
      let bytes = (known + attachments).reduce(0) { $0 + ($1.image.data?.count ?? 0) }
      guard bytes <= ImageFile.maximumBytes else {
        throw ConversationError.imagesTooLarge(bytes: bytes, limit: ImageFile.maximumBytes)
      }
    }
    let segments = attachments.map { Transcript.Segment.attachment($0) }
    let entry = Transcript.Entry.prompt(
      .init(segments: segments + [.text(.init(content: prompt))])
    )
    // Words and images may each be small enough, and together too much. JSON spells a byte with six at
    // the most.
    if !images.isEmpty || prompt.utf8.count > EntryLimit.bytes / 8 {
      let bytes = try EntryPayload(entry).size
      guard bytes <= EntryLimit.bytes else {
        throw ConversationError.promptTooLarge(bytes: bytes, limit: EntryLimit.bytes)
      }
    }
    return entry
  }
}

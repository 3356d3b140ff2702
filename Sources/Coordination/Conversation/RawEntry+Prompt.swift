import Transcripts

extension RawEntry {
  /// The most bytes of a prompt's text.
  ///
  /// More than any window holds, yet few enough for one message when encoded as JSON.
  static let maximumPromptBytes = 8 << 20

  /// Makes the entry of a prompt, with its images before its text.
  /// - Parameter history: The entries that a worker is sent with it.
  /// - Throws: `ConversationError` for content that no model can be shown, or when the images of
  ///   the conversation would no longer fit in one message to a worker.
  init(
    prompt: String,
    images: [PromptImage] = [],
    options: TurnOptions? = nil,
    after history: ChunkedArray<RawEntry>
  ) throws {
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
      let known = history.flatMap(\.entry.segments.attachments)
      let bytes = (known + attachments).reduce(0) { $0 + ($1.image.data?.count ?? 0) }
      guard bytes <= ImageFile.maximumBytes else {
        throw ConversationError.imagesTooLarge(bytes: bytes, limit: ImageFile.maximumBytes)
      }
    }
    let segments = attachments.map { Transcript.Segment.attachment($0) }
    let plain = Transcript.Prompt(segments: segments + [.text(.init(content: prompt))])
    try self.init(.prompt(options?.applied(to: plain) ?? plain))
    // Text and images may each be small enough, but too large together.
    guard size <= EntryLimit.bytes else {
      throw ConversationError.promptTooLarge(bytes: size, limit: EntryLimit.bytes)
    }
  }
}

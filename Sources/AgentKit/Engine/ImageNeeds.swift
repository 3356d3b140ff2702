import Synchronization

/// The images that a model must see.
struct ImageNeeds {
  let entries: [Transcript.Entry]

  /// Checks that a model can see the images.
  ///
  /// - Throws: ``LanguageModelError`` if the model does not accept images or an image is not valid.
  func check(_ model: any LanguageModel) throws {
    guard !entries.isEmpty else { return }
    guard model.capabilities.contains(.vision) else {
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .vision,
          debugDescription: model.open?.visionUnavailable
            ?? "The model does not accept images, but the transcript has one."
        )
      )
    }
    let takesAddresses =
      model is ChatCompletionsLanguageModel || model is PrivateCloudComputeLanguageModel
    for entry in entries {
      for attachment in entry.segments.attachments {
        if takesAddresses, attachment.image.webAddress != nil { continue }
        guard let flaw = attachment.image.flaw else { continue }
        throw LanguageModelError.unsupportedTranscriptContent(
          .init(
            unsupportedContent: [entry],
            debugDescription: "The attachment \(attachment) cannot be shown to a model: \(flaw)."
          )
        )
      }
    }
  }
}

extension Transcript {
  /// The entries that have images.
  ///
  /// Entries that are only appended are examined once, because examining a long transcript takes
  /// longer than everything else in a request. Instructions may differ each time.
  struct Images {
    /// The number of entries that were examined, without the instructions, which come and go.
    private var lookedAt = 0
    private var found: [Entry] = []

    mutating func entries(of transcript: Transcript) -> [Entry] {
      let leading = transcript.entries.leading
      let history = transcript.entries[leading.endIndex...]
      found += history.dropFirst(lookedAt).filter(\.segments.hasAttachments)
      lookedAt = history.count
      return leading.filter(\.segments.hasAttachments) + found
    }
  }
}

extension LanguageModelSession {
  /// Returns the entries of a request that have images.
  func entriesWithImages(
    _ entries: [Transcript.Entry],
    isTranscript: Bool
  ) -> [Transcript.Entry] {
    guard isTranscript else { return entries.filter(\.segments.hasAttachments) }
    return state.withLock { $0.images.entries(of: $0.transcript) }
  }
}

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
  /// What a history shares with the one before it is not examined again, because examining a long
  /// one takes longer than everything else in a request.
  struct Images {
    private var examined = ChunkedArray<Entry>()
    private var found: [(place: Int, entry: Entry)] = []

    mutating func entries(of transcript: Transcript) -> [Entry] {
      let history = transcript.history
      let known = history.entries.sharedCount(with: examined)
      found.removeAll { $0.place >= known }
      for place in known..<history.count where history.entries[place].segments.hasAttachments {
        found.append((place, history.entries[place]))
      }
      // Without the last entries: the next one would be appended to a copy of them.
      examined = history.entries.inWholeChunks
      return transcript.leading.filter(\.segments.hasAttachments) + found.map(\.entry)
    }
  }
}

extension LanguageModelSession {
  /// Returns the entries of a request that have images.
  func entriesWithImages(
    _ shown: Transcript,
    isTranscript: Bool
  ) -> [Transcript.Entry] {
    guard isTranscript else { return shown.filter(\.segments.hasAttachments) }
    return state.withLock { $0.images.entries(of: $0.transcript) }
  }
}

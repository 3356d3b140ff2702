/// The images that a model is to see.
struct ImageNeeds {
  private let entries: [Transcript.Entry]

  init(_ entries: [Transcript.Entry]) {
    self.entries = entries.filter(\.segments.hasAttachments)
  }

  /// - Throws: `LanguageModelError` when the model takes no images, or one of them is none.
  func check(_ model: any LanguageModel) throws {
    guard !entries.isEmpty else { return }
    guard model.capabilities.contains(.vision) else {
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .vision,
          debugDescription: model.open?.blindness
            ?? "The model cannot take images, but there is one in the transcript."
        )
      )
    }
    let takesAddresses = model is ChatCompletionsLanguageModel
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

package import AgentKit
package import PlatformLibraries

/// The place of an image among tokens.
struct ImageSpan: Sendable, Equatable {
  let start: Int
  /// The number of cells, each of which takes the place of a token.
  let count: Int
  /// How many positions the model counts for it.
  let positions: Int

  var end: Int { start + count }
}

/// The input of a model: tokens with images among them.
struct PromptInput {
  struct PlacedChunk {
    let span: ImageSpan
    let image: ProjectedImage
    let chunk: Int
  }

  /// The tokens, including names for the cells of images.
  private(set) var tokens: [Token]
  private(set) var chunks: [PlacedChunk] = []

  init(_ tokens: [Token]) {
    self.tokens = tokens
  }

  /// Tokenizes a rendered prompt in which marks stand for images.
  init(
    _ prompt: String,
    images: PromptImages?,
    model: LlamaModel,
    projector: Projector?
  ) throws(LlamaError) {
    guard let images else {
      tokens = model.promptTokens(of: prompt)
      return
    }
    guard let projector else { throw .imageRefused(reason: "the model has no projector") }
    let texts = prompt.split(separator: images.mark, omittingEmptySubsequences: false)
    // A template may leave out messages, but then the places of the rest are unknown.
    guard texts.count == images.data.count + 1 else {
      throw .renderingFailed(
        reason: "The chat template shows \(texts.count - 1) of \(images.data.count) images."
      )
    }
    projector.makeRoom(for: images.data.count)
    tokens = model.promptTokens(of: String(texts[0]))
    for (data, text) in zip(images.data, texts.dropFirst()) {
      append(try projector.image(data))
      tokens += model.tokens(of: String(text))
    }
  }

  /// Returns the beginning, without cutting through an image.
  func prefix(_ count: Int) -> PromptInput {
    let cut = chunks.first { $0.span.start < count && count < $0.span.end }?.span.start ?? count
    var prefix = PromptInput(Array(tokens.prefix(cut)))
    prefix.chunks = chunks.filter { $0.span.end <= cut }
    return prefix
  }

  mutating func append(_ tokens: [Token]) {
    self.tokens += tokens
  }

  private mutating func append(_ image: ProjectedImage) {
    for (index, chunk) in image.chunks.enumerated() {
      switch chunk {
      case .tokens(let tokens): self.tokens += tokens
      case .cells(let count, let positions):
        let span = ImageSpan(start: tokens.count, count: count, positions: positions)
        chunks.append(PlacedChunk(span: span, image: image, chunk: index))
        tokens += image.names(ofCells: count)
      }
    }
  }
}

/// The images of a request, and the mark that stands for each of them in its messages.
package struct PromptImages: Sendable, Equatable {
  package let mark: String
  package let data: [Data]

  /// Finds a mark that no text contains; `nil` when there are no images.
  package init?(of entries: some Collection<Transcript.Entry>) {
    guard entries.contains(where: \.segments.hasAttachments) else { return nil }
    let data = entries.flatMap { $0.segments.attachments.compactMap(\.image.data) }
    guard !data.isEmpty else { return nil }
    self.data = data
    var mark = "<__image__>"
    var number = 0
    while entries.contains(where: { $0.text.contains(mark) }) {
      number += 1
      mark = "<__image_\(number)__>"
    }
    self.mark = mark
  }
}

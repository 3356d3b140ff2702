import Synchronization

/// The prompt of this process's latest request, as its model was given it.
package enum LastPrompt {
  // Unchecked because the model is not Sendable: any thread may read its vocabulary.
  fileprivate struct Record: @unchecked Sendable {
    weak var model: LlamaModel?
    let tokens: [Token]
    let images: [ImageSpan]
    let cached: Int
  }

  /// A prompt and the part of it that was cached, in tokens and as text.
  package struct Text: Sendable, Equatable {
    package let tokens: Int
    package let cached: Int
    package let cachedText: String
    package let computedText: String
  }

  private static let latest = Mutex<Record?>(nil)

  static func note(_ input: PromptInput, cached: Int, of model: LlamaModel) {
    let images = input.chunks.map(\.span)
    let record = Record(model: model, tokens: input.tokens, images: images, cached: cached)
    latest.withLock { $0 = record }
  }

  /// The prompt; `nil` as long as there was no request.
  package static var text: Text? {
    guard let record = latest.withLock({ $0 }), let model = record.model else { return nil }
    return Text(
      tokens: record.tokens.count,
      cached: record.cached,
      cachedText: record.text(of: 0..<record.cached, model),
      computedText: record.text(of: record.cached..<record.tokens.count, model)
    )
  }
}

extension LastPrompt.Record {
  fileprivate func text(of range: Range<Int>, _ model: LlamaModel) -> String {
    var bytes: [UInt8] = []
    for place in range {
      if let image = images.first(where: { ($0.start..<$0.end).contains(place) }) {
        // Names of cells are no tokens of the vocabulary.
        if place == max(image.start, range.lowerBound) { bytes += Array("[image]".utf8) }
      } else {
        bytes += model.piece(of: tokens[place], showingControl: true)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

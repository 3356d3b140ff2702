import AgentKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Llama

/// An image that is no longer wanted while it is being encoded.
@Suite(.timeLimit(.minutes(5))) struct `An image that is being computed` {
  private let files: Files
  private let model: LlamaModel
  private let path: String
  private let data = PNGFile.noise(32, 32, seed: 1)

  init() throws {
    files = try Files()
    model = try Fixture.model()
    path = try files.write(TinyVision.pocketProjector(), "mmproj-pocket.gguf")
  }

  /// Answers with every token possible, so that the image shows in the text at once.
  private func answer(_ projector: Projector) throws -> String {
    var options = LlamaContext.Options()
    options.contextSize = 512
    let context = try LlamaContext(model: model, options: options, projector: projector)
    var conversation = Conversation.host
    conversation.ask("What can I make of it?", showing: data)
    var request = conversation.request
    request.sampling = SamplingOptions()
    request.sampling.temperature = 2
    (request.sampling.topK, request.sampling.topP, request.sampling.minP) = (0, 1, 0)
    request.sampling.seed = 7
    return try Generation(context: context).run(request).message.content
  }

  @Test func `is left off in the middle, and is computed as a whole the next time`() throws {
    let projector = try Projector(path: path, model: model)
    let image = try projector.image(data)
    let chunk = try #require(
      image.chunks.firstIndex { if case .cells = $0 { true } else { false } }
    )
    let rest = Atomic(1)
    let cancel = CancelFlag { rest.subtract(1, ordering: .relaxed).newValue < 0 }
    #expect(throws: LlamaError.cancelled) {
      try projector.encode(image, chunk: chunk, cancel: cancel)
    }
    #expect(try answer(projector) == answer(Projector(path: path, model: model)))
  }
}

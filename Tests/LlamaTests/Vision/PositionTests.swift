import AgentKit
import Foundation
import Llama
import TestSupport
import Testing

/// A model that counts fewer positions for an image than it has cells, as the Qwen family does.
@Suite(.timeLimit(.minutes(5))) struct `Positions after an image` {
  private let files: Files
  private let model: LlamaModel
  private let projector: Projector

  init() throws {
    files = try Files()
    model = try LlamaModel(path: try files.write(TinyVision.mropeModel(), "tiny.gguf"))
    let path = try files.write(TinyVision.mropeProjector(), "mmproj.gguf")
    projector = try Projector(path: path, model: model)
  }

  private func generation() throws -> Generation {
    var options = LlamaContext.Options()
    options.contextSize = 1024
    options.sequenceCount = 3
    return Generation(
      context: try LlamaContext(model: model, options: options, projector: projector)
    )
  }

  private func request(_ image: Data, _ words: String) -> GenerationRequest {
    var conversation = Conversation(instructions: "Be brief.")
    conversation.ask(words, showing: image)
    return conversation.request
  }

  @Test func `An image of any size has cells of its own size`() throws {
    func cells(_ width: Int, _ height: Int) throws -> Int {
      let generation = try generation()
      _ = try generation.run(request(PNGFile.noise(width, height, seed: 3), "What is it?"))
      return generation.context.tokens(in: 0).count { $0 < 0 }
    }
    #expect(try cells(64, 64) == 16)
    #expect(try cells(128, 64) == 32)
  }

  @Test func `Words after an image are rewound and computed again as at a cold start`() throws {
    let image = PNGFile.noise(64, 96, seed: 4)
    let shared = try generation()
    _ = try shared.run(request(image, "Paper or wood?"))
    let warm = try shared.run(request(image, "Is it a fox?"))
    #expect(warm.usage.cached > 24)
    let cold = try generation()
    let alone = try cold.run(request(image, "Is it a fox?"))
    #expect(alone.usage.cached == 0)
    #expect(warm.message == alone.message)
    // Proves that the check works: other words get another answer.
    #expect(try generation().run(request(image, "Paper or wood?")).message != alone.message)
  }

  @Test func `A conversation goes on after an image and its answer`() throws {
    let shared = try generation()
    var conversation = Conversation(instructions: "Be brief.")
    conversation.ask("What is it?", showing: PNGFile.noise(64, 64, seed: 5))
    let first = try shared.run(conversation.request)
    conversation.answer(first.message.content)
    conversation.ask("And this?", showing: PNGFile.noise(64, 64, seed: 6))
    let second = try shared.run(conversation.request)
    #expect(second.usage.cached > 16)
    #expect(second.usage.computed < second.usage.input)
    #expect(second.finish != .cancelled)
  }
}

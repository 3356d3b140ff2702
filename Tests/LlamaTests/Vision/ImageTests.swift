import AgentKit
import Foundation
import Llama
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Images in prompts` {
  private let files: Files
  private let model: LlamaModel
  private let projector: Projector

  private static let crane = PNGFile.noise(32, 32, seed: 1)
  private static let boat = PNGFile.noise(32, 32, seed: 2)

  init() throws {
    files = try Files()
    model = try Fixture.model()
    let path = try files.write(TinyVision.pocketProjector(), "mmproj-pocket.gguf")
    projector = try Projector(path: path, model: model)
  }

  private func generation(size: Int = 1024, cachedSequences: Int = 4) throws -> Generation {
    var options = LlamaContext.Options()
    options.contextSize = size
    options.sequenceCount = cachedSequences
    return Generation(
      context: try LlamaContext(model: model, options: options, projector: projector)
    )
  }

  private func question(
    _ image: Data,
    _ text: String = "What can I make of it?"
  ) -> Conversation {
    var conversation = Conversation.host
    conversation.ask(text, showing: image)
    return conversation
  }

  @Test func `An image is computed into the cells in its place, and not as text`() throws {
    let generation = try generation()
    let result = try generation.run(question(Self.crane).request)
    let held = generation.context.tokens(in: 0)
    let cells = held.indices.filter { held[$0] < 0 }
    #expect(cells.count == 16)
    #expect(cells.last == cells.first.map { $0 + 15 })
    #expect(result.usage.input > 16)
    #expect(result.usage.computed == result.usage.input)
  }

  @Test func `The same image is answered alike, and another one otherwise`() throws {
    func answer(_ image: Data) throws -> String {
      var request = question(image).request
      // With every token possible, the image shows in the text at once.
      request.sampling = SamplingOptions()
      request.sampling.temperature = 2
      (request.sampling.topK, request.sampling.topP, request.sampling.minP) = (0, 1, 0)
      request.sampling.seed = 7
      return try generation().run(request).message.content
    }
    let one = try answer(Self.crane)
    #expect(try answer(Self.crane) == one)
    let others = try (2..<8).map { try answer(PNGFile.noise(32, 32, seed: $0)) }
    #expect(others.contains { $0 != one })
  }

  @Test func `A conversation with an image goes on from what was computed of it`() throws {
    let warm = try generation()
    var conversation = question(Self.crane)
    let first = try warm.run(conversation.request)
    conversation.answer(first.message.content)
    conversation.ask("And of paper?")
    let next = try warm.run(conversation.request)
    #expect(next.usage.cached >= first.usage.input - 8)
    #expect(next.usage.cacheBreak == nil)
    // Other batches could change the last bits, so the cold run uses the same batches.
    let cold = try generation()
    var same = question(Self.crane)
    same.answer(try cold.run(same.request).message.content)
    same.ask("And of paper?")
    #expect(try cold.run(same.request).message == next.message)
  }

  @Test func `A prefix with an image that is copied gives the answer of a cold start`() throws {
    let shared = try generation()
    _ = try shared.run(question(Self.crane, "Name it.").request)
    // Keeps the first sequence up to where the words differ and copies the image from it.
    let copied = try shared.run(question(Self.crane, "What is it made of?").request)
    #expect(copied.usage.cached > 16)
    let cold = try generation()
    _ = try cold.run(question(Self.crane, "Name it.").request)
    cold.context.clear()
    let alone = try cold.run(question(Self.crane, "What is it made of?").request)
    #expect(alone.usage.cached == 0)
    #expect(alone.message == copied.message)
  }

  @Test func `Another image in the same place is never taken for the one that was computed`() throws
  {
    let shared = try generation()
    _ = try shared.run(question(Self.crane).request)
    let other = try shared.run(question(Self.boat).request)
    let start = try #require(shared.context.tokens(in: 0).firstIndex { $0 < 0 })
    #expect(other.usage.cached == start)
    let found = try #require(other.usage.cacheBreak)
    #expect(found.cause == "entry 1 of the history (prompt) changed")
    #expect(found.was.contains("[image]"))
    #expect(try generation().run(question(Self.boat).request).message == other.message)
  }

  @Test func `Two images stand in their order, with their labels`() throws {
    var conversation = Conversation.host
    let images = [(Self.crane, "before"), (Self.boat, "after")]
    let segments = images.map { data, label in
      Transcript.Segment.attachment(
        .init(content: .image(.init(imageData: data)), label: label)
      )
    }
    conversation.entries = [
      .prompt(.init(segments: segments + [.text(.init(content: "What is better?"))]))
    ]
    let generation = try generation()
    let prompt = try generation.prompt(of: conversation.request)
    let marks = prompt.ranges(of: "<__image__>")
    #expect(marks.count == 2)
    #expect(prompt.contains("Image \"before\":"))
    _ = try generation.run(conversation.request)
    #expect(generation.context.tokens(in: 0).count { $0 < 0 } == 32)
  }

  @Test func `Words that look like a mark stay words`() throws {
    let generation = try generation()
    let conversation = question(Self.crane, "What is <__image__>, and what <__image_1__>?")
    let prompt = try generation.prompt(of: conversation.request)
    #expect(prompt.contains("<__image_2__>"))
    _ = try generation.run(conversation.request)
    #expect(generation.context.tokens(in: 0).count { $0 < 0 } == 16)
  }

  @Test func `An image that does not fit the window is refused with its figures`() throws {
    let small = try generation(size: 256)
    var conversation = Conversation.host
    for seed in UInt64(0)..<20 {
      conversation.ask("This?", showing: PNGFile.noise(32, 32, seed: seed))
    }
    let error = #expect(throws: LlamaError.self) { try small.run(conversation.request) }
    guard case .contextSizeExceeded(_, let count) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count > 320)
  }

  @Test func `Cancelling before an image leaves a context that can be used`() throws {
    let generation = try generation()
    let cancel = CancelFlag()
    cancel.set()
    let result = try generation.run(question(Self.crane).request, cancel: cancel)
    #expect(result.finish == .cancelled)
    let next = try generation.run(question(Self.crane).request)
    #expect(next.finish != .cancelled)
    #expect(try self.generation().run(question(Self.crane).request).message == next.message)
  }

  @Test func `Bytes that are no image are an error, and what was held stays`() throws {
    let generation = try generation()
    _ = try generation.run(question(Self.crane).request)
    let held = generation.context.tokens(in: 0)
    // A header without the data that it announces.
    let torn = Self.boat.prefix(60)
    let error = #expect(throws: LlamaError.self) { try generation.run(question(torn).request) }
    guard case .imageRefused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(generation.context.tokens(in: 0) == held)
  }

  @Test func `Instructions with an image have no prefix that another process could use`() throws {
    var conversation = Conversation.host
    conversation.ask("Hello")
    #expect(try generation().prepare(conversation.request).count > 30)
    let picture = Transcript.Segment.attachment(
      .init(content: .image(.init(imageData: Self.crane)))
    )
    #expect(try generation().prepare(conversation.request(led: [picture])).count == 0)
    let result = try generation().run(conversation.request(led: [picture]))
    #expect(result.usage.input > 16)
  }
}

extension Conversation {
  /// Adds a question about an image.
  mutating func ask(_ question: String, showing image: Data) {
    entries.append(
      .prompt(
        .init(
          segments: [
            .attachment(.init(content: .image(.init(imageData: image)))),
            .text(.init(content: question)),
          ]
        )
      )
    )
  }
}

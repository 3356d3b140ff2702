import AgentKit
import Foundation
import Llama
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The projector of a model` {
  private let files: Files

  init() throws { files = try Files() }

  private func touch(_ names: String...) throws {
    for name in names { _ = try files.write(Data(), name) }
  }

  private func found(beside model: String) -> String? {
    ProjectorFile.beside("\(files.folder)/\(model)").map { path in
      String(path.path.split(separator: "/").last ?? "")
    }
  }

  @Test func `Only what has mmproj in its name and fits the model's is a projector`() throws {
    try touch("Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf", "gemma-3-4b-it-Q8_0.gguf", "notes-mmproj.txt")
    #expect(found(beside: "gemma-3-4b-it-Q8_0.gguf") == nil)
    try touch("mmproj-Qwen2.5-VL-7B-Instruct-f16.gguf")
    #expect(
      found(beside: "Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf")
        == "mmproj-Qwen2.5-VL-7B-Instruct-f16.gguf"
    )
    #expect(found(beside: "gemma-3-4b-it-Q8_0.gguf") == nil)
    try touch("mmproj-model-f16.gguf")
    #expect(found(beside: "gemma-3-4b-it-Q8_0.gguf") == "mmproj-model-f16.gguf")
    #expect(
      found(beside: "Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf")
        == "mmproj-Qwen2.5-VL-7B-Instruct-f16.gguf"
    )
  }

  @Test func `A model with a projector sees, and says so`() throws {
    let path = try files.write(TinyVision.pocketProjector(), "p.gguf")
    let engine = try LlamaEngine(
      modelAt: Fixture.modelPath,
      contextSize: 512,
      projector: .named(path)
    )
    let model = LoadedLanguageModel(engine)
    #expect(model.capabilities.contains(.vision))
    #expect(model.visionUnavailable == nil)
  }

  @Test func `A model without one says which file it lacks, before it is asked`() async throws {
    let engine = try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 512)
    let session = LanguageModelSession(model: LoadedLanguageModel(engine))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond {
        "What is it?"
        Attachment(imageData: PNGFile.noise(8, 8, seed: 1))
      }
    }
    guard case .unsupportedCapability(let facts) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(facts.capability == .vision)
    #expect(facts.debugDescription.contains("'pocket' does not accept images"))
    #expect(facts.debugDescription.contains("mmproj"))
    #expect(facts.debugDescription.contains("pocket.gguf"))
    #expect(session.transcript.isEmpty || session.transcript.count == 1)
  }

  @Test func `A session answers about an image`() async throws {
    let path = try files.write(TinyVision.pocketProjector(), "p.gguf")
    let engine = try LlamaEngine(
      modelAt: Fixture.modelPath,
      contextSize: 512,
      projector: .named(path)
    )
    let session = LanguageModelSession(model: LoadedLanguageModel(engine))
    var options = GenerationOptions(samplingMode: .greedy)
    options.maximumResponseTokens = 8
    let image = PNGFile.noise(32, 32, seed: 1)
    let response = try await session.respond(options: options) {
      Attachment(imageData: image).label("the crane")
      "What is it?"
    }
    #expect(response.usage.input.totalTokenCount > 16)
    let reference = ImageReference(attachmentLabel: "the crane")
    #expect(reference.resolved(in: session.transcript)?.data == image)
  }

  @Test func `One that lies there and does not fit leaves the model without images`() throws {
    let wrong = try files.write(TinyVision.pocketProjector(width: 128), "mmproj-a.gguf")
    let engine = try LlamaEngine(
      modelAt: Fixture.modelPath,
      contextSize: 256,
      projector: .found(wrong)
    )
    let model = LoadedLanguageModel(engine)
    #expect(!model.capabilities.contains(.vision))
    let sentence = try #require(model.visionUnavailable)
    #expect(sentence.contains("mismatch"))
    #expect(sentence.contains("mmproj-a.gguf"))
    #expect(throws: LlamaModelError.self) {
      try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 256, projector: .named(wrong))
    }
  }

  @Test func `A file that is no projector is refused with its fault`() throws {
    let text = try files.write(Data("Hello, world".utf8), "mmproj.gguf")
    #expect(throws: LlamaModelError.notGGUF(path: text, magic: Array("Hell".utf8))) {
      try Projector(path: text, model: Fixture.model())
    }
    let error = #expect(throws: LlamaModelError.self) {
      try Projector(path: Fixture.modelPath, model: Fixture.model())
    }
    guard case .refused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

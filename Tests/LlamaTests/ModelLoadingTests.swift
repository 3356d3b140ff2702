import Foundation
import Llama
import TestSupport
import Testing

@Suite struct ModelLoadingTests {
  private let folder = TemporaryFolder()

  @Test(.timeLimit(.minutes(5))) func `a model tells its facts`() throws {
    let model = try Fixture.model()
    #expect(model.facts.parameterCount > 1_000_000)
    #expect(model.facts.size > 1_000_000)
    #expect(model.facts.trainedContextSize == 1536)
    #expect(model.facts.name?.isEmpty == false)
    #expect(model.facts.description.contains("llama"))
    #expect(model.facts.canRewind)
    #expect(model.templates.source.contains("<tool_call>"))
  }

  @Test func `a missing file is missing`() {
    let path = folder.path("nothing.gguf")
    #expect(throws: LlamaModelError.missingFile(path: path)) { try LlamaModel(path: path) }
  }

  @Test func `a directory is not a regular file`() {
    let path = folder.path("")
    #expect(throws: LlamaModelError.notARegularFile(path: path)) { try LlamaModel(path: path) }
  }

  @Test func `a device that never ends is not a regular file`() {
    let path = "/dev/zero"
    #expect(throws: LlamaModelError.notARegularFile(path: path)) { try LlamaModel(path: path) }
  }

  @Test func `an empty file and a text are not GGUF, and the error shows how they begin`() throws {
    let empty = try folder.write(Data(), to: "empty.gguf")
    #expect(throws: LlamaModelError.notGGUF(path: empty, magic: [])) { try LlamaModel(path: empty) }
    let text = try folder.write(Data("Hello, I am a model.".utf8), to: "text.gguf")
    #expect(throws: LlamaModelError.notGGUF(path: text, magic: Array("Hell".utf8))) {
      try LlamaModel(path: text)
    }
  }

  @Test(arguments: [5, 24, 1_000, 60_000, 1_800_000])
  func `a file that was cut short is refused with llama's own reason`(length: Int) throws {
    let path = try folder.write(original.prefix(length), to: "short.gguf")
    let error = #expect(throws: LlamaModelError.self) { try LlamaModel(path: path) }
    guard case .refused(path, Int64(length), let log) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!log.isEmpty)
  }

  @Test func `a file with a vocabulary but no weights is refused`() throws {
    var bytes = try original
    // The tensor count follows the magic number and the version.
    bytes.replaceSubrange(8..<16, with: Data(count: 8))
    let path = try folder.write(bytes, to: "vocabulary.gguf")
    let error = #expect(throws: LlamaModelError.self) { try LlamaModel(path: path) }
    guard case .refused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a model without a chat template is refused, never given one`() throws {
    var bytes = try original
    let key = try #require(bytes.range(of: Data("tokenizer.chat_template".utf8)))
    bytes.replaceSubrange(key, with: Data("tokenizer.chat_templatX".utf8))
    let path = try folder.write(bytes, to: "plain.gguf")
    #expect(throws: LlamaModelError.noChatTemplate(path: path)) { try LlamaModel(path: path) }
    var options = LlamaModel.Options()
    options.chatTemplate = "{% for message in messages %}{{ message.content }}{% endfor %}"
    #expect(throws: Never.self) { try LlamaModel(path: path, options: options) }
  }

  @Test func `a model without a vocabulary is refused`() throws {
    var bytes = try original
    let key = try #require(bytes.range(of: Data("tokenizer.ggml.model".utf8)))
    let kind = try #require(bytes.range(of: Data("gpt2".utf8), in: key.upperBound..<bytes.endIndex))
    bytes.replaceSubrange(kind, with: Data("none".utf8))
    let path = try folder.write(bytes, to: "mute.gguf")
    #expect(throws: LlamaModelError.noVocabulary(path: path)) { try LlamaModel(path: path) }
  }

  @Test(arguments: [("dream", true), ("qwen2", false)])
  func `a model that does not write token by token is refused`(
    name: String,
    isRefused: Bool
  ) throws {
    let path = try folder.write(BareModel.model(of: name), to: "\(name).gguf")
    var options = LlamaModel.Options()
    options.isVocabularyOnly = true
    var error: LlamaModelError?
    do throws(LlamaModelError) {
      _ = try LlamaModel(path: path, options: options)
    } catch let thrown {
      error = thrown
    }
    #expect(error == (isRefused ? .notAutoregressive(path: path) : nil))
  }

  @Test func `a chat template that cannot be read is refused`() throws {
    let error = #expect(throws: LlamaModelError.self) {
      try Fixture.model(chatTemplate: "{% for message in %}{{")
    }
    guard case .templateRefused(Fixture.modelPath, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!reason.isEmpty)
  }

  private var original: Data {
    get throws { try Data(contentsOf: URL(filePath: Fixture.modelPath)) }
  }
}

/// A folder that is removed with its test.
final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() {
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: url.appending(path: name))
    return path(name)
  }
}

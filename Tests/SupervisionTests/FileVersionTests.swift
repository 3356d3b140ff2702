import Foundation
import Supervision
import Testing

@Suite struct `The version of a model's files` {
  @Test func `changes with any of them, and with what lets it see`() throws {
    let folder = NSTemporaryDirectory() + "version-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ name: String) throws {
      // Under the same name, but another file.
      try Data("GGUF".utf8).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
    }
    let model = "\(folder)/model-00001-of-00002.gguf"
    try write("model-00001-of-00002.gguf")
    #expect(FileVersion(model: model, projector: nil) == nil)
    try write("model-00002-of-00002.gguf")
    let first = try #require(FileVersion(model: model, projector: nil))
    #expect(FileVersion(model: model, projector: nil) == first)
    try write("model-00002-of-00002.gguf")
    let second = try #require(FileVersion(model: model, projector: nil))
    #expect(second != first)
    try write("mmproj-model.gguf")
    #expect(FileVersion(model: model, projector: nil) != second)
    let named = FileVersion(model: model, projector: "\(folder)/other.gguf")
    try write("mmproj-model.gguf")
    #expect(FileVersion(model: model, projector: "\(folder)/other.gguf") == named)
  }
}

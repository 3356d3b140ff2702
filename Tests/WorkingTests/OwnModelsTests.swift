import AgentKit
import Foundation
import Testing

@testable import Working

@Suite final class `The memory for models of an agent's own` {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "models-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/deeper",
      withIntermediateDirectories: true
    )
    let sizes = [
      "small.gguf": 100, "large-00001-of-00002.gguf": 1000, "large-00002-of-00002.gguf": 3000,
      "notes.txt": 50_000, "deeper/other.gguf": 70_000,
    ]
    for (name, size) in sizes {
      try Data(count: size).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func memory(_ permissions: Permission..., machine: UInt64 = 1 << 40) -> UInt64 {
    OwnModels.memory(permissions, machine: machine)
  }

  @Test func `is twice that of each readable file, with all parts of a split one`() {
    #expect(memory(.reading(folder + "/small.gguf")) == 200)
    #expect(memory(.reading(folder + "/large-00001-of-00002.gguf")) == 8000)
    #expect(memory(.reading(folder + "/notes.txt"), .reading(folder + "/none.gguf")) == 0)
    #expect(memory(.network, .writing(folder), .running(folder + "/small.gguf")) == 0)
  }

  @Test func `is that of all models in a folder, each of which counts once`() {
    #expect(memory(.reading(folder)) == 8200)
    #expect(memory(.reading(folder + "/")) == 8200)
    #expect(memory(.reading(folder), .reading(folder + "/small.gguf")) == 8200)
  }

  @Test func `is never more than the machine has`() {
    #expect(memory(.reading(folder), machine: 5000) == 5000)
    #expect(memory(.reading(folder), machine: 150) == 150)
  }
}

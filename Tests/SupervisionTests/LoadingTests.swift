import AgentKit
import Foundation
import Testing
import Wire

@testable import Supervision

@Suite final class `The time for loading` {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "loading-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let sizes = [
      "small.gguf": 4_000_000, "projector.gguf": 1_000_000_000, "own.gguf": 500_000_000,
      "large-00001-of-00002.gguf": 6_000_000_000, "large-00002-of-00002.gguf": 4_000_000_000,
    ]
    for (name, size) in sizes {
      let path = "\(folder)/\(name)"
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      // The file is a hole of that size, to which nothing is written.
      #expect(truncate(path, off_t(size)) == 0)
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func growth(
    _ model: String?,
    projector: String? = nil,
    role: WorkerConfiguration.Role = .worker,
    isModelLoaded: Bool = false,
    permissions: [Permission] = []
  ) -> Duration {
    let configuration = WorkerConfiguration(
      run: RunID("a-1"),
      role: role,
      plugin: "/a.so",
      model: model.map { "\(folder)/\($0)" },
      projector: projector.map { "\(folder)/\($0)" },
      contextSize: nil,
      confinement: Confinement(permissions: permissions)
    )
    return Roster.Timeouts.growth(for: configuration, isModelLoaded: isModelLoaded)
  }

  @Test func `grows with all files of the model`() {
    #expect(growth("small.gguf") == .zero)
    #expect(growth("large-00001-of-00002.gguf") == .seconds(200))
    #expect(growth("large-00001-of-00002.gguf", projector: "projector.gguf") == .seconds(220))
    #expect(growth("none.gguf") == .zero)
    #expect(growth(nil) == .zero)
  }

  @Test func `does not grow for a model that the template has loaded`() {
    #expect(growth("large-00001-of-00002.gguf", isModelLoaded: true) == .zero)
  }

  @Test func `grows with the models that an agent may read, but not for templates`() {
    let permissions: [Permission] = [.reading(folder + "/own.gguf"), .reading(folder)]
    #expect(growth("small.gguf", isModelLoaded: true, permissions: permissions) == .seconds(10))
    #expect(growth("small.gguf", role: .template, permissions: permissions) == .zero)
  }
}

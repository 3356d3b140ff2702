import Foundation
import Supervision
import TestSupport
import Testing

@testable import Outposts

@Suite(.timeLimit(.minutes(1))) struct `The hashes of files here` {
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  private func write(_ text: String, to path: String, at date: Date) throws {
    // In place, so that it stays the same file.
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  @Test func `are computed once for each version of a file, however many ask`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, hashes) = (folder + "/model.gguf", FileHashes())
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try write("abc", to: path, at: date)
    await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await hashes.file(path, as: .model).hash } }
      while let hash = await group.nextResult() { #expect((try? hash.get()) == Self.abc) }
    }
    // As far as can be seen without reading, it is the same.
    try write("abd", to: path, at: date)
    #expect(try await hashes.file(path, as: .model).hash == Self.abc)
    try write("abd", to: path, at: date + 1)
    let file = try await hashes.file(path, as: .model)
    #expect(file.hash != Self.abc)
    #expect(file.stamp.bytes == 3)
    #expect(file.stamp.seconds == 1_000_000_001)
  }

  @Test func `are of regular files alone, and of no link where agents can write`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let hashes = FileHashes()
    try write("abc", to: folder + "/secret", at: Date())
    #expect(symlink(folder + "/secret", folder + "/a.prefix") == 0)
    #expect(try await hashes.file(folder + "/a.prefix", as: .model).hash == Self.abc)
    await #expect(throws: LaunchError.self) {
      try await FileHashes().file(folder + "/a.prefix", as: .prefix)
    }
    #expect(mkfifo(folder + "/pipe", 0o600) == 0)
    for path in [folder + "/pipe", folder, folder + "/nothing"] {
      await #expect(throws: LaunchError.self) { try await hashes.file(path, as: .plugin) }
    }
  }
}

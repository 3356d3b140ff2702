import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite struct `A file sent to an outpost` {
  private let base: String
  private let folder: OutpostFolder
  private let files: StagedFiles

  init() throws {
    base = try temporaryFolder()
    folder = try OutpostFolder(environment: ["TMPDIR": base])
    files = StagedFiles(folder)
  }

  /// Has a file received whole.
  @discardableResult
  private func receive(
    _ text: String,
    as kind: StagedFile.Kind = .model,
    changed seconds: Int = 1_000_000_000
  ) -> StagedFile {
    var hash = SHA256()
    hash.append(text.utf8)
    let stamp = FileStamp(bytes: text.utf8.count, seconds: seconds, nanoseconds: 123_456_789)
    let file = StagedFile(hash: hash.finish(), kind: kind, stamp: stamp)
    #expect(files.offer(file) == .wanted)
    for (index, byte) in text.utf8.enumerated() {
      let isLast = index == text.utf8.count - 1
      #expect(files.take([byte], of: file.hash) == (isLast ? .kept : .goesOn))
    }
    return file
  }

  private func prefix(of basis: [StagedFile.Basis]) -> StagedFile {
    let stamp = FileStamp(bytes: 8, seconds: 1, nanoseconds: 0)
    return StagedFile(
      hash: String(repeating: "a", count: 64),
      kind: .prefix,
      stamp: stamp,
      basis: basis
    )
  }

  @Test func `for which the disk has no room is refused when it is offered`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let stamp = FileStamp(bytes: 1 << 60, seconds: 0, nanoseconds: 0)
    let file = StagedFile(hash: String(repeating: "0", count: 64), kind: .model, stamp: stamp)
    #expect(files.offer(file) == .failed("No space left on device"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.files).isEmpty)
  }

  @Test func `is refused once where its content is another, and what follows is passed over`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let stamp = FileStamp(bytes: 2, seconds: 0, nanoseconds: 0)
    let file = StagedFile(hash: String(repeating: "0", count: 64), kind: .plugin, stamp: stamp)
    #expect(files.offer(file) == .wanted)
    guard case .failed = files.take([1, 2], of: file.hash) else {
      Issue.record("It was kept.")
      return
    }
    #expect(files.take([3], of: file.hash) == .goesOn)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.files).isEmpty)
    // Offered again, it begins anew.
    for _ in 0..<2 {
      #expect(files.offer(file) == .wanted)
      #expect(files.take([1], of: file.hash) == .goesOn)
    }
  }

  @Test func `has the time of its original if it is a model, and its names in one folder`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let parts = ["one", "two"].map { receive($0) }
    let names = zip(["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"], parts).map {
      StagedName(name: $0, hash: $1.hash)
    }
    let set = try files.link(names)
    for (name, part) in zip(names, parts) {
      #expect(FileStamp("\(set)/\(name.name)") == part.stamp)
    }
    #expect(try files.link(names) == set)
    // Another content under the same names is another model.
    let other = names.reversed().enumerated().map {
      StagedName(name: names[$0.offset].name, hash: $0.element.hash)
    }
    #expect(try files.link(other) != set)
    let missing = [StagedName(name: "m.gguf", hash: String(repeating: "0", count: 64))]
    #expect(throws: LaunchError.self) { try files.link(missing) }
    let unsafe = [StagedName(name: "../m.gguf", hash: parts[0].hash)]
    #expect(throws: LaunchError.unsafeName("../m.gguf")) { try files.link(unsafe) }
  }

  @Test func `is wanted as a prefix only of the model that is there`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let model = receive("model")
    var basis = StagedFile.Basis(place: model.hash, stamp: model.stamp)
    #expect(files.offer(prefix(of: [basis])) == .wanted)
    basis.stamp.seconds += 1
    #expect(files.offer(prefix(of: [basis])) == .kept)
    let path = base + "/model.gguf"
    try Data("model".utf8).write(to: URL(filePath: path))
    let stamp = try #require(FileStamp(path))
    #expect(files.offer(prefix(of: [StagedFile.Basis(place: path, stamp: model.stamp)])) == .kept)
    #expect(files.offer(prefix(of: [StagedFile.Basis(place: path, stamp: stamp)])) == .wanted)
  }

  @Test func `can be moved to where it is wanted`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let file = receive("prefix", as: .prefix)
    files.move(file.hash, to: base + "/a.prefix")
    #expect(try String(contentsOfFile: base + "/a.prefix", encoding: .utf8) == "prefix")
    #expect(files.path(of: file.hash) == nil)
  }
}

import Foundation
import Supervision
import Testing

private let now = Date(timeIntervalSince1970: 2_000_000_000)

@Suite final class `The prefixes of all agents` {
  private let path = NSTemporaryDirectory() + "prefixes-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  @Test func `are removed beyond their bound, the least recently used first`() throws {
    try write("host/a.prefix", hours: 5)
    try write("host/b.prefix", hours: 2)
    try write("coach/c.prefix", hours: 4)
    try write("coach/d.prefix.1.2", hours: 3)
    #expect(PrefixFolders(path: path, byteLimit: 4000).prune(now: now) == 0)
    #expect(PrefixFolders(path: path, byteLimit: 2999).prune(now: now) == 2)
    #expect(try left() == ["coach", "coach/d.prefix.1.2", "host", "host/b.prefix"])
  }

  @Test func `are removed with the folder that this leaves empty`() throws {
    try write("gone/a.prefix", hours: 500)
    try write("gone/b.prefix", hours: 500)
    try write("host/c.prefix", hours: 2)
    try FileManager.default.createDirectory(
      atPath: path + "/waiting",
      withIntermediateDirectories: true
    )
    #expect(PrefixFolders(path: path, byteLimit: 1000).prune(now: now) == 2)
    #expect(try left() == ["host", "host/c.prefix", "waiting"])
  }

  @Test func `stay when they were just used, also by another coordinator`() throws {
    try write("host/a.prefix", hours: 0.5)
    try write("coach/b.prefix", hours: -1)
    #expect(PrefixFolders(path: path, byteLimit: 0).prune(now: now) == 0)
    #expect(try left().count == 4)
  }

  @Test func `stay, with their folder, while a process of their agent lives`() throws {
    try write("host/a.prefix", hours: 500)
    try write("coach/b.prefix", hours: 400)
    let folders = PrefixFolders(path: path, byteLimit: 0)
    #expect(folders.prune(sparing: ["\(path)/host"], now: now) == 1)
    #expect(try left() == ["host", "host/a.prefix"])
    #expect(folders.prune(now: now) == 1)
    #expect(try left().isEmpty)
  }

  @Test func `are removed without following links`() throws {
    let other = path + "-other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: other) }
    try write("../\((other as NSString).lastPathComponent)/kept.prefix", hours: 500)
    try write("host/deeper/kept.prefix", hours: 500)
    try write("kept.prefix", hours: 500)
    for link in ["linked", "host/linked.prefix"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/\(link)",
        withDestinationPath: link == "linked" ? other : other + "/kept.prefix"
      )
    }
    try write("host/a.prefix", hours: 500)
    #expect(PrefixFolders(path: path, byteLimit: 0).prune(now: now) == 1)
    #expect(
      try left() == [
        "host", "host/deeper", "host/deeper/kept.prefix", "host/linked.prefix", "kept.prefix",
        "linked",
      ]
    )
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["kept.prefix"])
    #expect(PrefixFolders(path: path + "-nowhere", byteLimit: 0).prune(now: now) == 0)
  }

  /// Writes a file of 1,000 bytes that was last used some hours ago.
  private func write(_ name: String, hours: Double) throws {
    let file = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(count: 1000).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: now.addingTimeInterval(-hours * 3600)],
      ofItemAtPath: file.path
    )
  }

  private func left() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }
}

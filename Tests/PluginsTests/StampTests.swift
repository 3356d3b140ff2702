import Foundation
import Testing

@testable import Plugins

struct StampTests {
  @Test func `Unchanged files have the same stamp, and every change alters it`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "stamp-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.swift")
    let other = folder.appending(path: "b.swift")
    let stamp = { SourceStamp([file.path, other.path]) }
    let empty = stamp()
    try Data("one".utf8).write(to: file)
    let first = stamp()
    #expect(first != empty)
    #expect(first == stamp())
    // Editors write to another file and rename it.
    try Data("two".utf8).write(to: other)
    #expect(rename(other.path, file.path) == 0)
    let second = stamp()
    #expect(second != first)
    try Data("three".utf8).write(to: other)
    #expect(stamp() != second)
  }

  @Test func `A link shows every change of what it leads to`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "stamp-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, link) = (folder.path + "/file.swift", folder.path + "/link.swift")
    try #require(symlink("file.swift", link) == 0)
    let dangling = SourceStamp([link])
    try "one".write(toFile: file, atomically: false, encoding: .utf8)
    let first = SourceStamp([link])
    #expect(first != dangling)
    #expect(first == SourceStamp([link]))
    try "three".write(toFile: file, atomically: false, encoding: .utf8)
    let second = SourceStamp([link])
    #expect(second != first)
    try "three".write(toFile: folder.path + "/other.swift", atomically: false, encoding: .utf8)
    try #require(unlink(link) == 0 && symlink("other.swift", link) == 0)
    #expect(SourceStamp([link]) != second)
  }

  @Test func `What has just been written is not relied on`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "stamp-\(UUID().uuidString)")
    let before = Date()
    try Data("one".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let stamp = SourceStamp([file.path])
    #expect(!stamp.isReliable(takenAt: before.addingTimeInterval(1)))
    #expect(stamp.isReliable(takenAt: Date(timeIntervalSinceNow: 10)))
  }
}

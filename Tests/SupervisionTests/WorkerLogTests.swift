import Foundation
import Supervision
import Testing

@Suite struct `A worker's log` {
  @Test func `is in a file that only its owner can read`() throws {
    try withFile { path in
      WorkerLog(path: path).append(Array("a line\n".utf8))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "a line\n")
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `returns its last lines, oldest first`() {
    let log = WorkerLog.nowhere
    #expect(log.lastLines(3) == [])
    for piece in ["o", "ne\ntwo\n\nth", "ree\nfour"] { log.append(Array(piece.utf8)) }
    #expect(log.lastLines(3) == ["two", "three", "four"])
  }

  @Test func `keeps a bounded part in memory`() {
    let log = WorkerLog.nowhere
    for index in 0..<100_000 { log.append(Array("line \(index)\n".utf8)) }
    let lines = log.lastLines(.max)
    #expect(lines.last == "line 99999")
    #expect(lines.joined(separator: "\n").utf8.count <= 8 * 1024)
    #expect(lines.count > 100)
  }

  @Test func `accepts an unterminated line and bytes that are not UTF-8`() {
    let log = WorkerLog.nowhere
    for _ in 0..<100 { log.append([UInt8](repeating: 0xFF, count: 64 * 1024)) }
    #expect(log.lastLines(20).count == 1)
  }

  @Test func `is rotated once and then replaced`() throws {
    try withFile { path in
      let log = WorkerLog(path: path)
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024 - 1) + [0x0A]
      for _ in 0..<300 { log.append(piece) }
      log.append(Array("last\n".utf8))
      let limit = 4 * 1024 * 1024
      let (now, before) = (try size(path), try size(path + ".1"))
      #expect(now <= limit)
      #expect(before <= limit)
      // The latest output was kept.
      #expect(now + before > limit)
      #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("x\nlast\n"))
    }
  }

  @Test func `is not rotated when it is a device or a pipe`() throws {
    try withFile { path in
      // The link stands for a device: if it were treated as a file, only the link would be lost.
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
      let log = WorkerLog(path: path)
      for _ in 0..<100 { log.append([UInt8](repeating: 0x0A, count: 64 * 1024)) }
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
      #expect(!FileManager.default.fileExists(atPath: path + ".1"))
    }
  }

  @Test func `that cannot be written still keeps its last lines`() {
    let log = WorkerLog.nowhere
    for _ in 0..<100 { log.append([UInt8](repeating: 0x0A, count: 64 * 1024)) }
    log.append(Array("still here\n".utf8))
    #expect(log.lastLines(1) == ["still here"])
  }

  private func size(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  private func withFile(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "worker.log").path)
  }
}

extension WorkerLog {
  /// A log without a file.
  static var nowhere: WorkerLog { WorkerLog(path: "/nonexistent/folder/log") }
}

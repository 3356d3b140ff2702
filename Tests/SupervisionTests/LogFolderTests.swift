import Foundation
import Supervision
import Testing
import Wire

private let now = Date(timeIntervalSince1970: 2_000_000_000)

@Suite struct `The logs of workers that are gone` {
  @Test func `are removed when they are too many, the oldest first`() throws {
    try withLogs([300, 200, 100]) { folder, names in
      #expect(folder(.init(count: 2)).prune(living: [], now: now) == 1)
      #expect(names() == ["w-1.log", "w-2.log"])
    }
  }

  @Test func `are removed when they are too large together, with their rotated parts`() throws {
    try withLogs([300, 200, 100], bytes: 1000) { folder, names in
      try Data(count: 4000).write(to: URL(filePath: names.path + "/w-1.log.1"))
      names.age("w-1.log.1", 200)
      #expect(folder(.init(bytes: 6000)).prune(living: [], now: now) == 1)
      #expect(names() == ["w-1.log", "w-1.log.1", "w-2.log"])
      #expect(folder(.init(bytes: 2000)).prune(living: [], now: now) == 1)
      #expect(names() == ["w-2.log"])
    }
  }

  @Test func `are removed when they are too old`() throws {
    try withLogs([300, 200, 100]) { folder, names in
      #expect(folder(.init(age: .seconds(250))).prune(living: [], now: now) == 1)
      #expect(names() == ["w-1.log", "w-2.log"])
      #expect(folder(.init()).prune(living: [], now: now) == 0)
    }
  }

  @Test func `stay when their worker lives, or is only being started`() throws {
    try withLogs([300, 200, 30]) { folder, names in
      let living: Set = [RunID("w-0")]
      #expect(folder(.init(count: 0)).prune(living: living, now: now) == 1)
      #expect(names() == ["w-0.log", "w-2.log"])
    }
  }

  @Test func `are removed by name, but for those that are kept`() throws {
    try withLogs([300, 200, 100]) { folder, names in
      #expect(folder(.init()).remove(of: ["w-0", "w-1"], sparing: [RunID("w-1")]) == 1)
      #expect(names() == ["w-1.log", "w-2.log"])
    }
  }

  @Test func `are removed, and no other files`() throws {
    try withLogs([300]) { folder, names in
      for name in ["notes.txt", ".log"] {
        try Data().write(to: URL(filePath: names.path + "/" + name))
        names.age(name, 300)
      }
      let path = names.path + "/link.log"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "notes.txt")
      #expect(folder(.init(count: 0)).prune(living: [], now: now) == 1)
      #expect(names() == [".log", "link.log", "notes.txt"])
    }
  }

  private struct Names {
    let path: String

    func callAsFunction() -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func age(_ name: String, _ seconds: Int) {
      let date = now.addingTimeInterval(-Double(seconds))
      try? FileManager.default.setAttributes(
        [.modificationDate: date],
        ofItemAtPath: path + "/" + name
      )
    }
  }

  /// Runs a test with logs of the given ages in seconds.
  private func withLogs(
    _ ages: [Int],
    bytes: Int = 10,
    _ body: ((LogFolder.Limits) -> LogFolder, Names) throws -> Void
  ) throws {
    let names = Names(path: NSTemporaryDirectory() + "logs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: names.path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: names.path) }
    for (number, age) in ages.enumerated() {
      try Data(count: bytes).write(to: URL(filePath: "\(names.path)/w-\(number).log"))
      names.age("w-\(number).log", age)
    }
    try body({ LogFolder(path: names.path, limits: $0) }, names)
  }
}

import Foundation
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10))) struct CacheTests {
  private static let old = PluginCache.unusedSeconds + 60
  private static let young = PluginCache.unusedSeconds - 3600

  @Test func `Plugins that are unused for long are removed, except the last of each source`() throws
  {
    let workshop = try Workshop()
    let cache = PluginCache(folder: workshop.cache)
    // There is no folder yet.
    cache.removeUnused()
    try FileManager.default.createDirectory(
      atPath: workshop.cache,
      withIntermediateDirectories: true
    )
    func write(_ names: String..., text: String = "", age: Double) throws {
      for name in names {
        let file = "\(workshop.cache)/\(name)"
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        try Self.setAge(age, of: file)
      }
    }
    try write("Edited-0.so", "Edited-0.inputs", "Edited-0.json", age: Self.old)
    try write("Broken-0.failure", age: Self.old)
    try write("Kept-0.so", "Kept-0.inputs", "Kept-0.json", age: Self.old)
    try write("Kept-1.last", text: "Kept-0", age: Self.old)
    try write("Used-0.so", "Used-0.json", age: Self.old)
    try write("Used-0.inputs", age: Self.young)
    try write("Made-0.so.1", "Made-0.so.1.swift", age: Self.old)
    try write("Made-0.so.2", age: 60)
    try write("notes.txt", age: Self.old)
    cache.removeUnused()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: workshop.cache).sorted() == [
        "Kept-0.inputs", "Kept-0.json", "Kept-0.so", "Kept-1.last", "Made-0.so.2", "Used-0.inputs",
        "Used-0.json", "Used-0.so", "notes.txt",
      ]
    )
  }

  @Test func `A plugin is compiled once, and each refresh counts as a use`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let store = try await workshop.store()
    let library = try #require(try await store.refresh().first?.library)
    let base = String(library.dropLast(".so".count))
    func make(old names: [String]) throws {
      for name in names { try Self.setAge(Self.old, of: base + name) }
    }
    try make(old: [".so", ".inputs", ".json"])
    let told = Told()
    #expect(try await store.refresh(told.note).count == 1)
    #expect(told.take().isEmpty)
    // None is a source's last one any more.
    for name in try FileManager.default.contentsOfDirectory(atPath: workshop.cache)
    where name.hasSuffix(".last") {
      try FileManager.default.removeItem(atPath: "\(workshop.cache)/\(name)")
    }
    store.removeUnused()
    #expect(FileManager.default.fileExists(atPath: library))
    try make(old: [".inputs"])
    store.removeUnused()
    #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.cache) == [])
  }

  @Test func `A plugin that two processes compile at once is not replaced by the slower one`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", "")
    // Whichever begins first waits for the other to begin, which waits for a plugin.
    try workshop.writeStandIns(
      compilingAfter: """
        cd '\(workshop.cache)'
        if mkdir first; then until [ -e second ]; do sleep 0.01; done
        else mkdir second; until [ -e *.so ]; do sleep 0.01; done; fi
        """
    )
    let toolchain = try await workshop.standInToolchain()
    let files = try await withThrowingTaskGroup(of: UInt64?.self) { group in
      for _ in 1...2 {
        let store = try await workshop.store(toolchain)
        group.addTask {
          guard let library = try await store.refresh().first?.library else { return nil }
          let facts = try FileManager.default.attributesOfItem(atPath: library)
          return facts[.systemFileNumber] as? UInt64
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(files.count == 2 && files[0] != nil && files[0] == files[1])
  }

  @Test func `A library that other inputs have left behind is replaced`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", "")
    try workshop.writeStandIns()
    let toolchain = try await workshop.standInToolchain()
    let library = try #require(try await workshop.store(toolchain).refresh().first?.library)
    for file in [library, String(library.dropLast(".so".count)) + ".inputs"] {
      try "others".write(toFile: file, atomically: false, encoding: .utf8)
    }
    #expect(try await workshop.store(toolchain).refresh().first?.library == library)
    #expect(try Data(contentsOf: URL(filePath: library)).isEmpty)
  }

  private static func setAge(_ seconds: Double, of file: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
      ofItemAtPath: file
    )
  }
}

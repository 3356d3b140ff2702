import CSystemCalls
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `What a worker has left` {
  private static var unlimited: csystem_use { csystem_use(bytes: .max, entries: .max) }

  @Test func `is counted and removed also where it is closed`() async throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    chmod(folder, 0o777)
    await #expect(processExitsWith: .success) { [folder = folder as String] in
      // Nothing is inaccessible to the superuser.
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let run = folder + "/w-1"
      let made = [run, run + "/hidden", run + "/hidden/further"]
      for path in made {
        try #require(mkdir(path, 0o700) == 0)
        try Data([1]).write(to: URL(filePath: path + "/file"))
      }
      for path in made.reversed() { try #require(chmod(path, 0o300) == 0) }
      #expect(csystem_measure(run, csystem_use(bytes: .max, entries: .max)).entries == 5)
      chmod(run + "/hidden", 0o300)
      chmod(run, 0o300)
      SandboxPolicy(templates: Confinement(scratch: folder)).removeScratch(of: RunID("w-1"))
      #expect(await SandboxPolicy.finishRemovals(within: .seconds(60)))
      #expect(access(run, F_OK) != 0)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func `is removed without what its links lead to`() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (bystander, run) = (folder + "/bystander", folder + "/run")
    for path in [bystander, run] { try #require(mkdir(path, 0o700) == 0) }
    try Data([1]).write(to: URL(filePath: bystander + "/kept"))
    try #require(symlink(bystander, run + "/link") == 0)
    try #require(symlink(bystander, folder + "/link") == 0)
    #expect(csystem_empty(folder + "/link") != 0)
    #expect(csystem_remove(run) == 0)
    #expect(csystem_remove(folder + "/link") == 0)
    #expect(csystem_remove(folder + "/nothing") == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["bystander"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: bystander) == ["kept"])
  }

  @Test func `is removed however deep it lies`() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = folder + "/run"
    // One of these is in the way of what is moved up.
    for path in [String(repeating: "/n", count: 400), "/.deep-0/n"] {
      try FileManager.default.createDirectory(atPath: run + path, withIntermediateDirectories: true)
    }
    #expect(csystem_empty(run) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: run) == [])
  }

  @Test func `is counted without changing what a folder becomes a link to`() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (bystander, run) = (folder + "/bystander", folder + "/run")
    for path in [bystander, run, run + "/changing"] { try #require(mkdir(path, 0o700) == 0) }
    try #require(symlink(bystander, run + "/link") == 0)
    try #require(chmod(bystander, 0o510) == 0)
    let exchange = try Exchange(run + "/changing", run + "/link")
    for _ in 0..<20_000 { _ = csystem_measure(run, Self.unlimited) }
    #expect(exchange.end() > 0)
    var facts = stat()
    #expect(stat(bystander, &facts) == 0)
    #expect(facts.st_mode & 0o7777 == 0o510)
  }

  private static func makeFolder() throws -> String {
    let folder = try temporaryFolder()
    return folder
  }
}

/// A thread that keeps exchanging two paths until it is ended.
private final class Exchange: Sendable {
  private typealias Rename =
    @Sendable @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32

  private let isOver = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let ended = DispatchSemaphore(value: 0)

  init(_ one: String, _ other: String) throws {
    let rename = unsafeBitCast(try #require(dlsym(nil, "renameat2")), to: Rename.self)
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        // RENAME_EXCHANGE
        if rename(AT_FDCWD, one, AT_FDCWD, other, 2) == 0 { count.add(1, ordering: .relaxed) }
      }
      ended.signal()
    }
  }

  /// Ends the thread and returns how often it exchanged the paths.
  func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    ended.wait()
    return count.load(ordering: .relaxed)
  }
}

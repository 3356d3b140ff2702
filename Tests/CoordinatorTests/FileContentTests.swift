import Foundation
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(5))) struct `A file that is given to a command` {
  private let file = FileManager.default.temporaryDirectory
    .appending(path: "given-\(UUID().uuidString)")

  @Test func `is read whole, if it is not larger than it may be`() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    // More than is read at a time.
    let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try bytes.write(to: file)
    #expect(try FileContent.content(of: file.path, atMost: bytes.count) == bytes)
    #expect(throws: FileAccessError.tooLarge(bytes: bytes.count)) {
      try FileContent.content(of: file.path, atMost: bytes.count - 1)
    }
  }

  @Test(arguments: [
    ("/tmp", false, "it is a folder"), ("/nonexistent", false, "it does not exist"),
    ("/dev/zero", false, "it is not a file"),
    ("/dev/zero", true, "it is neither a file nor a pipe"),
  ])
  func `is refused in words if it is none`(path: String, acceptsPipe: Bool, words: String) {
    let obstacle = #expect(throws: FileAccessError.self) {
      try FileContent.content(of: path, acceptsPipe: acceptsPipe)
    }
    #expect(obstacle?.description == words)
  }

  // Runs in its own process, which gives up being root because root can read everything.
  @Test func `is not called missing if it is unreadable`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try Data().write(to: file)
    try #require(chmod(file.path, 0) == 0)
    let path = file.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      #expect(throws: FileAccessError.system(code: EACCES)) { try FileContent.content(of: path) }
    }
  }

  @Test func `is called closed if it is open for writing only`() throws {
    let descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(throws: FileAccessError.closed) { try FileContent.content(from: descriptor) }
  }
}

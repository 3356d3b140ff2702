import Testing

@testable import Coordinator

@Suite struct `The folders` {
  private static let cases: [([String: String], String)] = [
    (["HOME": "/home/a"], "XDG_RUNTIME_DIR"),
    (["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/a"], "XDG_RUNTIME_DIR"),
    (["ORCHESTRATOR_HOME": "/tmp/h", "XDG_RUNTIME_DIR": "/run/a"], "ORCHESTRATOR_HOME"),
  ]

  @Test(arguments: cases)
  func `know which variable moves the sockets`(environment: [String: String], variable: String)
    throws
  {
    let folders = try Folders(environment: environment)
    #expect(folders.placeOfSockets == variable)
    var other = environment
    other[variable] = "/elsewhere"
    #expect(try Folders(environment: other).socket.hasPrefix("/elsewhere/"))
  }

  @Test(arguments: [
    ("title-1", "title-1.log"), ("../../../etc/passwd", ".._.._.._etc_passwd.log"),
    // A mark that combines with the character before it.
    ("a/\u{301}b", "a_\u{301}b.log"), ("", ".log"),
  ])
  func `have the log of every name in one place`(run: String, file: String) throws {
    let folders = try Folders(environment: ["ORCHESTRATOR_HOME": "/h"])
    let expected = "/h/state/logs/\(file)"
    #expect(Array(folders.log(of: run).utf8) == Array(expected.utf8))
  }
}

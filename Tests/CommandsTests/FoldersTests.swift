import Testing

@testable import Commands

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
}

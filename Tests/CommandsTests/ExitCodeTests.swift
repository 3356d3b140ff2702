import Foundation
import Journal
import Testing

@testable import Commands

@Suite struct `The exit code of a command` {
  private static let codes: [(any Error, Int32)] = [
    (JournalError.full(path: "j"), EX_CANTCREAT),
    (JournalError.unwritable(path: "j", reason: "no"), EX_CANTCREAT),
    (JournalError.damaged(path: "j", reason: "no"), EXIT_FAILURE),
    (JournalError.newer(path: "j"), EXIT_FAILURE),
    (SessionName.Fault.empty, EX_USAGE),
    (SessionError.unusableName("one.jsonl", .empty), EX_DATAERR),
    (SessionError.damaged("one.jsonl", reason: "no"), EX_DATAERR),
    (SessionError.nameTaken("one"), EXIT_FAILURE),
    (CommandError.cannotListen("127.0.0.1:8765", reason: "no"), EX_UNAVAILABLE),
    (CommandError.unusableSocket("/run/coordinator.sock", reason: "no"), EX_UNAVAILABLE),
    (CocoaError(.fileNoSuchFile), EXIT_FAILURE),
  ]

  @Test(arguments: codes)
  func `is the one that the README has for it`(error: any Error, code: Int32) {
    #expect(exitCode(of: error) == code)
  }
}

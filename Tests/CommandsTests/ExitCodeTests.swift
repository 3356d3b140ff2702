import Foundation
import Testing

@testable import Commands
@testable import Journal

/// The exit codes that scripts rely on, each beside the errors that produce it.
///
/// Errors of rooms that are not listed here are checked by running the product.
@Suite struct `The exit code of an error` {
  private static let holder = StateLock.Holder(pid: "7", since: "noon", socket: nil)

  /// One error for each case.
  private static let ofCommands: KeyValuePairs<Int32, [CommandError]> = [
    1: [
      .noSuchRun("title"), .noSuchSession("one"), .nothingJournaled("/journal"), .noSessions,
      .failed("no"),
    ],
    64: [
      .otherCoordinator(pid: 7, options: ["--model"], agents: "/Agents", model: nil),
      .badCaps("no"), .badSession("no"), .badDoor("door"), .badDoorName("two words"),
      .doorBeyondLoopback("0.0.0.0:8765"), .noDoor, .badAllowance("no"),
      .bubblewrapWithoutSandbox, .badContext(1), .emptyPrompt, .unreadableQuestion,
      .unreadableArgument(number: 1),
    ],
    65: [
      .badModel("/model.gguf", "no"), .badImage("/photo.png", "no"), .namelessImage,
      .cutLine(bytes: 4096), .unknownWord("/imag"), .unreadableLine(number: 1),
      .imagesTooLarge(bytes: 1 << 30), .badProjector("/mmproj.gguf", "no"),
    ],
    66: [
      .noModel(searched: ["/model.gguf"]), .missingModel("/model.gguf"), .noAgents("/Agents"),
      .noSuchAgent("nobody", known: ["title"]), .missingProjector("/mmproj.gguf"),
      .unreadableFile("/one.jsonl", .folder),
    ],
    69: [
      .noCoordinator, .deafCoordinator(holder), .noSandbox("no"), .noBubblewrap,
      .unusableBubblewrap("/usr/bin/bwrap", "no"), .cannotListen("127.0.0.1:8765", reason: "no"),
      .unusableSocket("/run/coordinator.sock", reason: "no"), .coordinatorGone(isAccepted: true),
      .connectionLost,
    ],
    73: [.unwritable("/journal", reason: "no")],
    74: [.unwrittenOutput(.closed)],
    75: [.alreadyRunning(holder)],
    77: [.foreign("/run")],
    78: [.noHome, .socketPathTooLong("/run/coordinator.sock")],
  ]

  private static let samples: [(CommandError, Int32)] = ofCommands.flatMap { code, errors in
    errors.map { ($0, code) }
  }

  @Test(arguments: samples)
  func `of a command is that of its kind`(error: CommandError, code: Int32) {
    #expect(exitCode(of: error) == code)
  }

  @Test func `of a command is checked for every case that there is`() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "Sources/Commands/CommandError.swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let declarations = lines.prefix { !$0.contains("var exitCode") }
    let cases = declarations.count { $0.hasPrefix("  case ") }
    #expect(cases > 0)
    #expect(Self.samples.count == cases)
  }

  private static let ofJournal: [(any Error, Int32)] = [
    (SessionName.Fault.empty, 64),
    (SessionName.Fault.control("\0"), 64),
    (SessionName.Fault.tooLong(201), 64),
    (SessionError.unknown("one"), 1),
    (SessionError.flawed("one", JournalFlaw(place: "entry 1", problem: "no")), 1),
    (SessionError.nameTaken("one"), 1),
    (SessionError.unusableName("one.jsonl", .empty), 65),
    (SessionError.damaged("one.jsonl", reason: "no"), 65),
    (SessionError.newer("one.jsonl"), 65),
    (SessionError.fileExists("one.jsonl"), 73),
    (SessionError.unwritable("one.jsonl", reason: "no"), 73),
    (JournalError.newer(path: "j"), 1),
    (JournalError.older(path: "j"), 1),
    (JournalError.unreadable(path: "j", reason: "no"), 1),
    (JournalError.damaged(path: "j", reason: "no"), 1),
    (JournalError.full(path: "j"), 73),
    (JournalError.unwritable(path: "j", reason: "no"), 73),
  ]

  @Test(arguments: ofJournal)
  func `of the journal is that of its kind`(error: any Error, code: Int32) {
    #expect(exitCode(of: error) == code)
  }

  @Test func `that nobody has thought of says that something went wrong`() {
    #expect(exitCode(of: CocoaError(.fileNoSuchFile)) == 1)
  }
}

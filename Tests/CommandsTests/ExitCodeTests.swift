import Foundation
import TestSupport
import Testing

@testable import Commands
@testable import Coordinator
@testable import Journal

/// The exit codes that scripts rely on, each beside the errors that produce it.
///
/// Errors of rooms that are not listed here are checked by running the product.
@Suite struct `The exit code of an error` {
  private static let holder = StateLock.Holder(pid: "7", since: "noon", socket: nil)

  /// One error for each case.
  private static let ofCommands: KeyValuePairs<Int32, [any CodedError]> = [
    1: [
      CommandError.failed("no"), CommandError.noPrompt("title"),
      CoordinatorError.noSuchRun("title"),
      CoordinatorError.noSuchSession("one"), CoordinatorError.nothingJournaled("/journal"),
      CoordinatorError.noSessions,
    ],
    64: [
      CommandError.otherCoordinator(pid: 7, options: ["--model"], agents: "/Agents", model: nil),
      CommandError.badOption("no"), CommandError.badAddress("door"),
      CommandError.badHostName("two words"), CommandError.badOrigin("x"),
      CommandError.addressBeyondLoopback("0.0.0.0:8765"),
      CommandError.noAddress, CommandError.bubblewrapWithoutSandbox, CommandError.badContext(1),
      CommandError.badWait(-1), CommandError.badAnswer,
      CommandError.noReceiver("no"),
      CommandError.emptyPrompt, CommandError.unreadableQuestion,
      CommandError.unreadableArgument(number: 1),
    ],
    65: [
      CommandError.badImage("/photo.png", "no"), CommandError.namelessImage,
      CommandError.cutLine(bytes: 4096), CommandError.messageTooLong(bytes: 16 << 20),
      CommandError.unknownWord("/imag"),
      CommandError.unreadableLine(number: 1), CommandError.imagesTooLarge(bytes: 1 << 30),
      CoordinatorError.badModel("/model.gguf", "no"),
      CoordinatorError.badProjector("/mmproj.gguf", "no"),
    ],
    66: [
      CommandError.unreadableFile("/one.jsonl", .folder),
      CoordinatorError.noModel(searched: ["/model.gguf"]),
      CoordinatorError.missingModel("/model.gguf"), CoordinatorError.noAgents("/Agents"),
      CoordinatorError.noSuchAgent("nemo", known: ["title"]),
      CoordinatorError.missingProjector("/mmproj.gguf"),
    ],
    69: [
      CommandError.noBubblewrap, CommandError.unusableBubblewrap("/usr/bin/bwrap", "no"),
      CommandError.coordinatorGone(isAccepted: true), CommandError.connectionLost,
      CommandError.unreceived(spans: 1, of: 2),
      CoordinatorError.noCoordinator, CoordinatorError.unreachable(holder),
      CoordinatorError.noSandbox("no"),
      CoordinatorError.cannotListen("127.0.0.1:8765", reason: "no"),
      CoordinatorError.unusableSocket("/run/coordinator.sock", reason: "no"),
    ],
    73: [CoordinatorError.unwritable("/journal", reason: "no")],
    74: [CommandError.unwrittenOutput(.closed)],
    75: [CoordinatorError.alreadyRunning(holder)],
    77: [CoordinatorError.foreign("/run")],
    78: [CoordinatorError.noHome, CoordinatorError.socketPathTooLong("/run/coordinator.sock")],
  ]

  private static let samples: [(any CodedError, Int32)] = ofCommands.flatMap { code, errors in
    errors.map { ($0, code) }
  }

  @Test(arguments: samples)
  func `of a command is that of its kind`(error: any CodedError, code: Int32) {
    #expect(ServiceError(error).code.exitCode == code)
  }

  @Test func `of a command is checked for every case`() throws {
    let cases = try ["Commands/CommandError", "Coordinator/CoordinatorError"].map { name in
      let file = "\(Repository.root)/Sources/\(name).swift"
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      return lines.prefix { !$0.contains("var code") }.count { $0.hasPrefix("  case ") }
    }
    #expect(cases.allSatisfy { $0 > 0 })
    #expect(Self.samples.count == cases.reduce(0, +))
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
    #expect(ServiceError(error).code.exitCode == code)
  }

  @Test func `of an unknown kind is that of a failure`() {
    #expect(ServiceError(CocoaError(.fileNoSuchFile)).code.exitCode == 1)
  }
}

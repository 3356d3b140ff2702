import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Journal
import Terminal
import Transcripts

// Exporting and importing sessions.

extension SessionsCommand {
  /// A session and the file that it was exported to or imported from.
  private struct Moved: Encodable {
    let session: String
    let file: String
  }

  struct Export: Command {
    static let configuration = CommandConfiguration(
      abstract: "Writes a session to a new file, with its friends.",
      discussion: """
        The file holds lines of JSON: a header, the session's rows of the journal, and a footer with \
        a checksum. An existing file is never overwritten.

        With --otlp, sends the session's turns that have an end to a receiver of traces instead. Sent \
        again, they are the same.
        """
    )

    @Argument(help: "The session.", completion: Names.sessions)
    var session: String

    @Argument(help: "The file to write; - for standard output.")
    var file: String?

    @Flag(help: "Send the session as OpenTelemetry's traces, or write them as its JSON.")
    var otlp = false

    @OptionGroup var telemetry: TelemetryOptions

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
      if otlp {
        guard file == nil || file == "-" else {
          throw ValidationError("With --otlp, the file can only be - for standard output.")
        }
      } else if file == nil {
        throw ValidationError("Missing expected argument '<file>'")
      } else if telemetry.telemetry != nil || telemetry.telemetryContent {
        throw ValidationError("--telemetry and --telemetry-content need --otlp.")
      }
      if json, file == "-" {
        throw ValidationError("Omit --json when exporting to standard output.")
      }
    }

    func perform() async throws {
      let reader = try CommandEnvironment.journal()
      let name = SessionName.normalized(session)
      if otlp { return try await send(name, reader) }
      if file == "-" {
        let (content, _, doubts) = try await reader.export(name)
        tell(of: doubts)
        return Terminal.show(content)
      }
      let path = URL(filePath: file ?? "").path
      let (rows, doubts) = try await reader.export(name, to: path)
      tell(of: doubts)
      if json {
        let moved = Moved(session: session, file: path)
        return Terminal.show(json: try JSONOutput.document(moved))
      }
      Terminal.show("Exported '\(session)' to \(path) (\(rows.counted("row"))).")
    }

    private func tell(of doubts: [JournalFlaw]) {
      guard let flaw = doubts.first else { return }
      Terminal().note(
        "The journal has lost something that may have belonged to this session, so the file may be"
          + " incomplete: \(flaw). Run 'orchestrator sessions verify' for details."
      )
    }
  }

  struct Import: Command {
    static let configuration = CommandConfiguration(
      abstract: "Reads a session from a file that was exported.",
      discussion: """
        The file is verified first, and an existing session is never overwritten. No coordinator may \
        be running.
        """
    )

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Option(name: .customLong("as"), help: "Another name for the session.")
    var name: String?

    @Flag(help: "Write JSON.")
    var json = false

    func perform() async throws {
      let other = try name.map(SessionArgument.checked)
      let path = file == "-" ? "/dev/stdin" : URL(filePath: file).path
      let content = try file == "-" ? StandardInput.read() : Self.content(of: path)
      let (session, isOpen) = try await SessionsCommand.writing { journal, _ in
        let session = try await journal.importSession(content, from: path, as: other)
        let open = try await JournalReader(journal).conversationsWithOpenTurns()
        return (session, open.contains { $0.name == session })
      }
      if json {
        Terminal.show(json: try JSONOutput.document(Moved(session: session, file: path)))
      } else {
        Terminal.show("Imported '\(session)'.")
      }
      // Before a prompt lets it go on.
      if isOpen { Terminal().note("session '\(session)': \(Sessions.waitingForPrompt)") }
    }

    private static func content(of path: String) throws(CommandError) -> Data {
      do throws(FileAccessError) {
        return try FileContent.content(of: path, acceptsPipe: true)
      } catch {
        throw .unreadableFile(path, error)
      }
    }
  }

  /// Opens the journal of this home for writing, under its lock.
  static func writing<Value>(
    _ body: (Journal, Folders) async throws -> Value
  ) async throws -> Value {
    let folders = try Folders(environment: ProcessInfo.processInfo.environment)
    try folders.make()
    let lock = try StateLock(folders)
    defer { lock.release() }
    let journal = try Journal(path: folders.journal)
    let value = try await body(journal, folders)
    try journal.close()
    return value
  }
}

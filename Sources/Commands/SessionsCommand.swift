import AgentKit
import ArgumentParser
import Foundation
import Journal

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists, verifies and moves sessions.",
    subcommands: [List.self, Verify.self, Export.self, Import.self],
    defaultSubcommand: List.self
  )

  /// A session and the file that it went to, or came from.
  private struct Moved: Encodable {
    let session: String
    let file: String
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the sessions.")

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
      try await reporting {
        let sessions = try await sessions()
        if json { return Terminal.show(try JSONOutput.document(sessions)) }
        guard !sessions.isEmpty else { return Terminal().note("\(CommandError.noSessions)") }
        Terminal.show(table(sessions))
      }
    }

    /// All of them, the one that was used last first.
    private func sessions() async throws -> [Session] {
      guard let reader = try JournalReader.ofThisHomeIfAny() else { return [] }
      var sessions: [Session] = []
      for conversation in try await reader.conversations() {
        let turns = try await reader.turns(of: conversation.id)
        sessions.append(
          Session(
            name: conversation.name ?? "",
            holder: conversation.holder,
            turns: turns.count,
            lastUse: turns.last?.started ?? conversation.created
          )
        )
      }
      // One that was begun, and asked nothing yet, has been used as well.
      return sessions.sorted { $0.lastUse > $1.lastUse }
    }

    private func table(_ sessions: [Session]) -> String {
      var table = TextTable(["SESSION", "BATON", "TURNS", "LAST USE"])
      for session in sessions {
        table.add([
          session.name, session.holder, "\(session.turns)", session.lastUse.ISO8601Format(),
        ])
      }
      return table.text
    }

    private struct Session: Encodable {
      let name: String
      let holder: String
      let turns: Int
      let lastUse: Date
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reads all that was journaled, and says what is not as it was written.",
      discussion: "It fails when it finds something. It changes nothing."
    )

    @Argument(help: "The session. (default: all of them)")
    var session: String?

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
      try await reporting {
        let reader = try JournalReader.ofThisHome()
        var name: String?
        if let session { name = try await reader.journaledName(of: session) ?? session }
        let inspection = try await reader.inspect(session: name)
        if json {
          Terminal.show(try JSONOutput.document(inspection))
        } else {
          for flaw in inspection.flaws { Terminal.show(flaw) }
          Terminal.show(
            [
              inspection.sessions.counted("session"), inspection.turns.counted("turn"),
              inspection.entries.counted("entry", "entries"),
              inspection.openTurns.counted("turn") + " open",
              inspection.flaws.count.counted("flaw"),
            ].joined(separator: ", ")
          )
        }
        if !inspection.flaws.isEmpty { throw ExitCode.failure }
      }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a session to a new file, with everything that hangs from it.",
      discussion: """
        The file is lines of JSON: a header, the rows of the journal that belong to the session, and \
        a footer with a checksum. A file that is there already is left alone.
        """
    )

    @Argument(help: "The session.")
    var session: String

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
      try await reporting {
        let path = URL(filePath: file).path
        let reader = try JournalReader.ofThisHome()
        let name = try await reader.journaledName(of: session) ?? session
        let (rows, doubts) = try await reader.export(name, to: path)
        if let flaw = doubts.first {
          Terminal().note(
            "Something may be missing in the file, and nothing will show it there, because the journal has"
              + " lost what may have been this session's: \(flaw). 'orchestrator sessions verify' shows all."
          )
        }
        Terminal.show(
          json
            ? try JSONOutput.document(Moved(session: session, file: path))
            : "'\(session)' is in \(path), in \(rows.counted("row"))."
        )
      }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a session from a file that was exported.",
      discussion: """
        The file is verified before anything is taken from it, and no session is written over. No \
        coordinator may run here meanwhile.
        """
    )

    @Argument(help: "The file.")
    var file: String

    @Option(name: .customLong("as"), help: "Another name for the session.")
    var name: String?

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
      try await reporting {
        let other = try name.map(SessionName.given)
        let folders = try Folders(environment: ProcessInfo.processInfo.environment)
        try folders.make()
        let lock = try StateLock(folders)
        defer { lock.release() }
        let journal = try Journal(path: folders.journal)
        let path = URL(filePath: file).path
        let session = try await journal.importSession(from: path, as: other)
        try journal.close()
        Terminal.show(
          json
            ? try JSONOutput.document(Moved(session: session, file: path))
            : "'\(session)' is here now."
        )
      }
    }
  }
}

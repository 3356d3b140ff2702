import ArgumentParser
import Foundation
import Journal
import Transcripts

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists, verifies, moves and deletes sessions.",
    subcommands: [List.self, Verify.self, Export.self, Import.self, Delete.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the sessions.")

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
      try await reporting {
        let sessions = try await sessions()
        if json { return Terminal.show(json: try JSONOutput.document(sessions)) }
        guard !sessions.isEmpty else { return Terminal().note("\(CommandError.noSessions)") }
        Terminal.show(table(sessions))
      }
    }

    /// Returns all sessions, most recently used first.
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
      // A session that was begun but asked nothing yet counts as used when it began.
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
      abstract: "Verifies all sessions, or one, and reports what was altered.",
      discussion: "Changes nothing. Exits with 1 if it finds a flaw."
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
          Terminal.show(json: try JSONOutput.document(inspection))
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
}

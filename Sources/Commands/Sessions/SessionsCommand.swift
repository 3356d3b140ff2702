import ArgumentParser
import Coordinator
import Foundation
import Journal
import Terminal
import Transcripts

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists, verifies, moves and deletes sessions.",
    subcommands: [List.self, Verify.self, Export.self, Import.self, Delete.self],
    defaultSubcommand: List.self
  )

  struct List: Command {
    static let configuration = CommandConfiguration(abstract: "Lists the sessions.")

    @Flag(help: "Write JSON.")
    var json = false

    func perform() async throws {
      let sessions = try await CommandEnvironment.readingService().sessions()
      if json { return Terminal.show(json: try JSONOutput.document(sessions)) }
      guard !sessions.isEmpty else { return Terminal().note("\(CoordinatorError.noSessions)") }
      Terminal.show(table(sessions))
    }

    private func table(_ sessions: [SessionSummary]) -> String {
      // Most sessions are begun by people here, and wait for nothing.
      let hasOrigins = sessions.contains { $0.origin != nil }
      let hasWaiting = sessions.contains { !$0.clientCalls.isEmpty }
      var table = TextTable(
        ["SESSION", "BATON", "TURNS", "LAST USE"] + (hasOrigins ? ["ORIGIN"] : [])
          + (hasWaiting ? ["WAITS FOR"] : [])
      )
      for session in sessions {
        table.add(
          [session.name, session.holder, "\(session.turns)", session.lastUse.ISO8601Format()]
            + (hasOrigins ? [session.origin ?? ""] : [])
            + (hasWaiting ? [session.clientCalls.joined(separator: ", ")] : [])
        )
      }
      return table.text
    }
  }

  struct Verify: Command {
    static let configuration = CommandConfiguration(
      abstract: "Verifies all sessions, or one, and reports what was altered.",
      discussion: "Changes nothing. Exits with 1 if it finds a flaw."
    )

    @Argument(help: "The session. (default: all of them)", completion: Names.sessions)
    var session: String?

    @Flag(help: "Write JSON.")
    var json = false

    func perform() async throws {
      let reader = try CommandEnvironment.journal()
      let inspection = try await reader.inspect(session: session.map(SessionName.normalized))
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

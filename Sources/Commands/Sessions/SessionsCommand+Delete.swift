import ArgumentParser
import Coordinator
import Doors
import Foundation
import Journal
import Supervision
import Terminal
import Transcripts

extension SessionsCommand {
  struct Delete: Command {
    static let configuration = CommandConfiguration(
      abstract: "Deletes sessions for good, with their friends and the logs of their workers.",
      discussion: """
        Nothing of them is left in the journal. A session in which a turn goes on is refused. To keep \
        a copy, run 'orchestrator sessions export' first.
        """
    )

    @Argument(help: "The session.", completion: Names.sessions)
    var session: String?

    @Option(help: "Deletes all sessions that a program began, as 'orchestrator sessions' names it.")
    var origin: String?

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
      guard (session == nil) != (origin == nil) else {
        throw ValidationError("Name a session, or all sessions of a program with --origin.")
      }
    }

    func perform() async throws {
      // Where there is no journal, none is made.
      _ = try CommandEnvironment.journal()
      let names = try await names()
      let running = try await RemoteCoordinator.running(CommandEnvironment.folders())?.service
      let deleted =
        if let running {
          try await delete(names, at: running)
        } else {
          try await SessionsCommand.writing { try await delete(names, in: $0, $1) }
        }
      if json {
        return Terminal.show(
          json: try origin == nil ? JSONOutput.document(deleted[0]) : JSONOutput.document(deleted)
        )
      }
      for session in deleted { Terminal.show(session.words) }
    }

    private func names() async throws -> [String] {
      if let session { return [SessionName.normalized(session)] }
      let sessions = try await CommandEnvironment.readingService().sessions().filter {
        $0.origin == origin
      }
      guard !sessions.isEmpty else { throw SessionError.noneOf(origin: origin ?? "") }
      return sessions.map(\.name)
    }

    private func delete(_ names: [String], at service: RemoteCoordinator) async throws -> [Deleted]
    {
      for name in names { try await service.delete(session: name) }
      return names.map { Deleted(session: $0) }
    }

    private func delete(
      _ names: [String],
      in journal: Journal,
      _ folders: Folders
    ) async throws -> [Deleted] {
      let logs = LogFolder(path: folders.logs)
      let outputs = OutputStore(folder: folders.outputs)
      var deleted: [Deleted] = []
      for name in names {
        let removed = try await journal.remove(name, compacts: name == names.last)
        let count = logs.remove(of: Set(removed.runs))
        outputs.remove(session: name)
        deleted.append(Deleted(session: name, rows: removed.rows, logs: count))
      }
      return deleted
    }

    /// A session that was deleted; a coordinator that did it does not tell how much it was.
    private struct Deleted: Encodable {
      let session: String
      var rows: Int?
      var logs: Int?

      var words: String {
        guard let rows, let logs else { return "Deleted '\(session)'." }
        return "Deleted '\(session)': \(rows.counted("row")), \(logs.counted("log"))."
      }
    }
  }
}

import ArgumentParser
import Journal

struct TranscriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transcript",
    abstract: "Shows a session, with each friend's transcript under its call.",
    discussion: "Without a name, shows the session that was used last."
  )

  @Argument(help: "The name of the session.")
  var session: String?

  @Flag(help: "Show the figures of each model request. JSON always includes them.")
  var figures = false

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let reader = try JournalReader.ofThisHome()
      let all = try await reader.conversations()
      let named = session.map { name in all.first { $0.name == name } } ?? all.first
      guard let conversation = named else {
        throw session.map(CommandError.noSuchSession) ?? .noSessions
      }
      let tree = try await TranscriptTree(conversation, reader)
      if json {
        Terminal.show(json: try JSONOutput.document(tree))
      } else {
        Terminal.show(tree.lines(indent: 0, withFigures: figures).joined(separator: "\n"))
      }
    }
  }
}

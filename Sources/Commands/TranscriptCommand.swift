import ArgumentParser
import Journal

struct TranscriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transcript",
    abstract: "Shows a session, with the transcript of every friend under its call.",
    discussion: "Without a session it shows the one that was used last."
  )

  @Argument(help: "The name of the session.")
  var session: String?

  @Flag(help: "Show what each request to a model took. JSON always has it.")
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
        Terminal.show(try JSONOutput.document(tree))
      } else {
        Terminal.show(tree.lines(indent: 0, withFigures: figures).joined(separator: "\n"))
      }
    }
  }
}

import ArgumentParser
import Coordinator
import Terminal

struct TranscriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transcript",
    abstract: "Shows a session, with each friend's transcript under its call.",
    discussion: "Without a name, shows the session that was used last."
  )

  @Argument(help: "The name of the session.")
  var session: String?

  @Flag(help: "Show the usage of each model request. JSON always includes it.")
  var usage = false

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let tree = try await Home.readingService().transcript(of: session)
      if json { return Terminal.show(json: try JSONOutput.document(tree)) }
      Terminal.show(tree.lines(indent: 0, withUsage: usage).joined(separator: "\n"))
    }
  }
}

import ArgumentParser
import Coordinator
import Journal
import Terminal

struct TranscriptCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "transcript",
    abstract: "Shows a session, with each friend's transcript under its call.",
    discussion: "Without a name, shows the session that was used last."
  )

  @Argument(help: "The name of the session.", completion: Names.sessions)
  var session: String?

  @Flag(help: "Show the usage of each model request. JSON always includes it.")
  var usage = false

  @Flag(help: "Draw the requests and calls of each turn on an axis of time, also as JSON.")
  var waterfall = false

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let service = try await CommandEnvironment.readingService()
    let tree = try await service.transcript(of: session)
    let drawn = waterfall ? try await Self.waterfall(of: tree, service) : nil
    if json {
      let document = try drawn.map(JSONOutput.document) ?? JSONOutput.document(tree)
      return Terminal.show(json: document)
    }
    let lines = tree.lines(indent: 0, withUsage: usage) + (drawn.map { [""] + $0.lines } ?? [])
    Terminal.show(lines.joined(separator: "\n"))
  }

  private static func waterfall(
    of tree: TranscriptTree,
    _ service: any CoordinatorService
  ) async throws -> Waterfall {
    var facts: [Fact] = []
    while true {
      let rows = try await service.facts(of: tree.name ?? "", after: facts.last?.id ?? 0)
      if rows.isEmpty { return Waterfall(facts) }
      facts += try rows.map { try $0.content }
    }
  }
}

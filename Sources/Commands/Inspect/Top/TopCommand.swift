import ArgumentParser
import Coordinator
import Foundation
import Terminal

struct TopCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the processes of the running coordinator live.",
    discussion: """
      Keys sort the list, open the log of the selected process and cancel the turn that it works for. \
      Without a terminal, prints one table.
      """
  )

  @Option(help: "What to sort by: \(TopSort.allCases.map(\.rawValue).joined(separator: ", ")).")
  var sort = TopSort.tree

  @Option(help: ArgumentHelp("The seconds between two looks.", valueName: "seconds"))
  var every = 1.0

  @Flag(help: "Write JSON, once.")
  var json = false

  func validate() throws {
    guard (0.1...3600).contains(every) else {
      throw ValidationError("--every takes from 0.1 to 3600 seconds.")
    }
  }

  func perform() async throws {
    // A coordinator that is not there is told before the screen is taken.
    let service = try await CommandEnvironment.service()
    let tree = try await service.processes()
    if json { return Terminal.show(json: try JSONOutput.document(tree)) }
    guard let screen = Screen() else {
      let rows = TopView.table(tree.rows(sort), isTree: sort == .tree)
      return Terminal.show([TopView.summary(tree)] + rows)
    }
    let number = await Top(screen, every: .seconds(every)).run(TopState(sort: sort), tree)
    screen.end()
    if let number, number != SIGINT { throw ExitCode(128 + number) }
  }
}

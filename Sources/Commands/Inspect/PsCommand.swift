import ArgumentParser
import Coordinator
import Foundation
import Terminal

struct PsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ps",
    abstract: "Shows the processes of the running coordinator."
  )

  @Flag(help: "Also list the processes that have died since the coordinator started.")
  var all = false

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let tree = try await CommandEnvironment.service().processes()
    if json { return Terminal.show(json: try JSONOutput.document(tree)) }
    Terminal.show(table(tree))
  }

  private func table(_ tree: ProcessTree) -> String {
    // What a process does is shown in full, with the numbers in it.
    var table = TextTable(
      [
        "PID", "AGENT", "SESSION", "ROLE", "STATE", "MODEL", "IN", "CACHED", "OUT", "TOK/S",
        "CONTEXT", "PSS",
        "AGE", "HOST",
      ]
    )
    for row in tree.rows(.tree) {
      let figures = row.figures.map { figures in
        [
          "\(figures.tokensIn)", "\(figures.tokensCached)", "\(figures.tokensOut)",
          String(format: "%.0f", figures.tokensPerSecond), figures.context,
        ]
      }
      table.add(
        [
          row.pid.map { "\($0)" } ?? "-", row.indentedName, row.session ?? "", row.role,
          row.state.words,
          row.model ?? "",
        ] + (figures ?? Array(repeating: "", count: 5)) + [
          row.memory.map(MemoryText.size) ?? "", row.launched.map(Self.age) ?? "", row.place.name,
        ]
      )
    }
    var parts = [table.text]
    if let deaths = DeathTable.text(of: tree.deaths, isList: all) { parts.append(deaths) }
    if !tree.approvals.isEmpty { parts.append(ApprovalTable.text(of: tree.approvals)) }
    if !tree.clientCalls.isEmpty { parts.append(ClientCallTable.text(of: tree.clientCalls)) }
    return parts.joined(separator: "\n\n")
  }

  static func age(_ since: Date) -> String {
    let seconds = Int(max(0, -since.timeIntervalSinceNow))
    return switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)m\(seconds % 60)s"
    default: "\(seconds / 3600)h\(seconds % 3600 / 60)m"
    }
  }
}

import Coordinator
import Terminal
import Transcripts

/// A table of the processes that have died.
enum DeathTable {
  /// Formats the deaths.
  /// - Parameter isList: Whether to list them rather than only count them.
  /// - Returns: `nil` when there is nothing to say.
  static func text(of deaths: DeathList, isList: Bool) -> String? {
    if let problem = deaths.problem { return "Cannot list the processes that died: \(problem)" }
    guard deaths.count > 0 else { return isList ? "No process has died." : nil }
    let count = deaths.count.counted("process has", "processes have")
    guard isList else {
      return
        "\(count) died since the coordinator started. 'orchestrator ps --all' lists the latest."
    }
    var table = TextTable(["DIED", "PID", "AGENT", "SESSION", "ROLE", "OUT", "HOW"])
    for death in deaths.latest {
      table.add([
        PsCommand.age(death.ended) + " ago", "\(death.pid)", death.agent, death.session ?? "",
        death.role, "\(death.tokensOut)", death.outcome,
      ])
    }
    let rest = deaths.count - deaths.latest.count
    return table.text + (rest > 0 ? "\n\(rest) more; 'orchestrator logs' lists all." : "")
  }
}

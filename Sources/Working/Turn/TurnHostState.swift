import AgentKit
import Wire

/// The state of a turn's host, as far as the coordinator shares it.
struct TurnHostState {
  /// The history as the coordinator has it in its journal.
  var history: Transcript.HistoryView
  /// The session properties as the coordinator has them.
  var properties: [String: String]
  /// The number of the agent's writes to the history that the coordinator knows of.
  var historyRewrites: Int
  /// The round's calls without an output, in order, whatever became of the history.
  var openCalls: [Transcript.ToolCall]
  /// The ids of the calls about which a person is being asked.
  var callsInApproval: Set<String> = []
  var batonPassed: Bool
  /// The answer about the next request to the model, which came with what was recorded last.
  var admission: AdmissionAnswer?
  /// When the cap on seconds ends the turn.
  var deadline: SuspendingClock.Instant?
  /// Whether a tool's answer has ended the turn.
  var isClosed = false
  var clock = RequestClock()

  mutating func updateOpenCalls(_ entry: Transcript.Entry) {
    switch entry {
    case .toolCalls(let calls): openCalls = Array(calls)
    case .toolOutput(let output):
      if let index = openCalls.firstIndex(where: { $0.id == output.id }) {
        openCalls.remove(at: index)
      }
    case .instructions, .prompt, .reasoning, .response: break
    }
  }
}

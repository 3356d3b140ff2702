import AgentKit
import Wire

/// The state of a turn's host, as far as the coordinator shares it.
struct HostState {
  /// The history as the coordinator has it in its journal.
  var history: [Transcript.Entry]
  /// The session properties as the coordinator has them.
  var properties: [String: String]
  /// The number of the agent's writes to the history that the coordinator knows of.
  var historyRewrites: Int
  /// Entries sent to the coordinator that it has not yet confirmed.
  var unsettled: [Transcript.Entry] = []
  /// The one of them that the coordinator will answer, if any: always the last.
  var answeredEntry: String?
  /// The admission of the next request, if the coordinator gave one and nothing was used since.
  var admissionAhead: AdmissionAnswer?
  /// The round's calls without an output, in order, whatever became of the history.
  var openCalls: [Transcript.ToolCall]
  var admittedCalls = 0
  var repeatedCalls: [Int] = []
  var batonPassed: Bool
  /// Whether a tool's answer has ended the turn.
  var isClosed = false
  var shown = ShownTexts()
  var clock = RequestClock()

  /// Counts the open calls.
  ///
  /// - Returns: How many calls may still be running when the entry is reported.
  mutating func count(_ entry: Transcript.Entry) -> Int {
    switch entry {
    case .toolCalls(let calls):
      openCalls = Array(calls)
      return 0
    case .toolOutput(let output):
      if let index = openCalls.firstIndex(where: { $0.id == output.id }) {
        openCalls.remove(at: index)
      }
      return openCalls.count
    case .instructions, .prompt, .reasoning, .response: return 0
    }
  }
}

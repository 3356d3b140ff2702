import AgentKit
import Wire

/// What a host knows of its turn, as the coordinator has it.
struct HostState {
  /// The history as the coordinator has it in its journal.
  var history: [Transcript.Entry]
  /// The session properties as the coordinator has them.
  var properties: [String: String]
  /// How often the agent had written to the history when the coordinator was last told of it.
  var historyRewrites: Int
  /// Entries that the coordinator was told of, and has not said yet that it keeps.
  var unsettled: [Transcript.Entry] = []
  /// Which of them it answers: the last, or none.
  var answeredEntry: String?
  /// How the next request may be made, where the coordinator has said so and nothing was used since.
  var admissionAhead: AdmissionAnswer?
  /// How many calls of the round have no output yet.
  var openCalls: Int
  var admittedCalls = 0
  var repeatedCalls: [Int] = []
  var batonPassed: Bool
  var shown = ShownTexts()
  var clock = RequestClock()

  /// Counts the calls that are open.
  /// - Returns: How many may be running still when an entry is told.
  mutating func count(_ entry: Transcript.Entry) -> Int {
    switch entry {
    case .toolCalls(let calls):
      openCalls = calls.count
      return 0
    case .toolOutput:
      openCalls = max(0, openCalls - 1)
      return openCalls
    case .instructions, .prompt, .reasoning, .response: return 0
    }
  }
}

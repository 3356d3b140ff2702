package import Foundation
import GRDB
import Transcripts

/// A call that waits for the client of its turn to perform it.
package struct ClientCallRecord: Codable, Sendable, Equatable {
  /// The session that the call belongs to; `nil` when read from the journal.
  package var session: String?
  package var turn: Int64
  package var agent: String
  package var callID: String
  package var tool: String
  /// The arguments of the call as JSON.
  package var arguments: String
  package var asked: Date
}

extension JournalReader {
  /// Returns the calls of a turn that wait for its client, in order.
  package func clientCalls(of turn: Int64) async throws -> [ClientCallRecord] {
    var round: [Transcript.ToolCall] = []
    var waiting: [ClientCallRecord] = []
    let kinds: Set<Fact.Event.Kind> = [.recorded, .askedClient, .answeredClient, .ended]
    for fact in try await facts(ofTurn: turn, kinds) {
      switch fact.event {
      case .recorded(let entry, _):
        switch entry.entry {
        case .toolCalls(let calls): (round, waiting) = (Array(calls), [])
        case .toolOutput(let output): waiting.removeAll { $0.callID == output.id }
        case .instructions, .prompt, .reasoning, .response: break
        }
      case .askedClient(let calls):
        waiting += round.filter { calls.contains($0.id) }.map { call in
          ClientCallRecord(
            turn: turn,
            agent: fact.agent ?? "",
            callID: call.id,
            tool: call.toolName,
            arguments: call.arguments.jsonString,
            asked: fact.at
          )
        }
      case .answeredClient(let outputs, _):
        waiting.removeAll { call in outputs.contains { $0.callID == call.callID } }
      case .ended: waiting = []
      default: break
      }
    }
    return waiting
  }

  /// Returns the calls of all sessions that wait for clients, oldest turn first.
  package func clientCalls() async throws -> [ClientCallRecord] {
    var all: [ClientCallRecord] = []
    for turn in try await openTurns() {
      let calls = try await clientCalls(of: turn.id)
      guard !calls.isEmpty else { continue }
      let session = try await session(of: turn.conversation)
      all += calls.map { call in
        var call = call
        call.session = session
        return call
      }
    }
    return all
  }
}

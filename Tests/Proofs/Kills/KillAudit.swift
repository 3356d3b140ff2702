import AgentKit
import Coordination
import Foundation
import Journal

/// Compares what was shown and done with what is journaled.
struct KillAudit: Sendable {
  /// Something that a person was shown as part of a turn.
  struct Shown: Sendable, Hashable {
    let turn: Int64
    let words: String
  }

  /// A turn as journaled, including its friends.
  struct Turn: Sendable {
    let id: Int64
    let exit: TurnExit?
    var entries: [Transcript.Entry]
    /// The tokens of all calls, including friends'.
    var tokens: [String]
  }

  var shown: [Shown] = []
  var turns: [Turn] = []
  /// The tokens of the calls that were run.
  var effects: [String] = []
  /// How often the answer of a turn may be shown once more: a coordinator that continues a turn
  /// cannot know whether what its predecessor showed was seen.
  private var renewals: [Int64: Int] = [:]

  /// Violations of the promise.
  struct Findings: Sendable, Equatable {
    var lost: [String] = []
    var repeated: [String] = []
    var unannounced: [String] = []
    var doubled: [String] = []
    var unfinished: [String] = []

    var all: [String] { lost + repeated + unannounced + doubled + unfinished }
  }

  var findings: Findings {
    var findings = Findings()
    var journaled: Set<Shown> = []
    for turn in turns {
      for words in turn.entries.flatMap(Self.words) {
        journaled.insert(Shown(turn: turn.id, words: words))
      }
      // Two calls of one round may both have unknown outcomes, which read the same.
      let words = turn.entries.flatMap(Self.words).filter { !$0.contains(Self.unknown) }
      for (words, count) in Self.counts(words) where count > 1 {
        findings.doubled.append("turn \(turn.id) has \(count) times: \(words)")
      }
      guard let prompt = turn.entries.first else {
        findings.lost.append("the prompt of turn \(turn.id)")
        continue
      }
      let answer = "answer: " + KillCast.answer(to: "\(prompt)")
      if turn.exit != .answered || turn.entries.last.map(Self.words) != [answer] {
        let exit = turn.exit.map { "\($0)" } ?? "no exit"
        findings.unfinished.append("turn \(turn.id) (\(prompt)): \(exit)")
      }
    }
    for shown in Set(shown).subtracting(journaled) {
      findings.lost.append("turn \(shown.turn) has not: \(shown.words)")
    }
    let certain = shown.filter { !$0.words.contains(Self.unknown) }
    for (words, count) in Self.counts(certain) where count > 1 {
      findings.doubled.append("\(count) times shown: \(words)")
    }
    for (token, count) in Self.counts(effects) where count > 1 {
      findings.repeated.append("\(count) times: \(token)")
    }
    let announced = Set(turns.flatMap(\.tokens))
    for token in Set(effects).subtracting(announced) { findings.unannounced.append(token) }
    return findings
  }

  /// The beginning of the output of a call that may or may not have run.
  static let unknown = #""status": "unknown""#

  private static func counts<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Returns an entry in the words in which it is shown.
  private static func words(_ entry: Transcript.Entry) -> [String] {
    switch entry {
    case .prompt: ["prompt: \(entry)"]
    case .toolCalls(let calls): calls.map { "call: \($0.toolName)\($0.arguments.jsonString)" }
    case .toolOutput(let output): ["output: \(output.segments.joinedText)"]
    case .response: ["answer: \(entry)"]
    case .instructions, .reasoning: []
    }
  }

  /// Records what a coordinator has shown; what a friend does is not shown.
  mutating func see(_ event: TurnEvent, prompt: String, turn: inout Int64?) {
    func show(_ words: String) {
      if let turn { shown.append(Shown(turn: turn, words: words)) }
    }
    switch event {
    case .accepted(let id, _):
      turn = id
      show("prompt: \(prompt)")
    case .resumed(let id, _, _):
      turn = id
      renewals[id, default: 0] += 1
    case .toolCall(_, _, let tool, let arguments): show("call: \(tool)\(arguments)")
    case .toolOutput(_, _, _, let text): show("output: \(text)")
    case .said(_, let text): show("answer: \(text)")
    case .answered(_, let text):
      if let turn, renewals[turn, default: 0] > 0,
        shown.contains(Shown(turn: turn, words: "answer: \(text)"))
      {
        renewals[turn, default: 0] -= 1
      } else {
        show("answer: \(text)")
      }
    default: break
    }
  }

  /// Reads what is journaled of a session.
  mutating func read(_ session: String, _ reader: JournalReader) async throws {
    guard let conversation = try await reader.conversation(named: session) else { return }
    let entries = try await reader.entries(of: conversation.id)
    for turn in try await reader.turns(of: conversation.id) {
      let own = entries.filter { $0.turn == turn.id }.map(\.entry)
      var tokens = own.flatMap(Self.tokens)
      for friend in try await reader.friends(of: turn.id) {
        tokens += try await reader.entries(of: friend.id).map(\.entry).flatMap(Self.tokens)
      }
      turns.append(Turn(id: turn.id, exit: turn.exit, entries: own, tokens: tokens))
    }
  }

  private static func tokens(_ entry: Transcript.Entry) -> [String] {
    guard case .toolCalls(let calls) = entry else { return [] }
    return calls.compactMap { try? $0.arguments.value(String.self, forProperty: "token") }
  }

  /// Plants violations in a clean audit.
  ///
  /// - Throws: `Broken` when the audit does not find them.
  func prove() throws {
    func expect(_ kind: KeyPath<Findings, [String]>, _ plant: (inout KillAudit) -> Void) throws {
      var copy = self
      plant(&copy)
      guard !copy.findings[keyPath: kind].isEmpty else {
        throw Broken(description: "The audit does not see what was planted: \(kind)")
      }
    }
    guard findings == Findings(), !turns.isEmpty, !effects.isEmpty, !shown.isEmpty else {
      throw Broken(description: "Undisturbed turns are not clean: \(findings.all)")
    }
    try expect(\.lost) { $0.turns[0].entries.remove(at: 2) }
    try expect(\.lost) { $0.turns[0].entries.removeAll() }
    try expect(\.repeated) { $0.effects.append($0.effects[0]) }
    try expect(\.unannounced) { $0.effects.append("not called for") }
    try expect(\.doubled) { $0.turns[0].entries.append($0.turns[0].entries[1]) }
    try expect(\.doubled) { $0.shown.append($0.shown[0]) }
    try expect(\.unfinished) { $0.turns[0].entries.removeLast() }
  }
}

import Foundation
import Journal
import Transcripts

/// The requests and calls of a session's turns, of all its processes, on an axis of time.
struct Waterfall: Encodable, Equatable {
  struct Turn: Encodable, Equatable {
    var number: Int
    var started: Date
    var ended: Date
    var rows: [Row]
  }

  /// A request or a call, below what made it.
  struct Row: Encodable, Equatable {
    var depth: Int
    var agent: String
    var label: String
    var bars: [Bar]
    /// The tokens of a request that came from the cache.
    var cached: Int?
  }

  struct Bar: Encodable, Equatable {
    enum Kind: String, CaseIterable, Encodable {
      case wait, prefill, decode, tool, friend, approval
    }

    var kind: Kind
    var from: Date
    var to: Date
  }

  private(set) var turns: [Turn] = []

  /// - Parameter facts: All facts of a session and its friends, in order.
  init(_ facts: [Fact]) {
    let log = Log(facts)
    for (place, id) in log.mainTurns.enumerated() {
      guard let first = log.facts[id]?.first?.at else { continue }
      let last = log.facts[id]?.last?.at ?? first
      let rows = log.rows(of: id, depth: 0)
      turns.append(Turn(number: place + 1, started: first, ended: last, rows: rows))
    }
  }
}

/// Facts by what they belong to.
private struct Log {
  /// The turns of the conversation that a person sees.
  var mainTurns: [Int64] = []
  var facts: [Int64: [Fact]] = [:]
  /// The turns of the friends that a call asked.
  var answers: [Call: [Int64]] = [:]

  struct Call: Hashable {
    var turn: Int64
    var id: String
  }

  init(_ all: [Fact]) {
    var callers: [Int64: Call] = [:]
    for fact in all {
      if case .began(let start) = fact.event, let parent = start.parent {
        callers[fact.conversation] = Call(turn: parent.turn, id: parent.callID)
      }
      guard let turn = fact.turn else { continue }
      if facts[turn] == nil {
        if let caller = callers[fact.conversation] {
          answers[caller, default: []].append(turn)
        } else {
          mainTurns.append(turn)
        }
      }
      facts[turn, default: []].append(fact)
    }
  }

  func rows(of turn: Int64, depth: Int) -> [Waterfall.Row] {
    let facts = facts[turn] ?? []
    var rows: [Waterfall.Row] = []
    // Since when nothing has happened; a request waits from there on.
    var activity = facts.first?.at ?? .distantPast
    var requests = 0
    for (place, fact) in facts.enumerated() {
      guard case .recorded(let entry, let usage) = fact.event else { continue }
      let agent = fact.agent ?? ""
      if let usage, usage.seconds > 0 {
        requests += 1
        let bars = Self.bars(of: usage, ending: fact.at, since: activity)
        rows.append(
          Waterfall.Row(
            depth: depth,
            agent: agent,
            label: "request \(requests)",
            bars: bars,
            cached: usage.tokensCached
          )
        )
      }
      activity = fact.at
      guard case .toolCalls(let calls) = entry.entry else { continue }
      for call in calls {
        let friends = answers[Call(turn: turn, id: call.id)] ?? []
        let later = facts[(place + 1)...]
        let bars = Self.bars(of: call.id, since: fact.at, in: later, asksFriends: !friends.isEmpty)
        rows.append(
          Waterfall.Row(depth: depth, agent: agent, label: call.toolName, bars: bars, cached: nil)
        )
        for friend in friends { rows += self.rows(of: friend, depth: depth + 1) }
      }
    }
    return rows
  }

  private static func bars(
    of usage: RequestUsage,
    ending end: Date,
    since activity: Date
  ) -> [Waterfall.Bar] {
    let start = end.addingTimeInterval(-usage.seconds)
    // Other processes may have had the cores first.
    let begun = min(end, start.addingTimeInterval(usage.secondsWaited ?? 0))
    let first = min(end, begun.addingTimeInterval(usage.secondsToFirstToken))
    return [
      .init(kind: .wait, from: min(activity, start), to: begun),
      .init(kind: .prefill, from: begun, to: first), .init(kind: .decode, from: first, to: end),
    ]
  }

  private static func bars(
    of call: String,
    since start: Date,
    in later: ArraySlice<Fact>,
    asksFriends: Bool
  ) -> [Waterfall.Bar] {
    var (from, bars): (Date, [Waterfall.Bar]) = (start, [])
    var question: Fact?
    let kind: Waterfall.Bar.Kind = asksFriends ? .friend : .tool
    for fact in later {
      switch fact.event {
      case .askedApproval(let asked) where asked.callID == call && question == nil:
        question = fact
      case .answeredApproval(question?.id, _):
        guard let asked = question?.at else { continue }
        bars.append(.init(kind: .approval, from: asked, to: fact.at))
        (from, question) = (fact.at, nil)
      case .returnedEarly(let entry) where entry.id == call,
        .recorded(let entry, _) where entry.id == call && entry.isOutput:
        return bars + [.init(kind: kind, from: from, to: fact.at)]
      default: break
      }
    }
    // It has not returned.
    return bars + [.init(kind: kind, from: from, to: later.last?.at ?? from)]
  }
}

extension RawEntry {
  fileprivate var isOutput: Bool { if case .toolOutput = entry { true } else { false } }
}

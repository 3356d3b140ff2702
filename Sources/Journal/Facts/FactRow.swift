import Foundation
import GRDB
import Transcripts

/// A fact as a row of its table, and as a line of an exported session.
package struct FactRow: Codable, Equatable, Sendable {
  /// The place in the log; `nil` for the next.
  var id: Int64?
  var conversation: Int64
  var turn: Int64?
  var agent: String?
  var run: String?
  /// In seconds since 1970.
  var at: Double
  var kind: String
  /// What happened, as JSON; an entry exactly as its worker wrote it.
  var payload: String
  /// The caps of a prompt, as JSON.
  var caps: String?
  /// The options of a prompt, as JSON.
  var options: String?
  /// The identity of the request that sent a prompt.
  var request: String?
  /// The usage of the request that made an entry, as JSON.
  var usage: String?

  /// The place in the log; 0 for a fact that has none yet.
  package var place: Int64 { id ?? 0 }

  func insert(_ db: Database) throws {
    try db.perform(
      sql: """
        INSERT INTO fact
          (id, conversation, turn, agent, run, at, kind, payload, caps, options, request, usage)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, conversation, turn, agent, run, at, kind, payload, caps, options, request, usage,
      ]
    )
  }
}

extension FactRow {
  init(_ row: Row) throws {
    id = try row.value("id")
    conversation = try row.value("conversation")
    turn = try row.value("turn")
    agent = try row.value("agent")
    run = try row.value("run")
    at = try row.value("at")
    kind = try row.value("kind")
    payload = try row.value("payload")
    caps = try row.value("caps")
    options = try row.value("options")
    request = try row.value("request")
    usage = try row.value("usage")
  }

  /// Encodes a fact.
  ///
  /// In advance, because nothing else can be written while the journal writes.
  init(_ fact: Fact) throws {
    try fact.event.validate()
    (id, conversation, turn) = (fact.id, fact.conversation, fact.turn)
    (agent, run) = (fact.agent, fact.run)
    at = fact.at.timeIntervalSince1970
    kind = fact.event.kind.rawValue
    payload = try fact.event.payload()
    switch fact.event {
    case .prompted(_, let caps, let options, let request):
      (self.caps, self.request) = (caps, request)
      self.options = try options.map(JSON.encode)
    case .recorded(_, let usage): self.usage = try usage.map(JSON.encode)
    default: break
    }
  }

  func fact() throws(UnreadableFact) -> Fact {
    do {
      try InvalidValue.validate(date: at)
      let fact = Fact(
        id: id ?? 0,
        conversation: conversation,
        turn: turn,
        agent: agent,
        run: run,
        at: Date(timeIntervalSince1970: at),
        event: try event(Fact.Event.Kind(named: kind))
      )
      try fact.event.validate()
      return fact
    } catch {
      throw UnreadableFact(id ?? 0, error)
    }
  }
}

extension Fact {
  init(_ row: Row) throws(UnreadableFact) {
    let stored: FactRow
    do {
      stored = try FactRow(row)
    } catch {
      throw UnreadableFact((try? row.value("id")) ?? 0, error)
    }
    self = try stored.fact()
  }
}

extension Fact.Event {
  /// What happened, in a word.
  enum Kind: String, Sendable, CaseIterable {
    case prompted, recorded, returnedEarly, changedState, passedBaton, phoned, friendEnded
    case askedApproval, answeredApproval, deliveredApproval, calledServer
    case askedClient, answeredClient
    case abandonedRequest, died
    case resumed, leftOpen, imported, ended
    case began, importedEntry, launched, exited

    /// The kinds that are entries of the transcript.
    static let entries: Set<Kind> = [.importedEntry, .prompted, .recorded]
    /// The kinds that need no turn.
    static let outside: Set<Kind> = [.began, .importedEntry, .launched, .exited]

    init(named name: String) throws(InvalidValue) {
      guard let kind = Kind(rawValue: name) else {
        throw InvalidValue("it is of an unknown kind, '\(name)'")
      }
      self = kind
    }

    /// Reads the kind of a fact, and nothing else of it.
    /// - Throws: `UnreadableFact`.
    init(_ row: Row) throws(UnreadableFact) {
      do {
        try self.init(named: row.value("kind"))
      } catch {
        throw UnreadableFact((try? row.value("id")) ?? 0, error)
      }
    }
  }

  var kind: Kind {
    switch self {
    case .prompted: .prompted
    case .recorded: .recorded
    case .returnedEarly: .returnedEarly
    case .changedState: .changedState
    case .passedBaton: .passedBaton
    case .phoned: .phoned
    case .friendEnded: .friendEnded
    case .askedApproval: .askedApproval
    case .answeredApproval: .answeredApproval
    case .deliveredApproval: .deliveredApproval
    case .calledServer: .calledServer
    case .askedClient: .askedClient
    case .answeredClient: .answeredClient
    case .abandonedRequest: .abandonedRequest
    case .died: .died
    case .resumed: .resumed
    case .leftOpen: .leftOpen
    case .imported: .imported
    case .ended: .ended
    case .began: .began
    case .importedEntry: .importedEntry
    case .launched: .launched
    case .exited: .exited
    }
  }

  fileprivate func payload() throws -> String {
    switch self {
    case .prompted(let entry, _, _, _), .recorded(let entry, _), .returnedEarly(let entry),
      .importedEntry(let entry):
      entry.json
    case .changedState(let change): try JSON.encode(change)
    case .passedBaton(let pass): try JSON.encode(pass)
    case .phoned(let call): try JSON.encode(call)
    case .friendEnded(let end): try JSON.encode(end)
    case .askedApproval(let question): try JSON.encode(question)
    case .answeredApproval(let question, let decision):
      try JSON.encode(Answer(question: question, decision: decision))
    case .deliveredApproval(let call): try JSON.encode(Delivery(callID: call))
    case .calledServer(let call): try JSON.encode(call)
    case .askedClient(let calls): try JSON.encode(ClientCalls(calls: calls))
    case .answeredClient(let outputs, let request):
      try JSON.encode(ClientOutputs(outputs: outputs, request: request))
    case .abandonedRequest(let tokens): try JSON.encode(Abandoned(tokens: tokens))
    case .died(let death): try JSON.encode(death)
    case .resumed(let spent): try JSON.encode(Resumption(spent: spent))
    case .leftOpen, .imported: "{}"
    case .ended(let exit, let holder): try JSON.encode(End(exit: exit, revertingTo: holder))
    case .began(let start): try JSON.encode(start)
    case .launched(let start): try JSON.encode(start)
    case .exited(let end): try JSON.encode(end)
    }
  }
}

extension FactRow {
  fileprivate func event(_ kind: Fact.Event.Kind) throws -> Fact.Event {
    switch kind {
    case .prompted:
      guard let caps else { throw InvalidValue("it has no caps") }
      return .prompted(
        try RawEntry(json: payload),
        caps: caps,
        options: try options.map(JSON.decode),
        request: request
      )
    case .recorded: return .recorded(try RawEntry(json: payload), try usage.map(JSON.decode))
    case .returnedEarly: return .returnedEarly(try RawEntry(json: payload))
    case .changedState: return .changedState(try JSON.decode(payload))
    case .passedBaton: return .passedBaton(try JSON.decode(payload))
    case .phoned: return .phoned(try JSON.decode(payload))
    case .friendEnded: return .friendEnded(try JSON.decode(payload))
    case .askedApproval: return .askedApproval(try JSON.decode(payload))
    case .answeredApproval:
      let answer: Answer = try JSON.decode(payload)
      return .answeredApproval(question: answer.question, answer.decision)
    case .deliveredApproval:
      return .deliveredApproval(callID: (try JSON.decode(payload) as Delivery).callID)
    case .calledServer: return .calledServer(try JSON.decode(payload))
    case .askedClient:
      return .askedClient(calls: (try JSON.decode(payload) as ClientCalls).calls)
    case .answeredClient:
      let answer: ClientOutputs = try JSON.decode(payload)
      return .answeredClient(answer.outputs, request: answer.request)
    case .abandonedRequest:
      return .abandonedRequest(tokens: (try JSON.decode(payload) as Abandoned).tokens)
    case .died: return .died(try JSON.decode(payload))
    case .resumed: return .resumed(spent: (try JSON.decode(payload) as Resumption).spent)
    case .leftOpen: return .leftOpen
    case .imported: return .imported
    case .ended:
      let end: End = try JSON.decode(payload)
      return .ended(end.exit, revertingTo: end.revertingTo)
    case .began: return .began(try JSON.decode(payload))
    case .importedEntry: return .importedEntry(try RawEntry(json: payload))
    case .launched: return .launched(try JSON.decode(payload))
    case .exited: return .exited(try JSON.decode(payload))
    }
  }
}

private struct Answer: Codable {
  var question: Int64
  var decision: ApprovalDecision
}

private struct ClientCalls: Codable {
  var calls: [String]
}

private struct ClientOutputs: Codable {
  var outputs: [ClientToolOutput]
  var request: String?
}

private struct Delivery: Codable {
  var callID: String
}

private struct Abandoned: Codable {
  var tokens: Int
}

private struct Resumption: Codable {
  var spent: Double
}

private struct End: Codable {
  var exit: TurnExit
  var revertingTo: String?
}

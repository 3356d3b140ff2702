import GRDB

/// Gives the facts of a session new numbers, and the conversations and turns that they speak of.
///
/// Facts refer only to earlier ones, so that one pass suffices.
struct Renumbering {
  /// The new numbers by the old ones.
  private struct Numbers {
    /// The last number that is taken.
    var last: Int64 = 0
    var new: [Int64: Int64] = [:]
    let name: String

    mutating func add(_ old: Int64) -> Int64 {
      last += 1
      new[old] = last
      return last
    }

    func callAsFunction(_ old: Int64) throws(UnknownNumber) -> Int64 {
      guard let number = new[old] else { throw UnknownNumber(name: name, number: old) }
      return number
    }
  }

  /// The error for a fact that refers to another session, or to what comes later.
  struct UnknownNumber: Error, CustomStringConvertible {
    let name: String
    let number: Int64

    var description: String { "it refers to \(name) \(number), which is not before it" }
  }

  private var facts: Numbers
  private var conversations: Numbers
  private var turns: Numbers

  /// Numbers the facts of a file from one.
  init() {
    facts = Numbers(name: "fact")
    conversations = Numbers(name: "conversation")
    turns = Numbers(name: "turn")
  }

  /// Numbers facts that are appended to a journal.
  init(appendingTo db: Database) throws {
    func numbers(_ name: String) throws -> Numbers {
      Numbers(last: try Journal.lastNumber(in: name, db), name: name)
    }
    facts = try numbers("fact")
    conversations = try numbers("conversation")
    turns = try numbers("turn")
  }

  /// Returns a fact with its new numbers.
  /// - Throws: `UnknownNumber` if it refers to anything else than the facts before it.
  mutating func renumbered(_ fact: Fact) throws(UnknownNumber) -> Fact {
    var new = fact
    switch fact.event {
    case .began(var start):
      if let parent = start.parent { start.parent?.turn = try turns(parent.turn) }
      new.event = .began(start)
      _ = conversations.add(fact.conversation)
    case .prompted: if let turn = fact.turn { _ = turns.add(turn) }
    case .phoned(var call):
      call.conversation = try conversations(call.conversation)
      new.event = .phoned(call)
    case .friendEnded(var end):
      end.conversation = try conversations(end.conversation)
      new.event = .friendEnded(end)
    case .answeredApproval(let question, let decision):
      new.event = .answeredApproval(question: try facts(question), decision)
    default: break
    }
    new.conversation = try conversations(fact.conversation)
    if let turn = fact.turn { new.turn = try turns(turn) }
    new.id = facts.add(fact.id)
    return new
  }
}

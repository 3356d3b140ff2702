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

    func callAsFunction(_ old: Int64) throws(Misfit) -> Int64 {
      guard let number = new[old] else {
        throw Misfit(description: "it refers to \(name) \(old), which is not before it")
      }
      return number
    }
  }

  /// The error for a fact that does not follow from those before it.
  struct Misfit: Error, CustomStringConvertible {
    let description: String
  }

  private var facts: Numbers
  private var conversations: Numbers
  private var turns: Numbers
  /// The turns that have begun friends' conversations and are still to phone them, by conversation.
  private var phoning: [Int64: Int64] = [:]

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
  /// - Throws: `Misfit` if it refers to anything else than the facts before it, or if it phones what
  ///   is not its turn's: friends of friends would have no end.
  mutating func renumbered(_ fact: Fact) throws(Misfit) -> Fact {
    var new = fact
    switch fact.event {
    case .began(var start):
      let conversation = conversations.add(fact.conversation)
      if let parent = start.parent {
        start.parent?.turn = try turns(parent.turn)
        phoning[conversation] = start.parent?.turn
      }
      new.event = .began(start)
    case .prompted: if let turn = fact.turn { _ = turns.add(turn) }
    case .phoned(var call):
      call.conversation = try conversations(call.conversation)
      guard let turn = fact.turn, case let caller = try turns(turn),
        phoning.removeValue(forKey: call.conversation) == caller
      else {
        throw Misfit(description: "it phones a conversation that its turn has not begun")
      }
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

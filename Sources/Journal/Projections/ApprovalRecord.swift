package import Foundation

/// The question to a person whether a call may be made, or what its server wants to know.
package struct ApprovalRecord: Sendable, Equatable, Codable, Identifiable {
  /// The place of the question in the log.
  package var id: Int64
  /// The session it belongs to, even if a friend asks; `nil` when read from the journal.
  package var session: String?
  package var conversation: Int64
  package var turn: Int64
  package var agent: String
  package var callID: String
  package var tool: String
  /// The arguments of the call as JSON.
  package var arguments: String
  /// What the server of the call wants to know; `nil` where the question is whether to make it.
  package var form: ApprovalForm?
  package var asked: Date
  /// The last entry at the time; `nil` when not read from the journal.
  package var afterEntry: Int64?
  /// The answer; `nil` while there is none.
  package var answer: Answer?

  /// What the model reads when a person gave no reason.
  package static let plainDenial = "The person denied it."
  /// What stands for the reason when a form was closed.
  package static let cancellation = "The person closed the form."
  /// What the model reads when the turn ended first.
  package static let overDenial = "The turn ended before it was answered."

  package struct Answer: Sendable, Equatable, Codable {
    package var at: Date
    /// Why the call was denied; `nil` when it was approved.
    package var denial: String?
    /// The answer to a form, as a JSON object.
    package var content: String?
    package var by: Answerer

    package init(at: Date, denial: String?, content: String? = nil, by answerer: Answerer) {
      (self.at, self.denial, self.content, by) = (at, denial, content, answerer)
    }

    package init(_ decision: ApprovalDecision, at: Date) {
      self.init(at: at, denial: decision.denial, content: decision.content, by: decision.by)
    }
  }

  /// Who decided.
  package enum Answerer: String, Sendable, Codable {
    /// A person in the chat, or one who asked a question from a terminal.
    case chat
    /// A person who used the control plane.
    case control
    /// The coordinator, because no person was present or answered in time.
    case coordinator
    /// It was not decided: the turn or its coordinator ended first.
    case unanswered
  }
}

extension ApprovalRecord {
  /// Makes the record of a question that has no answer yet; `nil` for any other fact.
  package init?(_ fact: Fact, session: String? = nil, afterEntry: Int64? = nil) {
    guard case .askedApproval(let question) = fact.event, let turn = fact.turn else { return nil }
    id = fact.id
    self.session = session
    conversation = fact.conversation
    self.turn = turn
    agent = fact.agent ?? ""
    callID = question.callID
    tool = question.tool
    arguments = question.arguments
    form = question.form
    asked = fact.at
    self.afterEntry = afterEntry
  }
}

import Coordination
import Coordinator
import Foundation
import Journal
import MCP
import Terminal
import Transcripts

/// A turn that a client's call began.
struct AgentTurn: Sendable {
  enum Outcome {
    case ended(TurnSummary)
    /// Calls wait for a person, whom the client asks before it repeats its call.
    case needsApproval([ApprovalRecord])
  }

  let tool: String
  let session: String
  private let events: EventStream<TurnEvent>
  private var turn: Int64?
  /// The approvals about which a person was asked.
  private(set) var asked: [Int64: ApprovalRecord] = [:]
  private var reports = TurnReports()

  init(tool: String, session: String, events: EventStream<TurnEvent>) {
    self.tool = tool
    self.session = session
    self.events = events
  }

  /// Follows the turn to its end, or until the client has to ask a person.
  ///
  /// Cancelling the task cancels the turn.
  mutating func follow(
    _ service: any CoordinatorService,
    _ channel: RequestChannel
  ) async throws -> Outcome {
    var questions: [Int64: Task<Void, Never>] = [:]
    defer { for question in questions.values { question.cancel() } }
    for try await event in events {
      if let line = reports.line(for: event, at: .now) { channel.report(line) }
      switch event {
      case .accepted(let id, _): turn = id
      // An interrupted turn may end first; that is not the answer to this call.
      case .ended(let summary) where summary.turn == turn: return .ended(summary)
      case .approvalAsked(let record):
        guard channel.context.canElicit, note(record) else { break }
        guard channel.asksMeanwhile else {
          return .needsApproval(try await pending(besides: record, service))
        }
        // Unstructured: ends with its answer, or is cancelled when another has given one or the
        // turn is over.
        questions[record.id] = Task {
          let answer = await channel.ask(record.elicitation)
          await Self.answer(record, answer, service)
        }
      case .approvalAnswered(let record): questions[record.id]?.cancel()
      default: break
      }
    }
    try Task.checkCancellation()
    // Every turn ends with its summary; without one, the stream broke off.
    throw ConnectionError.gone
  }

  /// All approvals of the session that no person was asked about, so that they are asked at once.
  private mutating func pending(
    besides record: ApprovalRecord,
    _ service: any CoordinatorService
  ) async throws -> [ApprovalRecord] {
    let others = try await service.approvals().filter {
      $0.session == record.session && note($0)
    }
    return [record] + others
  }

  /// Notes that a person is asked.
  /// - Returns: Whether none was before.
  private mutating func note(_ record: ApprovalRecord) -> Bool {
    asked.updateValue(record, forKey: record.id) == nil
  }

  /// Passes on what a person decided; without a decision, others can still make it.
  static func answer(
    _ record: ApprovalRecord,
    _ answer: ElicitationAnswer,
    _ service: any CoordinatorService
  ) async {
    guard let decision = ApprovalAnswer(record, answer) else { return }
    do {
      _ = try await service.answer(decision)
    } catch {
      // It may have been decided elsewhere, or too late; the turn's events tell. What does not fit
      // a server's form is not asked for again.
      guard record.form != nil else { return }
      let denial = ApprovalAnswer(id: record.id, denial: "\(error)", by: .control)
      _ = try? await service.answer(denial)
    }
  }
}

extension ApprovalAnswer {
  /// Reads what a person did with the form of a request; `nil` if nothing is decided.
  init?(_ record: ApprovalRecord, _ answer: ElicitationAnswer) {
    let id = record.id
    switch answer {
    case .cancelled: return nil
    case .declined:
      self.init(id: id, denial: ApprovalRecord.plainDenial, by: .control)
    case .accepted(let content) where record.form != nil:
      self.init(id: id, denial: nil, content: content.jsonString, by: .control)
    case .accepted(let form):
      // Nothing is approved but by the word itself.
      guard form[ApprovalRecord.approveField]?.flag == true else {
        let reason = form[ApprovalRecord.reasonField]?.text ?? ""
        self.init(id: id, denial: reason, by: .control)
        return
      }
      self.init(id: id, denial: nil, by: .control)
    }
  }
}

extension ApprovalRecord {
  static let approveField = "approve"
  static let reasonField = "reason"

  /// The key of a question among those that a client is to ask.
  static func inputKey(of id: Int64) -> String { "request-\(id)" }

  /// The question as a form, with nothing hidden; what a server wants to know is asked in its own
  /// words.
  var elicitation: Elicitation {
    if let form {
      let schema = form.schema.document
      return Elicitation(
        message:
          "The tool '\(tool.withInvisiblesShown)' of the agent '\(agent.withInvisiblesShown)'"
          + " asks: \(form.message.withInvisiblesShown)",
        fields: schema["properties"]?.members?.map { ($0.name, $0.value) } ?? [],
        required: schema["required"]?.elements?.compactMap(\.text) ?? []
      )
    }
    return Elicitation(
      message: "May the agent '\(agent.withInvisiblesShown)' call the tool"
        + " '\(tool.withInvisiblesShown)' with \(arguments.withInvisiblesShown)?"
        + " (request \(id) in session '\((session ?? "").withInvisiblesShown)')",
      fields: [
        (
          Self.approveField,
          .members([("type", "boolean".json), ("title", "Allow this call".json)])
        ),
        (
          Self.reasonField,
          .members([
            ("type", "string".json), ("title", "Why not".json),
            ("description", "What the agent is told if the call is not allowed.".json),
          ])
        ),
      ],
      required: [Self.approveField]
    )
  }
}

import AgentKit
import Foundation
import Journal
import Wire

/// A turn in which an earlier coordinator ended, as the journal has it.
struct InterruptedTurn: Sendable {
  /// How often a turn is taken up again before it is ended.
  static let maximumResumptions = 3

  let record: TurnRecord
  let prompt: String
  let holderBefore: String
  let caps: Caps
  /// What the agents see, with what this turn has made of it.
  let history: [Transcript.Entry]
  private var budget: Budget
  private var repetition = Repetition()
  private var round: OpenRound?
  private var hasAnswer = false
  private var answer: String?
  private var figures = RequestFigures()
  private var friends: [FriendQuestion: FriendAnswer] = [:]
  private var approvals: [String: Approval] = [:]

  /// - Parameters:
  ///   - record: The turn, without an exit.
  ///   - conversation: What the turn is part of.
  init(
    _ record: TurnRecord,
    of conversation: ConversationRecord,
    _ reader: JournalReader
  ) async throws {
    self.record = record
    caps = record.caps.flatMap(Caps.init(journaled:)) ?? Caps()
    budget = Budget(caps)
    holderBefore = try await reader.batons(of: record.id).first?.from ?? conversation.holder
    history = try await reader.history(of: conversation.id)
    let entries = try await reader.entries(of: conversation.id).filter { $0.turn == record.id }
    prompt = entries.first?.entry.promptText ?? ""
    // What came before what, the places in the journal say: a clock on the wall may be set.
    var phoned: [(friend: ConversationRecord, began: Int64)] = []
    var unpaid: [(began: Int64, spent: Spending)] = []
    for friend in try await reader.friends(of: record.id) {
      let began = try await reader.firstEntry(of: friend.id) ?? 0
      phoned.append((friend, began))
      unpaid.append((began, try await Spending(of: friend.id, reader)))
    }
    var (openRound, roundBegan) = (Int64(0), record.started)
    for entry in entries {
      if case .toolCalls = entry.entry {
        (openRound, roundBegan) = (entry.id, entry.at)
        // The friends of a round have spent what they needed when the next one begins.
        while let friend = unpaid.first, friend.began < openRound {
          charge(unpaid.removeFirst().spent)
        }
      }
      take(entry)
    }
    for friend in unpaid { charge(friend.spent) }
    // What was answered belongs to calls that are open still: an identity may be a model's own word, and
    // come again.
    let open = Set(round?.calls ?? [])
    var undecided: Set<String> = []
    for context in try await reader.contexts(of: conversation.id) where context.turn == record.id {
      take(context)
    }
    for (friend, began) in phoned where began > openRound {
      guard let question = try await friend.question(reader), open.contains(question.callID)
      else { continue }
      friends[question] = try await friend.answer(reader)
    }
    for approval in try await reader.approvals(of: record.id)
    where approval.asked >= roundBegan && open.contains(approval.callID) {
      // What nobody has decided is asked again.
      guard let answer = approval.answer, answer.by != .coordinator else {
        undecided.insert(approval.callID)
        continue
      }
      approvals[approval.callID] = answer.denial.map { .denied($0) } ?? .approved
    }
    round?.undecided = undecided.subtracting(approvals.keys)
  }

  /// Whether a person had been asked about a call, and had not decided.
  var waitsForPerson: Bool { round?.undecided.isEmpty == false }

  private mutating func charge(_ spent: Spending) {
    budget.charge(rounds: spent.rounds, calls: spent.calls, tokens: spent.tokens)
    figures.addTokens(of: spent.figures)
  }

  /// A summary took a round, and what its request took.
  private mutating func take(_ record: ContextRecord) {
    guard let request = record.request else { return }
    budget.charge(rounds: 1, calls: 0, tokens: request.tokensOut)
    figures += RequestFigures(request)
  }

  private mutating func take(_ record: EntryRecord) {
    if let request = record.request {
      budget.charge(rounds: record.rounds, calls: 0, tokens: request.tokensOut)
      figures += RequestFigures(request)
    }
    hasAnswer = false
    switch record.entry {
    case .toolCalls(let calls):
      let agent = record.agent ?? holderBefore
      let admitted = budget.admitCalls(calls.count)
      let verdict = repetition.judge(calls, by: agent, limit: budget.repeats)
      if verdict.endsLoop { budget.endLoop() }
      round = OpenRound(calls, of: agent, admitted: admitted, repeated: verdict.repeated)
    case .toolOutput(let output):
      repetition.note(output)
      round?.close(output.id)
      if round?.calls.isEmpty == true { round = nil }
    case .response(let response):
      hasAnswer = record.request != nil
      answer = hasAnswer ? response.segments.joinedText : nil
    case .instructions, .prompt, .reasoning: break
    }
  }

  /// The turn as it goes on.
  func turn(
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    finish: @escaping @Sendable (TurnResult) -> Void
  ) -> ActiveTurn {
    var turn = ActiveTurn(
      id: record.id,
      holderBefore: holderBefore,
      deadline: SuspendingClock.now + .seconds(caps.seconds),
      isAttended: isAttended,
      watch: watch,
      finish: finish,
      budget: budget,
      quota: Quota(Budget(caps)),
      history: history,
      // No worker knows anything of it yet.
      unchanged: 0
    )
    turn.isResumed = true
    turn.repetition = repetition
    turn.round = round
    turn.hasAnswer = hasAnswer
    turn.answer = answer
    turn.figures = figures
    // What is known already has tasks that end at once.
    turn.phoned = friends.mapValues { answer in Task { answer } }
    turn.approvals = approvals.mapValues { answer in
      ApprovalQuestion(asking: Task { answer }, answer: answer)
    }
    return turn
  }
}

extension Caps {
  /// The caps as the journal keeps them for another coordinator.
  var journaled: String? {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads what the journal has kept; `nil` when it is none of this version's caps.
  fileprivate init?(journaled text: String) {
    guard let caps = try? JSONDecoder().decode(Caps.self, from: Data(text.utf8)) else { return nil }
    self = caps
  }
}

extension EntryRecord {
  /// How many rounds it took: what a tool's own sessions have used comes with its output, and is none.
  var rounds: Int {
    if case .toolOutput = entry { return 0 }
    return request == nil ? 0 : 1
  }
}

extension RequestFigures {
  init(_ record: RequestRecord) {
    self.init()
    tokensIn = record.tokensIn
    tokensCached = record.tokensCached
    tokensOut = record.tokensOut
    secondsToFirstToken = record.secondsToFirstToken
    seconds = record.seconds
  }
}

extension Transcript.Entry {
  fileprivate var promptText: String? {
    if case .prompt(let prompt) = self { prompt.segments.joinedText } else { nil }
  }
}

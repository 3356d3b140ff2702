import AgentKit
import Foundation
import Journal
import Wire

/// One conversation: its transcript, who holds the baton, and the workers at its table.
///
/// Everything that a worker says comes here, one message after the other. A message is decided on at
/// once; what takes long goes on elsewhere and comes back as another message.
package actor Conversation {
  let record: ConversationRecord
  let services: Services
  /// What the conversation is called where a person sees it.
  nonisolated let title: String
  var history: [Transcript.Entry]
  var holder: String
  var seats: [String: Seat] = [:]
  var turn: ActiveTurn?
  /// Who watched the last turn.
  var lastWatch: (@Sendable (TurnEvent) -> Void)?
  private var queue = TurnQueue()

  /// What every conversation uses.
  struct Services: Sendable {
    let journal: Journal
    let workers: any Workers
    let catalog: any AgentCatalog
  }

  init(
    _ record: ConversationRecord,
    title: String,
    history: [Transcript.Entry],
    services: Services
  ) {
    self.record = record
    self.title = title
    self.history = history
    self.services = services
    holder = record.holder
  }

  var isFriend: Bool { record.parent != nil }

  /// Answers a prompt, after those that came before it.
  /// - Throws: `ConversationError` when the prompt is not accepted. Once it is accepted, whatever
  ///   happens is told by the summary.
  package func respond(
    to prompt: String,
    caps: Caps,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary {
    try await respond(to: prompt, budget: Budget(caps), seconds: caps.seconds, watch: watch).summary
  }

  func respond(
    to prompt: String,
    budget: Budget,
    seconds: Int,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnResult {
    guard await enterQueue() else { throw ConversationError.tooManyWaiting(TurnQueue.maximum) }
    defer { leaveQueue() }
    let entry = Transcript.Entry.prompt(.init(segments: [.text(.init(content: prompt))]))
    let (record, _) = try await services.journal.beginTurn(in: record.id, prompt: entry)
    watch(.accepted(turn: record.id, conversation: title))
    lastWatch = watch
    let timer = startTimer(for: record.id, seconds: seconds)
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        turn = ActiveTurn(
          id: record.id,
          holderBefore: holder,
          deadline: Date(timeIntervalSinceNow: Double(seconds)),
          watch: watch,
          finish: { continuation.resume(returning: $0) },
          budget: budget
        )
        turn?.entries = [entry]
        // The message to the worker needs this actor, which this continuation occupies.
        Task { await self.giveTurnToHolder() }
      }
    } onCancel: {
      // Cancellation comes on any thread; the actor decides what it means.
      Task { await self.stop(turn: record.id, because: .cancelled) }
    }
  }

  /// Stops the turn that is under way.
  package func cancel() {
    if let turn { stop(turn: turn.id, because: .cancelled) }
  }

  private func startTimer(for turn: Int64, seconds: Int) -> Task<Void, Never> {
    // It ends with the turn, which cancels it, or ends the turn.
    Task {
      try? await Task.sleep(for: .seconds(seconds))
      if !Task.isCancelled { self.stop(turn: turn, because: .cap("seconds")) }
    }
  }

  // MARK: The queue

  private func enterQueue() async -> Bool {
    switch queue.enter() {
    case .first: return true
    case .full: return false
    case .waits(let ticket):
      await withCheckedContinuation { queue.wait(ticket, $0) }
      return true
    }
  }

  private func leaveQueue() {
    queue.leave()?.resume()
  }

  /// Ends all workers of the conversation.
  func close() async {
    if let turn { stop(turn: turn.id, because: .cancelled) }
    let links = seats.values.map(\.link)
    await withTaskGroup(of: Void.self) { group in
      for link in links { group.addTask { await link.retire() } }
    }
  }
}

/// Why a prompt was not accepted.
package enum ConversationError: Error, Sendable, Equatable {
  case tooManyWaiting(Int)
  case noAgents
}

extension ConversationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooManyWaiting(let count):
      "\(count) prompts wait for this conversation already. Try again when one has been answered."
    case .noAgents: "There is no agent that could begin a conversation."
    }
  }
}

/// The prompts that wait for the one before them.
struct TurnQueue {
  static let maximum = 16

  enum Place {
    case first
    case waits(Int)
    case full
  }

  private var isBusy = false
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>?)] = []

  mutating func enter() -> Place {
    guard isBusy else {
      isBusy = true
      return .first
    }
    guard waiting.count < Self.maximum else { return .full }
    lastTicket += 1
    waiting.append((lastTicket, nil))
    return .waits(lastTicket)
  }

  mutating func wait(_ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      continuation.resume()
      return
    }
    waiting[index].continuation = continuation
  }

  /// Returns who comes next, if anybody waits.
  mutating func leave() -> CheckedContinuation<Void, Never>? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().continuation
  }
}

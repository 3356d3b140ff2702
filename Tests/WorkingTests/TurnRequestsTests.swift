import AgentKit
import Testing
import Wire

@testable import Working

@Suite(.timeLimit(.minutes(5))) struct `A request to the coordinator` {
  private let sent: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation
  private let requests: TurnRequests

  init() {
    let (sent, continuation) = AsyncStream<Int>.makeStream()
    (self.sent, self.continuation) = (sent, continuation)
    requests = TurnRequests(turn: 1) { continuation.yieldID(of: $0) }
  }

  /// Phones a friend, and returns when the request was sent.
  private func phone(_ requests: TurnRequests? = nil) async throws -> Phoning {
    let requests = requests ?? self.requests
    let task = Task { try await requests.ask(Self.phone).text }
    for await id in sent { return Phoning(id: id, answer: task) }
    throw CancellationError()
  }

  private struct Phoning {
    let id: Int
    let answer: Task<String?, any Error>
  }

  private static let phone = HostRequest.phone(callID: "c", agent: "title", prompt: "p")

  @Test func `has its own reply, whichever comes first`() async throws {
    let first = try await phone()
    let second = try await phone()
    requests.receive(.friend(.answered("The Crane")), to: second.id)
    requests.receive(.friend(.answered("The Boat")), to: first.id)
    #expect(try await first.answer.value == "The Boat")
    #expect(try await second.answer.value == "The Crane")
  }

  @Test func `fails by a reply to another kind of request`() async throws {
    let phoning = try await phone()
    requests.receive(.approval(.approved), to: phoning.id)
    await #expect(throws: WireBreach.self) { try await phoning.answer.value }
  }

  @Test func `takes no reply that follows the cancellation of its turn`() async throws {
    let phoning = try await phone()
    requests.cancel(cap: "seconds")
    requests.receive(.friend(.answered("The Boat")), to: phoning.id)
    requests.end()
    await #expect(throws: CancellationError.self) { try await phoning.answer.value }
    #expect(requests.cap == "seconds")
  }

  @Test(arguments: [false, true])
  func `is not sent once its turn is cancelled or over`(isCancelled: Bool) async throws {
    if isCancelled { requests.cancel(cap: nil) } else { requests.end() }
    await #expect(throws: CancellationError.self) { try await requests.ask(Self.phone) }
    continuation.finish()
    #expect(await sent.first { _ in true } == nil)
  }

  @Test func `takes no reply to one of an earlier turn, which has ended`() async throws {
    let earlier = try await phone()
    requests.end()
    // The baton has come back, so the turn's number is the same.
    let later = TurnRequests(turn: 1, after: requests) { continuation.yieldID(of: $0) }
    let phoning = try await phone(later)
    #expect(phoning.id > earlier.id)
    later.receive(.friend(.answered("The Boat")), to: earlier.id)
    later.receive(.friend(.answered("The Crane")), to: phoning.id)
    #expect(try await phoning.answer.value == "The Crane")
    await #expect(throws: CancellationError.self) { try await earlier.answer.value }
  }

  @Test func `for approval is refused while a person is asked about a call with the same id`()
    async throws
  {
    let host = CoordinatorHost(
      TurnOrder(turn: 1, kept: 0, added: []),
      since: .now,
      session: LanguageModelSession(model: ScriptedLanguageModel()),
      history: [],
      properties: [:],
      outbox: Outbox(output: -1),
      requests: requests,
      resources: ResourceWatch()
    )
    let call = Transcript.ToolCall(
      id: "c",
      toolName: "t",
      arguments: GeneratedContent(properties: [:])
    )
    for decision in [Approval.approved, .denied("no")] {
      let first = Task { try await host.approve(call) }
      guard let id = await sent.first(where: { _ in true }) else { return }
      await #expect(throws: ApprovalInProgress.self) { try await host.approve(call) }
      requests.receive(.approval(decision), to: id)
      #expect(try await first.value == decision)
    }
  }
}

extension AsyncStream<Int>.Continuation {
  fileprivate func yieldID(of message: FromWorker) {
    if case .request(let id, _, _) = message { yield(id) }
  }
}

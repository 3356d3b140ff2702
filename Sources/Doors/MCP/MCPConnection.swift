package import MCP
import Synchronization

/// One client of the agents: on a pipe for as long as that is open, over HTTP for its session or for
/// one request.
package final class MCPConnection: Sendable {
  /// What becomes of a message.
  package enum Reception: Sendable {
    /// It is answered at once.
    case answer(JSONRPCMessage)
    /// It is being answered: notifications, questions, and the response last.
    ///
    /// When this is no longer read, the request is cancelled.
    case exchange(AsyncStream<JSONRPCMessage>)
    /// It has no answer.
    case accepted
  }

  private struct State {
    var session: ServerSession
    var requests: [ServerSession.Running: Task<Void, Never>] = [:]
    /// The questions that wait for the client's answer.
    var questions: [Int: CheckedContinuation<ElicitationAnswer, Never>] = [:]
    var isClosed = false
  }

  private let server: AgentServer
  private let state = Mutex(State(session: ServerSession(AgentServer.identity)))

  package init(_ server: AgentServer) { self.server = server }

  /// Handles a message.
  /// - Parameter headers: Those of its HTTP request; `nil` on a pipe.
  package func receive(
    _ message: JSONRPCMessage,
    headers: MirroredHeaders? = nil
  ) -> Reception {
    let (reception, answered) = state.withLock { state -> (Reception, (() -> Void)?) in
      switch state.session.receive(message, headers: headers) {
      case .send(let answer): return (.answer(answer), nil)
      case .perform(let running, let request, let context):
        return (.exchange(begin(running, request, context, &state)), nil)
      case .cancel(let running):
        state.requests.removeValue(forKey: running)?.cancel()
        return (.accepted, nil)
      case .answered(let question, let answer):
        let waiter = state.questions.removeValue(forKey: question)
        return (.accepted, { waiter?.resume(returning: answer) })
      case .nothing: return (.accepted, nil)
      }
    }
    // Outside the lock, which what goes on may take.
    answered?()
    return reception
  }

  /// Cancels everything that the client has begun.
  package func close() {
    let requests = state.withLock { state in
      state.isClosed = true
      defer { state.requests = [:] }
      return Array(state.requests.values)
    }
    for request in requests { request.cancel() }
  }

  private func begin(
    _ running: ServerSession.Running,
    _ request: ServerRequest,
    _ context: ServerSession.RequestContext,
    _ state: inout State
  ) -> AsyncStream<JSONRPCMessage> {
    let (messages, continuation) = AsyncStream<JSONRPCMessage>.makeStream()
    let channel = RequestChannel(
      context: context,
      report: { words in
        let report = self.state.withLock { $0.session.report(words, of: running) }
        if let report { continuation.yield(report) }
      },
      notify: { method, parameters in
        let change = self.state.withLock { $0.session.notify(method, parameters, of: running) }
        if let change { continuation.yield(change) }
      },
      ask: { await self.ask($0, for: running, continuation) }
    )
    // Unstructured: ends with the exchange, whichever side ends that.
    let task = Task { [server] in
      let result = await server.answer(request, channel)
      let answer = self.state.withLock { state in
        state.requests[running] = nil
        let answer = state.session.finish(running, with: result)
        // Its client no longer waits for it, and may take an answer badly.
        return Task.isCancelled ? nil : answer
      }
      if let answer { continuation.yield(answer) }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    state.requests[running] = task
    if state.isClosed { task.cancel() }
    return messages
  }

  /// Asks a person through the client, on the exchange of the request that it is about.
  private func ask(
    _ form: Elicitation,
    for running: ServerSession.Running,
    _ exchange: AsyncStream<JSONRPCMessage>.Continuation
  ) async -> ElicitationAnswer {
    guard let (question, message) = state.withLock({ $0.session.ask(form, for: running) }) else {
      return .cancelled
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isOpen = state.withLock { state in
          guard state.session.isOpen(question: question) else { return false }
          state.questions[question] = waiter
          return true
        }
        guard isOpen else { return waiter.resume(returning: .cancelled) }
        exchange.yield(message)
      }
    } onCancel: {
      let (withdrawal, waiter) = state.withLock { state in
        (
          state.session.withdraw(question: question),
          state.questions.removeValue(forKey: question)
        )
      }
      // A client that was not asked yet has nothing to forget.
      if let withdrawal, waiter != nil { exchange.yield(withdrawal) }
      waiter?.resume(returning: .cancelled)
    }
  }
}

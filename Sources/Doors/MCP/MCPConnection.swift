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
        self.send(on: continuation) { $0.report(words, of: running) }
      },
      notify: { method, parameters in
        self.send(on: continuation) { $0.notify(method, parameters, of: running) }
      },
      ask: { await self.ask($0, for: running, continuation) }
    )
    // Unstructured: ends with the exchange, whichever side ends that.
    let task = Task { [server] in
      let result = await server.answer(request, channel)
      self.state.withLock { $0.requests[running] = nil }
      self.send(on: continuation) { session in
        let answer = session.finish(running, with: result)
        // A client that no longer waits for an answer may take it badly.
        return Task.isCancelled ? nil : answer
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    state.requests[running] = task
    if state.isClosed { task.cancel() }
    return messages
  }

  /// Sends a message of a request, if there is one.
  ///
  /// Under the lock, so that messages are sent in the order in which the session made them.
  private func send(
    on exchange: AsyncStream<JSONRPCMessage>.Continuation,
    _ make: (inout ServerSession) -> JSONRPCMessage?
  ) {
    state.withLock { state in
      if let message = make(&state.session) { exchange.yield(message) }
    }
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
          exchange.yield(message)
          return true
        }
        if !isOpen { waiter.resume(returning: .cancelled) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let withdrawal = state.session.withdraw(question: question)
        let waiter = state.questions.removeValue(forKey: question)
        // A client that was not asked yet has nothing to forget.
        if let withdrawal, waiter != nil { exchange.yield(withdrawal) }
        return waiter
      }
      waiter?.resume(returning: .cancelled)
    }
  }
}

import Journal
import Synchronization
import Transcripts

/// The requests of a turn to MCP servers that have no answer yet, and the forms of those servers.
final class ServerRequests: Sendable {
  private struct State {
    var tasks: [PendingRequest: Task<Void, Never>] = [:]
    var lastForm = 0
    var forms: [Int: CheckedContinuation<FormAnswer, Never>] = [:]
  }

  private let state = Mutex(State())
  private let report: @Sendable (Input) async -> Void

  /// - Parameter report: Has the turn handle what its servers say.
  init(report: @escaping @Sendable (Input) async -> Void) { self.report = report }

  /// Asks a server while the turn goes on.
  func ask(
    _ servers: any MCPServers,
    _ call: MCPCall,
    session: String,
    isApproved: Bool,
    traceparent: String?
  ) {
    let caller = MCPCaller(traceparent: traceparent) { progress in
      // A server does not wait until its progress is shown.
      Task {
        guard self.isOpen(call) else { return }
        await self.report(.serverProgressed(call, progress))
      }
    } ask: { form in
      await self.ask(form, for: call)
    }
    state.withLock { state in
      // Unstructured: it ends with the answer, or soon after the turn no longer wants one.
      state.tasks[call.pending] = Task {
        let reply = await servers.answer(
          call.request,
          session: session,
          window: call.window,
          isApproved: isApproved,
          caller: caller
        )
        close(call)
        await report(.serverAnswered(call, reply))
      }
    }
  }

  private func isOpen(_ call: MCPCall) -> Bool {
    state.withLock { $0.tasks[call.pending] != nil }
  }

  private func close(_ call: MCPCall) { state.withLock { $0.tasks[call.pending] = nil } }

  /// Has a person answer what the server of a call wants to know.
  private func ask(_ content: ApprovalForm, for call: MCPCall) async -> FormAnswer {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state -> Int? in
        guard state.tasks[call.pending]?.isCancelled == false else { return nil }
        state.lastForm += 1
        state.forms[state.lastForm] = continuation
        return state.lastForm
      }
      guard let number else { return continuation.resume(returning: .cancelled) }
      // A continuation is made without waiting, and the turn may be busy.
      Task { await report(.serverAsked(FormCall(call: call, number: number), content)) }
    }
  }

  func answer(_ form: FormCall, _ answer: FormAnswer) {
    state.withLock { $0.forms.removeValue(forKey: form.number) }?.resume(returning: answer)
  }

  /// Ends the requests, and answers the forms.
  func cancel() {
    let forms = state.withLock { state in
      for task in state.tasks.values { task.cancel() }
      defer { state.forms = [:] }
      return state.forms.values
    }
    for form in forms { form.resume(returning: .cancelled) }
  }
}

import Llama
import Wire

/// The core that a template computes on before it serves.
///
/// It is asked for by blocking, because a template has one thread. While it computes, the template
/// hears what the coordinator says, and gives way to whoever waits.
final class WarmingCore: @unchecked Sendable {
  // Unchecked because nothing but the template's one thread ever touches it.
  private(set) var inbox: Inbox
  private let outbox: Outbox
  private let hello: Hello
  private var request = 0
  private var calledBack = 0

  init(_ hello: Hello, inbox: Inbox, outbox: Outbox) {
    self.hello = hello
    self.inbox = inbox
    self.outbox = outbox
  }

  /// Computes on a core; what is broken off because somebody waits is done again on the next one.
  func compute(_ body: (CancelFlag) throws -> Void) rethrows {
    guard hello.sharesCores else { return try body(CancelFlag()) }
    while true {
      request += 1
      outbox.send(.wantsCore(request))
      while hear(blocking: true) != .core(request) {}
      defer { outbox.send(.returnsCore) }
      let cancel = CancelFlag { self.isCalledBack }
      do {
        return try body(cancel)
      } catch LlamaError.cancelled {
        Log.write("somebody waits for the core: the rest is computed later")
        continue
      }
    }
  }

  private var isCalledBack: Bool {
    while hear(blocking: false) != nil {}
    return calledBack >= request
  }

  /// Takes the next message; `nil` when none has come.
  private func hear(blocking: Bool) -> ToWorker? {
    do throws(WireBreach) {
      if !blocking, !(try inbox.hasNews()) { return nil }
      guard let message = try inbox.next() else { WorkerProcess.leave(code: 0) }
      switch message {
      case .core: break
      case .yieldCore(let request): calledBack = request
      case .ping(let number): outbox.send(.pong(number))
      case .shutdown:
        outbox.send(.farewell(Farewell(run: hello.run, status: .done)))
        WorkerProcess.leave(code: 0)
      default: WorkerProcess.breach("a message that is not for a template")
      }
      return message
    } catch {
      WorkerProcess.breach(error.description)
    }
  }
}

import Llama
import Wire

/// The cores that a template computes on before it serves.
///
/// They are asked for by blocking, because a template has one thread. While it computes, the template
/// hears what the coordinator says, and gives way to whoever waits.
final class WarmingCores: @unchecked Sendable {
  // Unchecked because nothing but the template's one thread ever touches it.
  private(set) var inbox: Inbox
  private let outbox: Outbox
  private let hello: Hello
  private var request = 0
  /// The last answer to the last question, and the number of the one that is followed.
  private var grant = CoreGrant(request: 0, number: 0, count: 1)
  private var adopted = 0
  private var calledBack = 0

  init(_ hello: Hello, inbox: Inbox, outbox: Outbox) {
    self.hello = hello
    self.inbox = inbox
    self.outbox = outbox
  }

  /// As many as the coordinator said last; it hears that they are not exceeded any more.
  var count: Int {
    while hear(blocking: false) != nil {}
    if grant.number != adopted {
      adopted = grant.number
      outbox.send(.adopted(grant: adopted))
    }
    return grant.count
  }

  /// Computes when it may; what is broken off because somebody waits is done again the next time.
  func compute(_ body: (CancelFlag) throws -> Void) rethrows {
    guard hello.sharesCores else { return try body(CancelFlag()) }
    while true {
      request += 1
      outbox.send(.wantsCores(request))
      repeat { _ = hear(blocking: true) } while grant.request != request
      adopted = grant.number
      defer { outbox.send(.returnsCores) }
      let cancel = CancelFlag { self.isCalledBack }
      do {
        return try body(cancel)
      } catch LlamaError.cancelled {
        Log.write("another process waits for a core: the rest is computed later")
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
      case .cores(let grant):
        if grant.request == request, grant.isLatest(after: self.grant) { self.grant = grant }
      case .yieldCores(let request): calledBack = request
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

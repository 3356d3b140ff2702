import Llama
import Wire

/// The cores that a template computes on before it serves.
///
/// It blocks to ask for them, because a template has one thread. While it computes, the template
/// listens to the coordinator and gives way to processes that a turn waits for.
final class TemplateCoreLease: @unchecked Sendable {
  // Unchecked because only the template's one thread ever touches it.
  private(set) var inbox: Inbox
  private let outbox: Outbox
  private let configuration: WorkerConfiguration
  private var request = 0
  /// The latest answer to the latest request, and the number of the adopted one.
  private var grant = CoreGrant(request: 0, number: 0, count: 1)
  private var adopted = 0
  private var calledBack = 0

  init(_ configuration: WorkerConfiguration, inbox: Inbox, outbox: Outbox) {
    self.configuration = configuration
    self.inbox = inbox
    self.outbox = outbox
  }

  /// The number of cores granted last; reading it reports the grant as adopted.
  var count: Int {
    while hear(blocking: false) != nil {}
    if grant.number != adopted {
      adopted = grant.number
      outbox.send(.adopted(grant: adopted))
    }
    return grant.count
  }

  /// Computes when allowed; a computation interrupted for a process that a turn waits for is
  /// started again.
  func compute(_ body: (CancelFlag) throws -> Void) rethrows {
    guard configuration.sharesCores else { return try body(CancelFlag()) }
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

  /// Handles the next message; returns `nil` when none has come.
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
        outbox.send(.farewell(.done))
        WorkerProcess.leave(code: 0)
      default: WorkerProcess.breach("a message that is not for a template")
      }
      return message
    } catch {
      WorkerProcess.breach(error.description)
    }
  }
}

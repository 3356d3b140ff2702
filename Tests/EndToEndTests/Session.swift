import Foundation
import Supervision
import Synchronization

/// A running command whose output is collected and can be awaited, with a time limit.
final class Session: Sendable {
  private struct State {
    var output = ""
    var errors = ""
    var status: Int32?
    var waiters: [@Sendable () -> Void] = []
  }

  /// Longer than anything here takes; a test that waits this long has failed.
  private static let patience = Duration.seconds(240)

  private let patience: Duration

  let pid: Int32
  private let eventLoop: ChildEventLoop
  private let state: SharedState

  private final class SharedState: Sendable {
    let value = Mutex(State())
  }

  init(_ launch: Launch, eventLoop: ChildEventLoop, patience: Duration = Session.patience)
    async throws
  {
    self.patience = patience
    let state = SharedState()
    self.state = state
    self.eventLoop = eventLoop
    pid = try await eventLoop.launch(launch) { event in
      Self.change(state) { value in
        switch event {
        case .output(let bytes): value.output += String(decoding: bytes, as: UTF8.self)
        case .error(let bytes): value.errors += String(decoding: bytes, as: UTF8.self)
        case .outputClosed: break
        case .exited(.code(let code)): value.status = code
        case .exited(.signal(let signal)): value.status = 1000 + signal
        }
      }
      return .goOn
    }
  }

  deinit {
    // A test that failed halfway must leave nothing running.
    eventLoop.signal(SIGKILL, to: pid)
  }

  func type(_ text: String) { eventLoop.write(Array(text.utf8), to: pid) }

  func closeInput() { eventLoop.closeInput(of: pid) }

  func signal(_ number: Int32) { kill(pid, number) }

  /// The text printed to standard output so far.
  var output: String { state.value.withLock { $0.output } }

  /// The text printed to standard error so far.
  var errors: String { state.value.withLock { $0.errors } }

  /// Waits until standard output satisfies a condition and returns whether it did.
  func waitForOutput(_ isEnough: @escaping @Sendable (String) -> Bool) async -> Bool {
    await wait { isEnough($0.output) }
  }

  /// Waits until standard error satisfies a condition and returns whether it did.
  func waitForErrors(_ isEnough: @escaping @Sendable (String) -> Bool) async -> Bool {
    await wait { isEnough($0.errors) }
  }

  /// Waits for the end of the command.
  func end() async -> Product.Outcome {
    _ = await wait { $0.status != nil }
    return state.value.withLock {
      Product.Outcome(status: $0.status ?? -1, output: $0.output, errors: $0.errors)
    }
  }

  /// Sends a signal, and waits for the end of the command.
  @discardableResult
  func end(by number: Int32) async -> Product.Outcome {
    signal(number)
    return await end()
  }

  private func wait(for condition: @escaping @Sendable (borrowing State) -> Bool) async -> Bool {
    let state = state
    return await withCheckedContinuation { continuation in
      let once = Once { continuation.resume(returning: $0) }
      state.value.withLock { value in
        value.waiters.append {
          let (isMet, isOver) = state.value.withLock { (condition($0), $0.status != nil) }
          if isMet || isOver { once.run(isMet) }
        }
      }
      Self.change(state) { _ in }
      // Ends the wait when patience runs out.
      Task {
        try? await Task.sleep(for: patience)
        once.run(false)
      }
    }
  }

  private static func change(_ state: SharedState, _ change: (inout State) -> Void) {
    let waiters = state.value.withLock { value in
      change(&value)
      return value.waiters
    }
    for waiter in waiters { waiter() }
  }
}

/// Runs an action only the first time it is called.
private final class Once: Sendable {
  private let action: Mutex<(@Sendable (Bool) -> Void)?>

  init(_ action: @escaping @Sendable (Bool) -> Void) {
    self.action = Mutex(action)
  }

  func run(_ value: Bool) {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?(value)
  }
}

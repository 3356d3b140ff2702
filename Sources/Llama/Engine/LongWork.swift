import Synchronization

/// Work of this process that can take long, and who is told how far it has come.
package enum LongWork {
  package enum Stage: Sendable {
    /// A model is loaded; counted in bytes.
    case loading
    /// A prompt is computed; counted in tokens.
    case prefill
  }

  /// How far it has come.
  package struct Step: Sendable, Equatable {
    package let stage: Stage
    package let done: Int
    package let total: Int
    /// How much was done when it began.
    package let first: Int
    package let seconds: Double
  }

  private static let observer = Mutex<(@Sendable (Step?) -> Void)?>(nil)

  /// Sets what is told of the steps of long work, and `nil` at its end; of short work it hears
  /// nothing.
  package static func observe(_ tell: (@Sendable (Step?) -> Void)?) {
    observer.withLock { $0 = tell }
  }

  static func tell(_ step: Step?) { observer.withLock { $0 }?(step) }
}

/// Measures one piece of work, and tells of it now and then if it takes long.
final class WorkMeter {
  /// How long it takes until the first word, and from one to the next.
  private let interval: Duration
  private let stage: LongWork.Stage
  private let first: Int
  private let total: Int
  private let start = ContinuousClock.now
  private var told = ContinuousClock.now
  private var hasTold = false

  init(
    _ stage: LongWork.Stage,
    from first: Int = 0,
    of total: Int,
    interval: Duration = .milliseconds(500)
  ) {
    (self.stage, self.first, self.total, self.interval) = (stage, first, total, interval)
  }

  func reach(_ done: Int) {
    let now = ContinuousClock.now
    guard now - told >= interval else { return }
    (told, hasTold) = (now, true)
    LongWork.tell(
      LongWork.Step(
        stage: stage,
        done: done,
        total: total,
        first: first,
        seconds: (now - start) / .seconds(1)
      )
    )
  }

  func reach(part: Double) { reach(Int(part * Double(total))) }

  func end() { if hasTold { LongWork.tell(nil) } }
}

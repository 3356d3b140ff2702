/// How a worker is ended: a series of steps, each with some time before the next.
package struct Ladder: Sendable, Equatable {
  package enum Step: Sendable, Equatable {
    /// Ask it to end when its current work is done.
    case shutdown
    /// Close its lifeline.
    case closeInput
    /// Send SIGTERM to its process group.
    case terminate
    /// Send SIGKILL to its process group.
    case kill
  }

  package struct Rung: Sendable, Equatable {
    package var step: Step
    package var timeout: Duration
  }

  package var rungs: [Rung]

  /// Ends a worker that is no longer needed.
  package static let retire = Ladder(rungs: [
    Rung(step: .shutdown, timeout: .seconds(5)),
    Rung(step: .closeInput, timeout: .seconds(2)),
    Rung(step: .terminate, timeout: .seconds(3)),
    Rung(step: .kill, timeout: .seconds(1)),
  ])

  /// Ends a worker whose coordinator is leaving.
  package static let leave = Ladder(rungs: [
    Rung(step: .shutdown, timeout: .milliseconds(300)),
    Rung(step: .closeInput, timeout: .milliseconds(500)),
    Rung(step: .kill, timeout: .seconds(1)),
  ])

  /// Ends a worker that cannot be talked to.
  package static let kill = Ladder(rungs: [Rung(step: .kill, timeout: .seconds(1))])
}

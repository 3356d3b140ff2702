/// How a worker is ended: steps, each of which is given some time before the next.
package struct Ladder: Sendable, Equatable {
  package enum Step: Sendable, Equatable {
    /// It is told to end when the work in hand is done.
    case shutdown
    /// Its lifeline is closed.
    case closeInput
    /// SIGTERM to its process group.
    case terminate
    /// SIGKILL to its process group.
    case kill
  }

  package struct Rung: Sendable, Equatable {
    package var step: Step
    package var patience: Duration
  }

  package var rungs: [Rung]

  /// For a worker that is not needed any more.
  package static let retire = Ladder(rungs: [
    Rung(step: .shutdown, patience: .seconds(5)),
    Rung(step: .closeInput, patience: .seconds(2)),
    Rung(step: .terminate, patience: .seconds(3)),
    Rung(step: .kill, patience: .seconds(1)),
  ])

  /// For a worker whose coordinator is leaving.
  package static let leave = Ladder(rungs: [
    Rung(step: .shutdown, patience: .milliseconds(300)),
    Rung(step: .closeInput, patience: .milliseconds(500)),
    Rung(step: .kill, patience: .seconds(1)),
  ])

  /// For a worker that cannot be talked to.
  package static let kill = Ladder(rungs: [Rung(step: .kill, patience: .seconds(1))])
}

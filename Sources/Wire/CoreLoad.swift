/// A process that waits for a core.
package struct CoreWait: Sendable, Equatable {
  package var run: RunID
  /// The place in the queue; one for the next to be served.
  package var place: Int
  package var cores: Int

  package init(run: RunID, place: Int, cores: Int) {
    self.run = run
    self.place = place
    self.cores = cores
  }
}

/// How busy the cores are.
package struct CoreLoad: Sendable, Equatable, Codable {
  package var cores: Int
  package var busy: Int
  package var waiting: Int

  package init(cores: Int, busy: Int, waiting: Int) {
    self.cores = cores
    self.busy = busy
    self.waiting = waiting
  }
}

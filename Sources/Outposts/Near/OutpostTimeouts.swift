/// How long to wait for an outpost.
package struct OutpostTimeouts: Sendable {
  /// How long its launcher may take until it greets; an engine's queue does not count.
  package var greeting: Duration
  /// How often an outpost says that it is there.
  package var heartbeat: Duration
  /// How long it may be silent before it gets no further worker.
  package var suspect: Duration
  /// How long it may be silent before it is given up.
  package var lost: Duration
  /// How long it lives on without an answer from here, and its workers with it.
  package var lease: Duration
  /// How much longer than the lease to wait before what its workers did may be done again.
  package var margin: Duration
  /// How long it may take to answer whether a worker was launched, also while memory is short.
  package var launch: Duration
  /// How long a launch waits for the prefix of its agent to be sent, which goes on for later ones.
  package var prefix: Duration
  /// How long the end of an outpost is waited for, with that of its launcher and of the command that
  /// cleans up after it.
  package var cleanUp: Duration

  /// How long after its last answer from here no worker of an outpost lives any more.
  package var leaseWithMargin: Duration { lease + margin }

  package init(
    greeting: Duration = .seconds(20),
    heartbeat: Duration = .seconds(2),
    suspect: Duration = .seconds(10),
    lost: Duration = .seconds(20),
    lease: Duration = .seconds(30),
    margin: Duration = .seconds(5),
    launch: Duration = .seconds(180),
    prefix: Duration = .seconds(10),
    cleanUp: Duration = .seconds(15)
  ) {
    self.greeting = greeting
    self.heartbeat = heartbeat
    self.suspect = suspect
    self.lost = lost
    self.lease = lease
    self.margin = margin
    self.launch = launch
    self.prefix = prefix
    self.cleanUp = cleanUp
  }
}

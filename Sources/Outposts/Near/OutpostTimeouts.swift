/// How long to wait for an outpost.
package struct OutpostTimeouts: Sendable {
  package static let standard = OutpostTimeouts()

  /// How long its launcher may take until it greets; an engine's queue does not count.
  var greeting = Duration.seconds(20)
  /// How often an outpost says that it is there.
  var heartbeat = Duration.seconds(2)
  /// How long it may be silent before it gets no further worker.
  var suspect = Duration.seconds(10)
  /// How long it may be silent before it is given up.
  var lost = Duration.seconds(20)
  /// How long it lives on without an answer from here, and its workers with it.
  var lease = Duration.seconds(30)
  /// How much longer than the lease to wait before what its workers did may be done again.
  var margin = Duration.seconds(5)
  /// How long it may take to answer whether a worker was launched, also while memory is short.
  var launch = Duration.seconds(180)
  /// How long a launch waits for the prefix of its agent to be sent, which goes on for later ones.
  var prefix = Duration.seconds(10)
  /// How long the end of an outpost is waited for, with that of its launcher and of the command that
  /// cleans up after it.
  var cleanUp = Duration.seconds(15)

  /// How long after its last answer from here no worker of an outpost lives any more.
  package var leaseWithMargin: Duration { lease + margin }
}

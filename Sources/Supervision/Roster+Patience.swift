extension Roster {
  /// How long workers are waited for.
  package struct Patience: Sendable {
    /// How long a worker may take to load its plugin and its model.
    package var load: Duration
    /// How long a worker may be silent while it is asked every few seconds whether it is there.
    package var silence: Duration
    /// How often it is asked.
    package var heartbeat: Duration
    /// How long a template may take to fork itself, and the fork to greet.
    package var fork: Duration
    /// How long a worker that has been asked waits for the next question, before it ends by itself.
    package var coordinator: Duration

    package init(
      load: Duration = .seconds(120),
      silence: Duration = .seconds(20),
      heartbeat: Duration = .seconds(2),
      fork: Duration = .seconds(10),
      coordinator: Duration = .seconds(60)
    ) {
      self.load = load
      self.silence = silence
      self.heartbeat = heartbeat
      self.fork = fork
      self.coordinator = coordinator
    }
  }
}

import Wire

extension Roster {
  /// How long workers are waited for.
  package struct Patience: Sendable {
    /// How long a worker may take to load its plugin and its model, beside the time in which a slow
    /// disk reads the files of that.
    package var load: Duration
    /// How long a worker may be silent while it is asked every few seconds whether it is there.
    package var silence: Duration
    /// How often it is asked.
    package var heartbeat: Duration
    /// How long a template may take to fork itself, and the fork to greet.
    package var fork: Duration
    /// How long a worker that has been asked waits for the next question, before it ends by itself.
    package var coordinator: Duration
    /// How long a template that nobody uses is kept, and a spare of an agent that nobody asks.
    package var idle: Duration

    package init(
      load: Duration = .seconds(120),
      silence: Duration = .seconds(20),
      heartbeat: Duration = .seconds(2),
      fork: Duration = .seconds(10),
      coordinator: Duration = .seconds(60),
      idle: Duration = .seconds(600)
    ) {
      self.load = load
      self.silence = silence
      self.heartbeat = heartbeat
      self.fork = fork
      self.coordinator = coordinator
      self.idle = idle
    }
  }
}

extension Roster.Patience {
  /// Bytes that a slow disk, or one at the other end of a network, reads in a second.
  private static let bytesPerSecond = 50_000_000
  private static let modelSuffix = ".gguf"

  /// How much longer a worker may take to load because of the size of what it reads before it is
  /// ready.
  /// - Parameter isModelLoaded: Whether it is forked from a process that has the hello's model.
  static func growth(for hello: Hello, isModelLoaded: Bool) -> Duration {
    var files: [String] = []
    if !isModelLoaded, let model = hello.model {
      files = ModelParts.of(model) + (hello.projector.map { [$0] } ?? [])
    }
    // An agent may begin with a model of its own; which it is of all in a folder nobody knows here.
    if hello.role == .worker, let paths = hello.confinement?.readablePaths {
      files += paths.filter { $0.hasSuffix(modelSuffix) }
    }
    return .seconds(ModelFootprint.size(of: files) / bytesPerSecond)
  }
}

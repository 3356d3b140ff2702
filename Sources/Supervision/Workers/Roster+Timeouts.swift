import Wire

extension Roster {
  /// How long to wait for workers.
  package struct Timeouts: Sendable {
    /// How long a worker may take to load its plugin and model, in addition to the time a slow disk
    /// needs to read their files.
    package var load: Duration
    /// How long a worker may be silent while it is pinged.
    package var silence: Duration
    /// How often it is pinged.
    package var heartbeat: Duration
    /// How long a template may take to fork itself, and the fork to greet.
    package var fork: Duration
    /// How long a worker that has been pinged waits for the next ping before it ends by itself.
    package var coordinator: Duration
    /// How long to keep an unused template, and a spare whose agent is not asked.
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

extension Roster.Timeouts {
  /// The bytes per second read from a slow disk, or from one across a network.
  private static let bytesPerSecond = 50_000_000
  private static let modelSuffix = ".gguf"

  /// Returns how much longer a worker may take to load because of the size of what it reads.
  ///
  /// - Parameter isModelLoaded: Whether it is forked from a process that already has the model.
  static func growth(for configuration: WorkerConfiguration, isModelLoaded: Bool) -> Duration {
    var files: [String] = []
    if !isModelLoaded, let model = configuration.model {
      files = ModelParts.of(model) + (configuration.projector.map { [$0] } ?? [])
    }
    // An agent may start with a model of its own; which one in a folder is unknown here.
    if configuration.role == .worker, let paths = configuration.confinement?.readablePaths {
      files += paths.filter { $0.hasSuffix(modelSuffix) }
    }
    return .seconds(ModelFiles.size(of: files) / bytesPerSecond)
  }
}

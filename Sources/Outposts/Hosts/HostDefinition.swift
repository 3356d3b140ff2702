/// Another machine, or several of a kind, on which workers may run.
///
/// `launch` is all that is known about how to get there: any program whose standard input and output
/// become those of an `orchestrator-worker --outpost` will do.
package struct HostDefinition: Codable, Sendable, Equatable {
  package var name: String
  /// The program and its arguments that start an outpost there.
  ///
  /// In each of them `{name}` stands for the host's name, and `{instance}` for a word that no other
  /// launch uses.
  package var launch: [String]
  /// How many outposts the launcher can start; `nil` for one.
  package var count: Int?
  /// Where models are there, by where they are here; of a folder, for all that is in it.
  package var models: [String: String]?
  /// Whether a model that is not there is sent over.
  package var copiesModels: Bool?
  /// Whether the worker's program is sent over when the other machine has another build.
  package var copiesWorker: Bool?
  /// A program and its arguments that end whatever a lost launch has left there.
  package var cleanup: [String]?
  /// How many workers may live there at once; `nil` for as many as its memory allows.
  package var maximumWorkers: Int?
  /// The bytes that the outpost and its workers may take together; `nil` for what the machine has.
  package var memory: Int?
  /// The seconds that a launch may wait in a queue; `nil` for 60.
  package var waitLimit: Double?
  /// The seconds after which an outpost without workers is given back; `nil` keeps it.
  package var idleLimit: Double?
  /// The address of this machine to which the outpost connects back, so that the channel need not go
  /// through the launcher; `nil` for none.
  package var connectBack: String?

  package init(
    name: String,
    launch: [String],
    count: Int? = nil,
    models: [String: String]? = nil,
    copiesModels: Bool? = nil,
    copiesWorker: Bool? = nil,
    cleanup: [String]? = nil,
    maximumWorkers: Int? = nil,
    memory: Int? = nil,
    waitLimit: Double? = nil,
    idleLimit: Double? = nil,
    connectBack: String? = nil
  ) {
    self.name = name
    self.launch = launch
    self.count = count
    self.models = models
    self.copiesModels = copiesModels
    self.copiesWorker = copiesWorker
    self.cleanup = cleanup
    self.maximumWorkers = maximumWorkers
    self.memory = memory
    self.waitLimit = waitLimit
    self.idleLimit = idleLimit
    self.connectBack = connectBack
  }
}

import Supervision
import Transcripts
import Wire

/// A message of the coordinator to an outpost.
enum ToOutpost: WireMessage, Equatable {
  /// The first message, which also gives the outpost its epoch.
  case begin(OutpostOrders)
  /// Launches a worker, under the run of its configuration.
  case launch(LaunchOrder)
  /// Has a spare kept.
  case expect(LaunchOrder)
  /// The launch under this run is no longer wanted.
  case abandon(RunID)
  /// Ends a worker: when its work is done, or at once.
  case end(RunID, atOnce: Bool)
  /// Answers the heartbeat with this number: the lease runs anew from when that was sent.
  case beat(Int)
  /// Bytes of a lane were taken.
  case credit(String, Int)
  /// Is sent back as it is.
  case echo(String)
  /// Asks whether a file is there, and announces it.
  case offer(StagedFile)
  /// Becomes the program with this hash.
  case become(hash: String)
  /// Ends all workers, and then the outpost.
  case shutdown

  var isControl: Bool {
    switch self {
    case .abandon, .end, .beat, .credit, .offer, .become, .shutdown: true
    case .begin, .launch, .expect, .echo: false
    }
  }

  func validate() throws(InvalidValue) {
    switch self {
    case .begin(let orders): try orders.validate()
    case .launch(let order), .expect(let order):
      try ToWorker.hello(order.configuration).validate()
      try ValueLimits.validate(counts: (order.modelBytes ?? 0, "bytes of a model"))
    case .offer(let file): try file.validate()
    case .credit(_, let bytes): try ValueLimits.validate(counts: (bytes, "bytes taken"))
    case .abandon, .end, .beat, .echo, .become, .shutdown: break
    }
  }
}

/// What an outpost is to be.
struct OutpostOrders: Codable, Sendable, Equatable {
  var host: String
  /// The confinement of its templates; its own folders take the place of those in it.
  var confinement: Confinement?
  /// In seconds.
  var heartbeat: Double
  var lease: Double
  /// The bytes that its processes may take together; `nil` for what the machine has.
  var memory: Int?
  /// Where it is to connect back; `nil` where it stays with the launcher's pipes.
  var connectBack: ConnectBackOffer?

  fileprivate func validate() throws(InvalidValue) {
    try ValueLimits.validate(seconds: heartbeat, lease)
    guard heartbeat > 0, lease > 0 else { throw InvalidValue("a lease without an end") }
    try connectBack?.validate()
  }
}

/// A worker to launch.
struct LaunchOrder: Codable, Sendable, Equatable {
  /// With a model's path on the outpost's machine, and a plugin that is a name there.
  var configuration: WorkerConfiguration
  /// The hash of the plugin's file.
  var plugin: String?
  /// The size of the model here, by which another of the same name is told; `nil` for none, and for
  /// one that was sent.
  var modelBytes: Int?
  /// The files of a model that was sent, by whose names the configuration knows it; `nil` where the
  /// host has its own.
  var modelFiles: [StagedName]?
  /// What was computed here of what the agent's model reads first.
  var prefix: StagedName?
}

/// A file that was sent over, and the name by which it is wanted there.
struct StagedName: Codable, Sendable, Equatable {
  var name: String
  var hash: String
}

/// A file that can be sent over.
struct StagedFile: Codable, Sendable, Equatable {
  enum Kind: String, Codable, Sendable {
    case plugin, model, worker, prefix
  }

  /// A file on the outpost's machine, as it has to be.
  struct Basis: Codable, Sendable, Equatable {
    /// Its path, or the hash under which it was sent.
    var place: String
    var stamp: FileStamp
  }

  /// The SHA-256 of its content, in hexadecimal digits.
  var hash: String
  var kind: Kind
  /// Its size, and when it was changed here, which a model keeps there: prefixes are known by that.
  var stamp: FileStamp
  /// The files of the model that a prefix was computed with; of another it would be of no use.
  var basis: [Basis]?

  var bytes: Int { stamp.bytes }

  /// More than any file that is sent has, other than a model.
  static let maximumBytes = 1 << 30
  static let maximumModelBytes = 1 << 40

  fileprivate func validate() throws(InvalidValue) {
    guard hash.utf8.count == 64,
      hash.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw InvalidValue("a hash that is none") }
    let limit = kind == .model ? Self.maximumModelBytes : Self.maximumBytes
    guard (0...limit).contains(bytes) else { throw InvalidValue("bytes of a file: \(bytes)") }
  }
}

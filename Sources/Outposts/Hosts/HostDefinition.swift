/// Another machine, or several of a kind, on which workers may run.
///
/// `launch` is all that is known about how to get there: any program whose standard input and output
/// become those of an `orchestrator-worker --outpost` will do.
package struct HostDefinition: Sendable, Equatable {
  package var name: String
  /// The program and its arguments that start an outpost there.
  ///
  /// In each of them `{name}` stands for the host's name, and `{instance}` for a word that no other
  /// launch uses.
  package var launch: [String]
  /// How many outposts the launcher can start; `nil` for one.
  package var count: Int?
  /// The entry that it belongs to, if that stands for several.
  package var group: String?
  /// A program and its arguments that have an engine give out the machines of all hosts of a group at
  /// once; `nil` where each launch finds its own.
  ///
  /// It writes a line once they are given out, for which `{allocation}` stands in `launch`, and takes
  /// the end of its standard input for their return.
  package var allocation: [String]?
  /// Where models are there, by where they are here; of a folder, for all that is in it.
  package var models: [String: String]?
  /// Whether a model that is not there is sent over.
  package var copiesModels: Bool?
  /// Whether the worker's program is sent over when the other machine has another build.
  package var copiesWorker: Bool?
  /// A program and its arguments that end whatever a lost launch has left there.
  package var cleanup: [String]?
  package var limits: HostLimits
  /// Where on this machine the outpost connects back to, so that the channel need not go through the
  /// launcher; `nil` for none.
  package var connectBack: ConnectBackPlace?

  package init(
    name: String,
    launch: [String],
    count: Int? = nil,
    allocation: [String]? = nil,
    models: [String: String]? = nil,
    copiesModels: Bool? = nil,
    copiesWorker: Bool? = nil,
    cleanup: [String]? = nil,
    limits: HostLimits = HostLimits(),
    connectBack: ConnectBackPlace? = nil
  ) {
    (self.name, self.launch, self.count, self.allocation) = (name, launch, count, allocation)
    (self.models, self.copiesModels) = (models, copiesModels)
    (self.copiesWorker, self.cleanup) = (copiesWorker, cleanup)
    (self.limits, self.connectBack) = (limits, connectBack)
  }
}

/// How much of a host is used, and for how long.
package struct HostLimits: Sendable, Equatable {
  /// How many workers may live there at once; `nil` for as many as its memory allows.
  package var workers: Int?
  /// The bytes that the outpost and its workers may take together; `nil` for what the machine has.
  package var memory: Int?
  /// The seconds that a launch may wait in a queue; `nil` for 60.
  package var wait: Double?
  /// The seconds after which an outpost without workers is given back; `nil` keeps it.
  package var idle: Double?

  package init(
    workers: Int? = nil,
    memory: Int? = nil,
    wait: Double? = nil,
    idle: Double? = nil
  ) {
    (self.workers, self.memory, self.wait, self.idle) = (workers, memory, wait, idle)
  }
}

/// Where this machine listens for outposts that connect back.
package struct ConnectBackPlace: Sendable, Equatable {
  /// An address of this machine.
  package var address: String
  /// The ports that a firewall lets through; `nil` for whichever the system chooses.
  package var ports: ClosedRange<UInt16>?

  package init(address: String, ports: ClosedRange<UInt16>? = nil) {
    (self.address, self.ports) = (address, ports)
  }
}

extension ConnectBackPlace: CustomStringConvertible {
  package var description: String {
    ports.map { "\(address), ports \($0.lowerBound) to \($0.upperBound)" } ?? address
  }
}

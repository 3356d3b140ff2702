package import PlatformLibraries
package import Wire

/// Whether a host can be used.
package enum HostState: Sendable, Equatable {
  /// No outpost runs there; the next launch starts one.
  case off
  /// Its launcher waits for an engine that gives out machines, for this reason.
  case queued(reason: String)
  /// Its launcher runs, and the outpost has not greeted.
  case starting
  case up
  /// Nothing has been heard of it for some seconds; it gets no further worker.
  case suspect
  /// It is gone, or has not been heard of for too long. It may run until its lease is over.
  case lost
  /// It gets no further worker and ends when it has none.
  case draining

  package var word: String {
    switch self {
    case .off: "off"
    case .queued: "queued"
    case .starting: "starting"
    case .up: "up"
    case .suspect: "suspect"
    case .lost: "lost"
    case .draining: "draining"
    }
  }
}

/// A host as a person is shown it.
package struct HostStatus: Sendable, Equatable {
  package var name: String
  package var state: HostState
  package var since: Date
  /// What the outpost has reported; `nil` before it has greeted.
  package var machine: OutpostMachine?
  /// What it has reported last.
  package var vitals: OutpostVitals?
  /// How many workers of ours live there.
  package var workers: Int
  /// `nil` where the outpost was to make no connection, or has not begun.
  package var connectBack: ConnectBack?
}

extension HostStatus {
  /// A host of which nothing is known yet.
  package init(name: String) {
    self.init(name: name, state: .off, since: Date(), workers: 0)
  }
}

/// What became of the connection that an outpost was to make to its coordinator.
package enum ConnectBack: Sendable, Equatable {
  case connected
  /// The launcher's pipes carry the channel, for this reason.
  case failed(String)
}

/// The machine on which an outpost runs, as it reports it in its greeting.
package struct OutpostMachine: Codable, Sendable, Equatable {
  /// The version of the protocol.
  package var version: Int
  /// Identifies the build of the worker's program there.
  package var fingerprint: String
  package var libllama: String
  /// The processor's architecture, and those of its features that a model's kernels use.
  package var architecture: String
  package var features: [String]
  package var cores: Int
  /// In bytes.
  package var memory: Int
  package var system: String
  package var pid: Int32
  /// The version of Landlock there; 0 for none.
  package var landlock: Int
  /// The identifiers under which an engine knows the outpost, by the names of their variables.
  package var engine: [String: String]
}

/// What changes on an outpost's machine, as it reports it every few seconds.
package struct OutpostVitals: Codable, Sendable, Equatable {
  package var cores: CoreLoad
  /// The bytes of memory that are free.
  package var memory: Int?
  /// The agents of which a template or a spare is ready.
  package var templates: [String]
  /// The memory of its workers in bytes, by run.
  package var workers: [String: Int]
}

import PlatformLibraries

/// Something that happened to a child.
package enum ChildEvent: Sendable, Equatable {
  case output([UInt8])
  case error([UInt8])
  /// Its standard output has ended.
  case outputClosed
  case exited(ExitStatus)
}

/// What to do after an event.
package enum ChildReaction: Sendable, Equatable {
  case goOn
  case kill
}

/// How a process ended, as reported by the kernel.
package enum ExitStatus: Sendable, Equatable {
  case code(Int32)
  case signal(Int32)
}

/// Why a child could not be started.
package enum LaunchError: Error, Sendable, Equatable {
  case system(call: String, code: Int32)
  /// The worker's name would lead out of the folder meant for it.
  case unsafeName(String)
  /// Another build took the place of the worker, in this folder: it may speak another protocol.
  case replaced(folder: String)
}

extension LaunchError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .unsafeName(let name):
      "launching a worker: \(name.debugDescription) is not a valid folder name. Give the agent a"
        + " name of letters, digits, '_' and '-'"
    case .replaced(let folder):
      "orchestrator was replaced on disk, in \(folder), while it ran. Restart it: 'systemctl --user"
        + " restart orchestrator' if it is a service, or else 'orchestrator stop' and"
        + " 'orchestrator start'."
    }
  }
}

/// A program to start.
package struct Launch: Sendable {
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]
  /// Whether its standard input is a socket, through which descriptors can be passed.
  package var takesDescriptors: Bool
  /// Whether signals go to its whole process group, and at the end SIGKILL to what is left of it.
  package var killsGroup: Bool

  package init(
    executable: String,
    arguments: [String],
    environment: [String: String],
    takesDescriptors: Bool = false,
    killsGroup: Bool = true
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.takesDescriptors = takesDescriptors
    self.killsGroup = killsGroup
  }
}

/// A request to a template to fork.
package struct ForkOrder: Sendable {
  /// The process to fork.
  package var template: Int32
  /// The fork's name until its process is known.
  package var name: String
  /// The request itself; the fork's descriptors travel with it.
  package var message: [UInt8]
  /// Whether the fork's standard input is a socket, through which descriptors can be passed.
  package var takesDescriptors: Bool
  /// How long to wait for the fork.
  package var timeout: Duration
}

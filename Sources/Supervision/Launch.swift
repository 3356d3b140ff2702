import Foundation

/// What happens to a child.
package enum ChildEvent: Sendable, Equatable {
  case output([UInt8])
  case error([UInt8])
  /// Nothing more can come from its standard output.
  case outputClosed
  /// How much of the memory it occupied at the most, in bytes; told before its end, where it is known.
  case peakMemory(Int)
  case exited(ExitStatus)
}

/// What a child's watcher wants done about an event.
package enum ChildReaction: Sendable, Equatable {
  case goOn
  case kill
}

/// How a process ended, as the kernel tells it.
package enum ExitStatus: Sendable, Equatable {
  case code(Int32)
  case signal(Int32)
}

/// Why a child could not be started.
package enum LaunchError: Error, Sendable, Equatable {
  case system(call: String, code: Int32)
  /// What a worker is called would lead out of the folder that is meant for it.
  case unsafeName(String)
}

extension LaunchError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .unsafeName(let name):
      "launching a worker: \(name.debugDescription) is not a valid folder name. Give the agent a"
        + " name of letters, digits, '_' and '-'"
    }
  }
}

/// What to start.
package struct Launch: Sendable {
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]
  /// Whether its standard input is a socket, through which descriptors can be given to it.
  package var takesDescriptors: Bool

  package init(
    executable: String,
    arguments: [String],
    environment: [String: String],
    takesDescriptors: Bool = false
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.takesDescriptors = takesDescriptors
  }
}

/// What to ask of a template.
package struct ForkOrder: Sendable {
  /// The process that is to be forked.
  package var template: Int32
  /// What the fork is called until it is known which process it is.
  package var name: String
  /// The bytes that ask for it; the descriptors of the fork go with them.
  package var message: [UInt8]
  /// Whether the fork's standard input is a socket, through which descriptors can be given to it.
  package var takesDescriptors: Bool
  /// How long to wait for the fork.
  package var patience: Duration

  package init(
    template: Int32,
    name: String,
    message: [UInt8],
    takesDescriptors: Bool,
    patience: Duration
  ) {
    self.template = template
    self.name = name
    self.message = message
    self.takesDescriptors = takesDescriptors
    self.patience = patience
  }
}

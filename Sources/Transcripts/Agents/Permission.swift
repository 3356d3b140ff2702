/// Something that an agent needs besides its model and its scratch folder.
///
/// An agent declares what it needs, and a person allows it when starting orchestrator. The agent's
/// process cannot reach anything that was not both declared and allowed.
public enum Permission: Hashable, Sendable {
  /// Connecting over internet protocols, including to this machine.
  case network
  /// Reading a file, or everything in a folder.
  ///
  /// A path that begins with `~` is in the person's home folder. If a model is split into files
  /// `NAME-00001-of-00003.gguf` and so on, the first one stands for all of them.
  case reading(String)
  /// Reading and writing a file, or everything in a folder.
  case writing(String)
  /// Running a program, which is confined as the agent is and ends with the agent's process.
  ///
  /// To guarantee that it ends, everything the program starts stays in one process group: `setsid`
  /// and `setpgid` have no effect, and a program must be ended by its own process ID.
  /// `Foundation.Process` also needs `network`, because it talks to itself through sockets.
  case running(String)
}

extension Permission: LosslessStringConvertible {
  /// Parses the format of `description`: `network`, `read:PATH`, `write:PATH` or `run:PATH`.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("network", 1): self = .network
    case ("read", 2): self = .reading(parts[1])
    case ("write", 2): self = .writing(parts[1])
    case ("run", 2): self = .running(parts[1])
    default: return nil
    }
  }

  /// The text with which a person grants the permission.
  public var description: String {
    switch self {
    case .network: "network"
    case .reading(let path): "read:\(path)"
    case .writing(let path): "write:\(path)"
    case .running(let path): "run:\(path)"
    }
  }
}

extension Permission: Codable {
  /// Decodes the text with which a person grants the permission.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode(String.self)
    guard let permission = Permission(words) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "'\(words)' is not a permission"
      )
    }
    self = permission
  }

  /// Encodes the text with which a person grants the permission.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

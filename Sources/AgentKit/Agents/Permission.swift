/// Something that an agent needs beside its model and its scratch folder.
///
/// An agent declares what it needs, and a person allows it when orchestrator is started. Nothing
/// that was not declared and allowed can be reached from the agent's process.
public enum Permission: Hashable, Sendable {
  /// Connections over the internet protocols, also to this machine.
  case network
  /// To read a file, or everything in a folder. A path that begins with `~` is in the person's home.
  ///
  /// Of a model that was cut into files `NAME-00001-of-00003.gguf` and so on, the first stands for
  /// all.
  case reading(String)
  /// To read and write a file, or everything in a folder.
  case writing(String)
  /// To run a program. What it starts is confined as the agent is, and ends with the agent's process.
  ///
  /// So that it does, all of it stays in one process group: `setsid` and `setpgid` have no effect, and
  /// a program is ended by its own process number. `Foundation.Process` needs `network` as well, because
  /// it talks to itself through sockets.
  case running(String)
}

extension Permission: LosslessStringConvertible {
  /// Reads what `description` writes: `network`, `read:PATH`, `write:PATH` or `run:PATH`.
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

  /// The words by which a person allows it.
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
  /// Reads the words by which a person allows it.
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

  /// Writes the words by which a person allows it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The machine on which an agent's process is to run.
///
/// ```swift
/// Profile { Instructions("You write Swift.") }
///   .host("gpu1")                  // the host of this name in hosts.json, or any one of that group
///
/// Profile { Instructions("You review what others wrote.") }
///   .host(.any(memory: "8 GB"))    // wherever so much memory is free, this machine included
/// ```
///
/// Without a requirement, an agent runs on this machine, unless all its cores compute and a host has
/// the agent ready.
public enum HostRequirement: Hashable, Sendable, ExpressibleByStringLiteral {
  /// A host of `hosts.json`, or any host of the group of this name; `local` is this machine.
  case named(String)
  /// Any machine with this much free memory; `nil` asks for none in particular.
  case any(memory: MemorySize? = nil)

  /// This machine, whatever else is there.
  public static let local = HostRequirement.named(localName)

  /// The name of this machine, which no entry of `hosts.json` can have.
  package static let localName = "local"
  /// Begins the text of a requirement that names no host.
  private static let anyWord = "any"

  /// Requires the host of this name.
  public init(stringLiteral name: String) { self = .named(name) }
}

extension HostRequirement: CustomStringConvertible {
  /// The name of the host, or what any host must have.
  public var description: String {
    switch self {
    case .named(let name): name
    case .any(nil): Self.anyWord
    case .any(let memory?): "\(Self.anyWord):\(memory)"
    }
  }
}

extension HostRequirement: Codable {
  /// Decodes the text of `description`.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    if text == Self.anyWord {
      self = .any()
    } else if text.hasPrefix("\(Self.anyWord):") {
      self = .any(memory: MemorySize(String(text.dropFirst(Self.anyWord.count + 1))))
    } else {
      self = .named(text)
    }
  }

  /// Encodes the text of `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

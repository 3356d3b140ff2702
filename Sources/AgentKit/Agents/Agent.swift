/// An agent: a profile with a name, compiled to a plugin and run in a process of its own.
///
/// A file or a folder of files in `Agents/` declares one agent. Its type has the same name as the
/// file or folder.
///
/// ```swift
/// import AgentKit
///
/// struct Greeter: Agent {
///   let name = "greeter"
///   let description = "greets people"
///
///   var body: some DynamicProfile {
///     Profile { Instructions("You greet people in one short sentence.") }
///   }
/// }
/// ```
public protocol Agent: LanguageModelSession.DynamicProfile, SendableMetatype {
  /// The name by which people and other agents refer to the agent; it is unique among agents.
  ///
  /// It consists of letters, digits, `_` and `-`, because folders are named after it.
  var name: String { get }
  /// A short description of the agent's purpose, for people and for other agents.
  var description: String { get }
  /// What the agent needs besides its model and its scratch folder; empty by default.
  var permissions: [Permission] { get }

  /// Creates the agent.
  ///
  /// A process may create an agent more than once, so the initializer sets up only the agent's own
  /// state.
  init()
}

extension Agent {
  /// No permissions, which is the default.
  public var permissions: [Permission] { [] }
}

/// The type of an agent, in a form that can cross the boundary of a plugin.
@_spi(Plugin) public final class AgentType: Sendable {
  package let type: any Agent.Type

  /// Wraps the type of an agent.
  public init(_ type: any Agent.Type) {
    self.type = type
  }

  /// Returns the wrapped type as a retained pointer.
  ///
  /// The code generated for a plugin calls this once.
  public func handOver() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// Takes ownership of the type that a plugin handed over.
  package static func takeOver(_ pointer: UnsafeMutableRawPointer) -> AgentType {
    Unmanaged<AgentType>.fromOpaque(pointer).takeRetainedValue()
  }
}

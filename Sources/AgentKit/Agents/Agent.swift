/// An agent: a profile with a name, compiled to a plugin and run in a process of its own.
///
/// One file in `Agents/`, or one folder of files, declares one agent. Its type has the name of the file
/// or folder.
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
  /// The name by which people and other agents call it. It is unique among the agents.
  ///
  /// It is made of letters, digits, `_` and `-`: folders are called like it.
  var name: String { get }
  /// What it is for, in a few words for people and for other agents.
  var description: String { get }
  /// What it needs beside its model and its scratch folder; nothing by default.
  var permissions: [Permission] { get }

  /// Makes the agent. It may be made more than once a process, so it only sets up what is its own.
  init()
}

extension Agent {
  /// Nothing.
  public var permissions: [Permission] { [] }
}

/// The type of an agent, in a form that can cross the border of a plugin.
public final class AgentType: Sendable {
  package let type: any Agent.Type

  /// Takes the type of an agent.
  public init(_ type: any Agent.Type) {
    self.type = type
  }

  /// Hands the type over as a pointer.
  ///
  /// Called once, by the code that is generated for a plugin.
  public func handOver() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// Takes over what a plugin handed over.
  package static func takeOver(_ pointer: UnsafeMutableRawPointer) -> AgentType {
    Unmanaged<AgentType>.fromOpaque(pointer).takeRetainedValue()
  }
}

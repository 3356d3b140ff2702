/// Instructions and tools that belong together, resolved anew before every request to the model.
///
/// A body may be evaluated more than once per request, so it must only read state.
///
/// ```swift
/// struct Manners: DynamicInstructions {
///   var isFormal: Bool
///
///   var body: some DynamicInstructions {
///     Instructions(isFormal ? "Address the person formally." : "Be casual.")
///   }
/// }
/// ```
@_typeEraser(AnyDynamicInstructions)
public protocol DynamicInstructions {
  /// The type of the body.
  associatedtype Body: DynamicInstructions

  /// Instructions, tools and nested dynamic instructions, in the order in which the model sees
  /// them.
  @DynamicInstructionsBuilder var body: Body { get }
}

extension DynamicInstructions {
  /// Instructions for each element of a collection.
  public typealias ForEach = DynamicInstructionsForEach
  /// A value shared by everything in a session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession {
  /// Instructions and tools that belong together, by the name on WWDC26's slide about skills.
  ///
  /// FoundationModels declares the protocol only outside of the session, so an agent that must
  /// compile with both omits the session's name.
  public typealias DynamicInstructions = AgentKit.DynamicInstructions
}

/// The result of resolving dynamic instructions: text and tools.
struct ResolvedInstructions {
  var segments: [Transcript.Segment] = []
  var tools: [any Tool] = []
  /// What was taken from MCP servers.
  var servers: [MCPSelection] = []
  /// Whether the functions of the client that sent the prompt can be called, too.
  var takesClientTools = false

  mutating func append(_ instructions: some DynamicInstructions) {
    if let leaf = instructions as? any InstructionsLeaf {
      leaf.resolve(into: &self)
    } else {
      append(SessionScope.inBody(of: type(of: instructions)) { instructions.body })
    }
  }
}

/// Dynamic instructions that resolve themselves instead of having a body.
protocol InstructionsLeaf: DynamicInstructions where Body == Never {
  func resolve(into resolved: inout ResolvedInstructions)
}

extension InstructionsLeaf {
  /// Never called, because these dynamic instructions resolve themselves.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

extension Never: DynamicInstructions {
  /// Never called, because there is no value.
  public var body: Never { return preconditionFailure("there is no value") }
}

extension Instructions: InstructionsLeaf {
  func resolve(into resolved: inout ResolvedInstructions) {
    resolved.segments += segments
  }
}

extension Optional: DynamicInstructions, InstructionsLeaf where Wrapped: DynamicInstructions {
  func resolve(into resolved: inout ResolvedInstructions) {
    if let self { resolved.append(self) }
  }
}

/// A tool that asks another agent, in a process of its own that sees nothing but the question.
///
/// The friend answers once and is gone. Its answer is the output of the tool, and the agent that
/// asked goes on with it. A friend that fails, or that stops at a cap before its answer is whole, is
/// information for the model: the output says so, with a status. What the friend has used is part of
/// the usage of the session that asked.
///
/// In a session that another tool runs it asks for that tool's call. A session that a hook runs has no
/// call to ask for, and the output says so.
public struct PhoneAFriend: Tool {
  /// The name by which the model calls it.
  public let name: String
  /// What it does, in words for the model.
  public let description: String
  /// The name of the agent that is asked.
  package let agent: String
  private let parameter: String
  private let parameterDescription: String?
  private let prompt: @Sendable (String) -> String

  /// Makes a tool that asks one agent.
  /// - Parameters:
  ///   - agent: The name of the agent.
  ///   - name: The name by which the model calls the tool.
  ///   - description: What the tool does, in words for the model.
  ///   - parameter: The name of its one argument.
  ///   - parameterDescription: What the argument is, in words for the model.
  ///   - prompt: What the friend is asked, made from the argument.
  public init(
    _ agent: String,
    name: String,
    description: String,
    parameter: String = "question",
    parameterDescription: String? = nil,
    prompt: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.agent = agent
    self.name = name
    self.description = description
    self.parameter = parameter
    self.parameterDescription = parameterDescription
    self.prompt = prompt
  }

  /// One argument: a text.
  public var parameters: GenerationSchema {
    GenerationSchema(
      name: name,
      shape: .object([
        .init(name: parameter, description: parameterDescription, type: String.self)
      ])
    )
  }

  /// The coordinator knows by the call what the friend was asked and has answered.
  public var isIdempotent: Bool { true }

  /// Asks the friend.
  @concurrent public func call(arguments: sending GeneratedContent) async throws -> Prompt {
    guard let orchestration = OrchestrationContext.current, let call = ToolCallContext.call else {
      throw NotOrchestrated(tool: name)
    }
    let question = try arguments.argument(parameter)
    let answer = try await orchestration.phone(agent, with: prompt(question), for: call)
    ToolCallContext.tally?.add(answer.usage, of: .friend)
    return answer.prompt(from: agent, for: name)
  }
}

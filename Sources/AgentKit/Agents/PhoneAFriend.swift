/// A tool that asks another agent, in a separate process that sees nothing but the question.
///
/// The friend answers once and exits. Its answer becomes the tool's output, and the asking agent
/// continues with it. If a friend fails, or a cap stops it before its answer is complete, the
/// output says so with a status: this is information for the model. The friend's usage counts
/// toward the usage of the session that asked.
///
/// In a session that another tool runs, the friend is asked on behalf of that tool's call. A
/// session that a hook runs has no call to ask for, and the output says so.
///
/// ```swift
/// struct Writer: Agent {
///   let name = "writer"
///   let description = "writes short stories"
///
///   var body: some DynamicProfile {
///     Profile {
///       Instructions("Write a story, and give it a title with generate_title.")
///       PhoneAFriend("titler", name: "generate_title", description: "Finds a title.")
///     }
///   }
/// }
/// ```
public struct PhoneAFriend: Tool {
  /// The name by which the model calls the tool.
  public let name: String
  /// What the tool does, in words for the model.
  public let description: String
  /// The name of the agent to ask.
  package let agent: String
  private let parameter: String
  private let parameterDescription: String?
  private let prompt: @Sendable (String) -> String

  /// Creates a tool that asks one agent.
  ///
  /// - Parameters:
  ///   - agent: The name of the agent.
  ///   - name: The name by which the model calls the tool.
  ///   - description: What the tool does, in words for the model.
  ///   - parameter: The name of the tool's one argument.
  ///   - parameterDescription: What the argument is, in words for the model.
  ///   - prompt: A closure that returns the question for the friend, given the argument.
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

  /// The tool's one argument: a string.
  public var parameters: GenerationSchema {
    GenerationSchema(
      name: name,
      properties: [.init(name: parameter, description: parameterDescription, type: String.self)]
    )
  }

  /// Always `true`: the coordinator can tell from the call what the friend was asked and answered.
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

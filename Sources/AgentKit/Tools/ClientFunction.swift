/// A function that the client of a turn performs.
package struct ClientFunction: Tool {
  package let name: String
  package let description: String
  package let parameters: GenerationSchema
  private let schema: JSONSchema

  package init(_ tool: ClientTool) {
    name = tool.name
    description = tool.description
    schema = tool.parameters
    parameters = tool.parameters.argumentsConversion(named: tool.name).schema
  }

  /// Always `true`: the coordinator knows whether the client has been asked, and what it answered.
  package var isIdempotent: Bool { true }

  /// Checks the arguments against the schema that the client sent, of which generation may have
  /// followed only a part.
  func check(_ arguments: GeneratedContent) throws(UnreadableArguments) {
    guard case .structure = arguments.kind else {
      throw UnreadableArguments(problem: "The content is not an object.")
    }
    if let problem = schema.violation(by: arguments) { throw UnreadableArguments(problem: problem) }
  }

  /// Never called: the client performs the calls of a round together.
  @concurrent package func call(arguments: sending GeneratedContent) async throws -> String {
    throw NotOrchestrated(tool: name)
  }
}

/// The error for a function of the client that has the name of one of the agent's tools.
struct ClientToolConflict: Error, CustomDebugStringConvertible {
  let tool: String

  var debugDescription: String {
    "The client's function '\(tool)' has the name of a tool of the agent. Rename the function."
  }
}

extension ResolvedProfile {
  /// Adds the functions that the client performs, if the profile takes them.
  mutating func offer(_ functions: [ClientFunction]) throws(ClientToolConflict) {
    guard instructions.takesClientTools else { return }
    for function in functions {
      guard !instructions.tools.contains(where: { $0.name == function.name }) else {
        throw ClientToolConflict(tool: function.name)
      }
      instructions.tools.append(function)
    }
  }
}

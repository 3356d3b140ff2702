import AgentKit

/// Looks up how to fold a model.
struct QueryOrigamiDatabase: Tool {
  let name = "query_origami_database"
  let description = "Look up the folding steps of an origami model."

  @Generable
  struct Arguments {
    var name: String
  }

  func call(arguments: Arguments) async throws -> String {
    guard let steps = OrigamiDatabase.steps(of: arguments.name) else {
      let known = OrigamiDatabase.names.joined(separator: ", ")
      return "There is no \(arguments.name) in the database. There are: \(known)."
    }
    return steps.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
  }
}

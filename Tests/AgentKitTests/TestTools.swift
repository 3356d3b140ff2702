import AgentKit

/// A tool that does what its test specifies.
struct Doing: Tool {
  @Generable
  struct Arguments {
    var x: String?
  }

  let name: String
  var description: String { "Does \(name)." }
  let action: @Sendable (String) async throws -> String

  init(_ name: String, action: @escaping @Sendable (String) async throws -> String) {
    self.name = name
    self.action = action
  }

  func call(arguments: Arguments) async throws -> String {
    try await action(arguments.x ?? "")
  }
}

/// A tool that returns immediately.
struct Plain: Tool {
  @Generable
  struct Arguments {}

  var name = "plain"
  let description = "Returns."

  func call(arguments: Arguments) -> String { "\(name) done" }
}

/// A tool that requires a number.
struct Counting: Tool {
  @Generable
  struct Arguments {
    @Guide(description: "How far", .range(1...9)) var to: Int
  }

  let name = "count"
  let description = "Counts."

  func call(arguments: Arguments) -> String {
    (1...arguments.to).map(String.init).joined(separator: " ")
  }
}

struct Mishap: Error, Equatable {
  var cause = "tool"
}

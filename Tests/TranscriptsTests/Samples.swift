import AgentKit

/// A type that a model is asked to generate.
@Generable
struct Person: Equatable {
  var name: String
  var age: Int?
}

/// A tool without arguments.
struct Plain: Tool {
  @Generable
  struct Arguments {}

  let name = "plain"
  let description = "Returns."

  func call(arguments: Arguments) -> String { "plain done" }
}

/// A tool that requires a number.
struct Counting: Tool {
  @Generable
  struct Arguments {
    @Guide(description: "How far", .range(1...9)) var to: Int
  }

  let name = "count"
  let description = "Counts."

  func call(arguments: Arguments) -> String { "\(arguments.to)" }
}

/// A value that is not of the expected kind.
struct Mishap: Error {}

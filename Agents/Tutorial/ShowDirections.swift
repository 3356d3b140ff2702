import AgentKit

/// Shows the directions from the last lookup.
struct ShowDirections: Tool {
  let name = "show_directions"
  let description = "Show the directions on the screen."

  @Generable
  struct Arguments {}

  func call(arguments: Arguments) async throws -> String {
    "The directions are on the screen."
  }
}

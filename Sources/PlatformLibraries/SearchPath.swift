/// Returns the program of a name in the first folder of a search path that has it.
///
/// - Parameter path: The folders, with colons between them, as in the variable `PATH`.
/// - Returns: `nil` when none of the folders has it.
package func findProgram(_ name: String, in path: String) -> String? {
  path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
}

/// The variables that texts of `mcp.json` may name, in the notations of other hosts: `${NAME}`,
/// `${NAME:-default}`, `${env:NAME}` and `${workspaceFolder}`.
struct MCPVariables {
  struct Unset: Error {
    let name: String
  }

  let environment: [String: String]
  let folder: String

  /// Replaces the variables of a text.
  ///
  /// - Throws: For a variable without a value, since a program would take the notation, or nothing,
  ///   for the value.
  func expand(_ text: String) throws(Unset) -> String {
    var expanded = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      expanded += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
      expanded += try value(rest[start.upperBound..<end])
      rest = rest[rest.index(after: end)...]
    }
    return expanded + rest
  }

  private func value(_ notation: Substring) throws(Unset) -> String {
    if notation == "workspaceFolder" { return folder }
    let given = notation.hasPrefix("env:") ? notation.dropFirst(4) : notation
    guard let split = given.firstRange(of: ":-") else {
      guard let value = environment[String(given)] else { throw Unset(name: String(given)) }
      return value
    }
    let value = environment[String(given[..<split.lowerBound])] ?? ""
    return value.isEmpty ? String(given[split.upperBound...]) : value
  }
}

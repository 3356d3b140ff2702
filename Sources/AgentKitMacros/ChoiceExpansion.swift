/// An enum of simple cases, which is generated as one of several strings.
struct ChoiceExpansion: GenerableExpansion {
  let header: GenerableHeader
  let cases: [EnumCase]

  var members: [String] {
    [header.choiceSchema("anyOf: [\(cases.map(\.literal).joined(separator: ", "))]")]
  }

  var conversions: [String] {
    let reads = cases.map { "case \($0.literal): self = .\($0.declaredName)" }
    let writes = cases.map { "case .\($0.declaredName): GeneratedContent(\($0.literal))" }
    return [
      initializer(
        access: header.access,
        """
        switch try content.value(String.self) {
        \(reads.joined(separator: "\n"))
        case let other: \(unknownCase)
        }
        """
      ),
      generatedContent(
        access: header.access,
        """
        switch self {
        \(writes.joined(separator: "\n"))
        }
        """
      ),
    ]
  }
}

extension GenerableExpansion {
  /// Code that throws for a string, bound to `other`, that names no case.
  var unknownCase: String {
    """
    throw GeneratedContent.ParsingError(
      rawContent: content.jsonString,
      debugDescription: "'\\(other)' is not a case of \\(Self.self)."
    )
    """
  }
}

/// An enum with associated values, generated as one of several objects with a property `type`.
struct UnionExpansion: GenerableExpansion {
  let header: GenerableHeader
  let cases: [EnumCase]

  var members: [String] {
    let types = cases.map { "\($0.object).self" }
    // The macro can add only members with fixed names, so the objects have a namespace.
    return [
      header.choiceSchema("anyOf: [\(types.joined(separator: ", "))]"),
      """
      \(header.access)nonisolated enum __Cases {
      \(cases.map(object).joined(separator: "\n"))
      }
      """,
    ]
  }

  var conversions: [String] {
    let reads = cases.map { choice in
      guard !choice.payload.isEmpty else {
        return "case \(choice.literal): self = .\(choice.declaredName)"
      }
      let values = zip(choice.labels, choice.payload).map { label, property in
        (label.map { "\(Self.label($0)): " } ?? "") + "object.\(property.declaredName)"
      }
      return """
        case \(choice.literal):
        let object = try \(choice.object)(content)
        self = .\(choice.declaredName)(\(values.joined(separator: ", ")))
        """
    }
    let writes = cases.map { choice in
      let bindings = choice.payload.indices.map { "let value\($0)" }
      let pattern = bindings.isEmpty ? "" : "(\(bindings.joined(separator: ", ")))"
      let arguments = choice.payload.enumerated().map { "\(Self.label($1.name)): value\($0)" }
      return """
        case .\(choice.declaredName)\(pattern):
        \(choice.object)(\(arguments.joined(separator: ", "))).generatedContent
        """
    }
    return [
      initializer(
        access: header.access,
        """
        \(wholeness)
        switch try content.value(String.self, forProperty: "type") {
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

  /// Code that treats no value as complete before the generation ends.
  private var wholeness: String {
    """
    guard content.isComplete else {
      throw GeneratedContent.ParsingError(
        rawContent: content.jsonString,
        debugDescription: "A \\(Self.self) is not whole yet."
      )
    }
    """
  }

  /// Returns a label as written in a call, where most keywords can be used like any other name.
  private static func label(_ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isPlain && name != "inout" ? name : "`\(name)`"
  }

  /// Returns the object for a case: a constant `type`, followed by the associated values.
  private func object(of choice: EnumCase) -> String {
    let discriminator = StoredProperty.discriminator(choice.literal)
    let expansion = ObjectExpansion(
      header: GenerableHeader(access: header.access, representsNil: header.representsNil),
      properties: [discriminator] + choice.payload,
      writesPartial: false
    )
    let values = choice.payload.map { "let \($0.declaredName): \($0.type.text)" }
    let parameters = choice.payload.map { "\($0.declaredName): \($0.type.text)" }
    let assignments = choice.payload.map { "self.\($0.declaredName) = \($0.declaredName)" }
    return """
      \(header.access)nonisolated struct \(choice.objectName): nonisolated Generable {
      private let `type`: String
      \(values.joined(separator: "\n"))
      fileprivate init(\(parameters.joined(separator: ", "))) {
      self.type = \(choice.literal)
      \(assignments.joined(separator: "\n"))
      }
      \((expansion.conversions + expansion.members).joined(separator: "\n"))
      }
      """
  }
}

extension EnumCase {
  /// The type of the case's object, as named in its namespace, where it hides no other name.
  fileprivate var objectName: String { "`__Case_\(name)`" }

  /// The type of the case's object, as named in the enum.
  fileprivate var object: String { "__Cases.\(objectName)" }
}

extension StoredProperty {
  /// Returns the property that distinguishes the object of a case from the others.
  fileprivate static func discriminator(_ literal: String) -> StoredProperty {
    StoredProperty(
      name: "type",
      type: .string,
      access: "",
      guide: Guide(constraints: [".constant(\(literal))"])
    )
  }
}

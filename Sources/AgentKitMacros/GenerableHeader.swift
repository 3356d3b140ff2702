import SwiftDiagnostics
import SwiftSyntax

/// The macro's arguments and the access level of a `@Generable` type.
struct GenerableHeader {
  let name: String?
  let description: String?
  let representsNil: Bool
  /// The access level of the generated members followed by a space, or an empty string.
  let access: String

  init(
    _ attribute: AttributeSyntax,
    on declaration: some DeclGroupSyntax,
    within parent: Syntax?,
    complaints: inout [Diagnostic]
  ) {
    name = attribute.argument("name")?.trimmedDescription
    description = attribute.argument("description")?.trimmedDescription
    let written = declaration.modifiers.access
    let inherited = parent?.as(ExtensionDeclSyntax.self)?.modifiers.access ?? ""
    // The members of a private type are reached through the type, so they need no access level.
    let needed = written.isEmpty ? inherited : written
    access = ["public ", "package "].contains(needed) ? needed : ""

    let flag = attribute.argument("representNilExplicitlyInGeneratedContent")
    let literal = flag?.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind
    representsNil = literal == .keyword(.true)
    if let flag, literal == nil {
      complaints.complain(
        "'representNilExplicitlyInGeneratedContent' must be 'true' or 'false', written out.",
        at: flag
      )
    }
  }

  /// Creates a header for an object that has no declaration of its own.
  init(access: String) {
    name = nil
    description = nil
    representsNil = false
    self.access = access
  }

  /// Returns the schema of the type, given the last argument of its initializer.
  func schema(_ content: String) -> String {
    let arguments = [
      name.map { "name: \($0)" },
      "type: Self.self",
      description.map { "description: \($0)" },
      representsNil ? "representNilExplicitlyInGeneratedContent: true" : nil,
      content,
    ]
    return """
      \(access)nonisolated static var generationSchema: GenerationSchema {
        GenerationSchema(
          \(arguments.compactMap(\.self).joined(separator: ",\n    "))
        )
      }
      """
  }
}

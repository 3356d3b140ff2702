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
    diagnostics: inout [Diagnostic]
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
      diagnostics.appendError(
        "'representNilExplicitlyInGeneratedContent' must be 'true' or 'false', written out.",
        at: flag
      )
    }
  }

  /// Creates a header for an object that has no declaration of its own.
  init(access: String, representsNil: Bool) {
    name = nil
    description = nil
    self.representsNil = representsNil
    self.access = access
  }

  /// Returns the schema of an object, given the last argument of its initializer.
  func objectSchema(_ content: String) -> String {
    // Only this initializer has the flag: a choice has no properties that could be `nil`.
    schema(representsNil ? ["representNilExplicitlyInGeneratedContent: true"] : [], content)
  }

  /// Returns the schema of a choice, given the last argument of its initializer.
  func choiceSchema(_ content: String) -> String { schema([], content) }

  private func schema(_ flags: [String], _ content: String) -> String {
    let texts = [
      name.map { "name: \($0)" },
      "type: Self.self",
      description.map { "description: \($0)" },
    ]
    let arguments: [String] = texts.compactMap(\.self) + flags + [content]
    return """
      \(access)nonisolated static var generationSchema: GenerationSchema {
        GenerationSchema(
          \(arguments.joined(separator: ",\n    "))
        )
      }
      """
  }
}

import SwiftDiagnostics
import SwiftSyntax

/// A property that generated content fills, or an associated value treated as one.
struct StoredProperty {
  /// The name without backticks, which is the key in the schema.
  let name: String
  let type: PropertyType
  /// The property's access level followed by a space, or an empty string.
  let access: String
  let guide: Guide?

  /// The name as written in a declaration, in backticks because it may be a keyword.
  var declaredName: String { "`\(name)`" }

  /// Whether it is the identity of the content, which no model generates.
  var isIdentity: Bool { name == "id" && type.isGenerationID }
}

extension StoredProperty {
  /// Returns the properties that a variable declares; none if it is computed, static or constant.
  static func read(
    _ variable: VariableDeclSyntax,
    of owner: String,
    diagnostics: inout [Diagnostic]
  ) -> [StoredProperty] {
    // Use an array, because filtering a syntax collection loses its position in the source.
    let bindings = Array(variable.bindings).filter(\.isStored)
    guard !variable.isStatic, let first = bindings.first(where: { !variable.isConstant($0) })
    else { return [] }
    let name = first.pattern.trimmedDescription
    if let flaw = Self.flaw(of: variable, named: name) {
      diagnostics.append(flaw)
      return []
    }
    let guides = variable.attributes.named("Guide")

    // In `var a, b: Int` only the last name has the type, so read the list from its end.
    var type: TypeSyntax?
    var properties: [StoredProperty] = []
    for binding in bindings.reversed() {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      if variable.isConstant(binding) { continue }
      guard let name = binding.plainName else {
        diagnostics.appendError(
          "'@Generable' needs one name for each property.",
          at: binding.pattern
        )
        continue
      }
      // The program fills this one: a model generates only what is declared with a type.
      if binding.takesTypeFromValue { continue }
      guard let type else {
        diagnostics.appendError(
          "The property '\(name)' needs a type annotation: '@Generable' sees the source only.",
          at: binding.pattern
        )
        continue
      }
      let property = StoredProperty(
        name: name,
        type: PropertyType(type, of: owner),
        access: variable.modifiers.access,
        guide: Guide(guides)
      )
      property.check(at: type, diagnostics: &diagnostics)
      property.check(guides, diagnostics: &diagnostics)
      properties.insert(property, at: 0)
    }
    return properties
  }

  /// Returns why a variable cannot be filled, whatever its type; `nil` if it can.
  private static func flaw(of variable: VariableDeclSyntax, named name: String) -> Diagnostic? {
    if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      let words = "'@Generable' does not support the lazy property '\(name)'."
      return Diagnostic(node: variable, message: MacroDiagnostic(message: words))
    }
    if let attribute = variable.attributes.foreign {
      let words =
        "'@Generable' does not support '\(attribute.trimmedDescription)' on the property '\(name)';"
        + " property wrappers and other macros hide what is stored."
      return Diagnostic(node: attribute, message: MacroDiagnostic(message: words))
    }
    if let guide = variable.attributes.conditional.first(where: { $0.shortName == "Guide" }) {
      let words =
        "'@Generable' does not support '@Guide' in '#if' on the property '\(name)': it cannot know"
        + " which branch is compiled."
      return Diagnostic(node: guide, message: MacroDiagnostic(message: words))
    }
    return nil
  }

  /// Adds a error if no `Generable` type can be spelled like this property's.
  func check(at type: TypeSyntax, diagnostics: inout [Diagnostic]) {
    guard let flaw = self.type.flaw else { return }
    let advice =
      flaw == "a dictionary"
      ? " Use an array of a '@Generable' type that has a key and a value." : ""
    diagnostics.appendError(
      "'@Generable' does not support the property '\(name)': its type is \(flaw).\(advice)",
      at: type
    )
  }

  /// Adds diagnostics about guides that cannot guide the property's type.
  ///
  /// The compiler's own errors would be in generated code, which its author does not see.
  private func check(_ guides: [AttributeSyntax], diagnostics: inout [Diagnostic]) {
    guard let kind = type.kind else { return }
    let reason = "but the type of the property '\(name)' is '\(type.text)'."
    if kind != .string, let guide = guides.first(where: \.hasRegexLiteral) {
      diagnostics.appendError("A regex can guide only a string, \(reason)", at: guide)
    }
    for guide in guides.flatMap(\.namedGuides) where guide.kind != kind {
      diagnostics.appendError(
        "'.\(guide.name)' can guide only \(guide.kind.rawValue), \(reason)",
        at: guide.expression
      )
    }
  }
}

extension AttributeListSyntax {
  /// The first attribute that may change what is stored.
  ///
  /// The language's own attributes begin with a lowercase letter and do not change it.
  fileprivate var foreign: AttributeSyntax? {
    written.first { $0.shortName != "Guide" && $0.shortName.first?.isUppercase == true }
  }
}

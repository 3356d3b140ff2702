import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@Generable` macro, which adds a schema, conversions and a partially generated form.
struct GenerableMacro {
  /// Returns the common basis of both roles, or `nil`, with the diagnostics filled in, if there is
  /// none.
  private static func expansion(
    of node: AttributeSyntax,
    on declaration: some DeclGroupSyntax,
    in context: some MacroExpansionContext,
    diagnostics: inout [Diagnostic]
  ) -> (any GenerableExpansion)? {
    let header = GenerableHeader(
      node,
      on: declaration,
      within: context.lexicalContext.first,
      diagnostics: &diagnostics
    )
    let shape = GenerableShape(reading: declaration, diagnostics: &diagnostics)
    guard diagnostics.isEmpty else { return nil }
    return switch shape {
    case .object(let properties):
      ObjectExpansion(
        header: header,
        properties: properties,
        writesPartial: !declaration.declaresType("PartiallyGenerated")
      )
    case .choice(let cases) where cases.allSatisfy(\.payload.isEmpty):
      ChoiceExpansion(header: header, cases: cases)
    case .choice(let cases):
      UnionExpansion(header: header, cases: cases)
    case nil:
      nil
    }
  }
}

extension GenerableMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    // The extension role reports the problems: the compiler expands this one only if a member is
    // looked for.
    var diagnostics: [Diagnostic] = []
    let expansion = expansion(of: node, on: declaration, in: context, diagnostics: &diagnostics)
    return expansion?.members.map { "\(raw: $0)" } ?? []
  }
}

extension GenerableMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // A conformance without its members would only add compiler errors.
    var diagnostics: [Diagnostic] = []
    let expansion = expansion(of: node, on: declaration, in: context, diagnostics: &diagnostics)
    diagnostics.forEach(context.diagnose)
    guard let expansion else { return [] }
    if protocols.isEmpty {
      let message = "Type already conforms to 'Generable'; '@Generable' adds the conformance."
      context.diagnose(Diagnostic(node: node, message: MacroDiagnostic(message: message)))
    }
    let conformance = protocols.isEmpty ? "" : ": nonisolated Generable"
    // Placed in an extension, these leave a struct its memberwise initializer.
    let text = """
      extension \(type.trimmedDescription)\(conformance) {
      \(expansion.conversions.joined(separator: "\n\n"))
      }
      """
    return [try ExtensionDeclSyntax("\(raw: text)")]
  }
}

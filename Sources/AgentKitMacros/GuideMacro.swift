import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Guide` expands to nothing: `@Generable` reads it where it stands.
struct GuideMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    let isStored = variable.map { !$0.isStatic && $0.bindings.allSatisfy(\.isStored) } ?? false
    if !isStored {
      let message = "'@Guide' can only be attached to a stored property of a '@Generable' type."
      context.diagnose(Diagnostic(node: node, message: Complaint(message: message)))
    }
    return []
  }
}

/// What a `@Guide` attribute says.
struct Guide {
  let description: String?
  /// The guides as written: generation guides, or one regex.
  ///
  /// Their spelling does not tell which; the overloads of the schema's property do.
  let constraints: [String]

  init(_ attribute: AttributeSyntax) {
    description = attribute.argument("description")?.trimmedDescription
    constraints = attribute.labeledArguments.filter { $0.label == nil }
      .map(\.expression.trimmedDescription)
  }

  init(constraints: [String]) {
    description = nil
    self.constraints = constraints
  }
}

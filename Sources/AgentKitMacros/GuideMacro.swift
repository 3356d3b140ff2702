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
    var complaints: [Diagnostic] = []
    complaints.rejectIdleGuide(node, on: declaration)
    complaints.forEach(context.diagnose)
    return []
  }
}

extension [Diagnostic] {
  /// Complains of a guide on what no model fills: it would be ignored, and its author never know.
  fileprivate mutating func rejectIdleGuide(
    _ guide: AttributeSyntax,
    on declaration: some DeclSyntaxProtocol
  ) {
    guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isStatic,
      variable.bindings.allSatisfy(\.isStored)
    else {
      complain(
        "'@Guide' can only be attached to a stored property of a '@Generable' type.",
        at: guide
      )
      return
    }
    for binding in variable.bindings {
      guard let name = binding.plainName, let reason = variable.reasonNotToFill(binding) else {
        continue
      }
      complain("'@Guide' cannot be attached to the property '\(name)': it \(reason).", at: guide)
    }
  }
}

extension VariableDeclSyntax {
  /// Why no model fills a stored property that is declared here; nil when one does.
  fileprivate func reasonNotToFill(_ binding: PatternBindingSyntax) -> String? {
    if isConstant(binding) {
      "is a constant that already has a value, so a model cannot set it"
    } else if binding.takesTypeFromValue {
      "has no type annotation, so it is not generated"
    } else if binding.plainName == "id", binding.typeAnnotation?.type.isGenerationID == true {
      "is the identity of the content, which a model does not generate"
    } else {
      nil
    }
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

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The `@Guide` macro, which expands to nothing: `@Generable` reads the attribute in place.
struct GuideMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    var diagnostics: [Diagnostic] = []
    diagnostics.rejectIdleGuide(node, on: declaration)
    diagnostics.forEach(context.diagnose)
    return []
  }
}

extension [Diagnostic] {
  /// Rejects a guide on something that no model fills, where it would be silently ignored.
  fileprivate mutating func rejectIdleGuide(
    _ guide: AttributeSyntax,
    on declaration: some DeclSyntaxProtocol
  ) {
    guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isStatic,
      variable.bindings.allSatisfy(\.isStored)
    else {
      appendError(
        "'@Guide' can only be attached to a stored property of a '@Generable' type.",
        at: guide
      )
      return
    }
    for binding in variable.bindings {
      guard let name = binding.plainName, let reason = variable.reasonNotToFill(binding) else {
        continue
      }
      appendError("'@Guide' cannot be attached to the property '\(name)': it \(reason).", at: guide)
    }
  }
}

extension VariableDeclSyntax {
  /// Returns why no model fills a declared stored property, or `nil` if one does.
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

/// The contents of the `@Guide` attributes of one property.
struct Guide {
  let description: String?
  /// The guides as written: generation guides, or one regex.
  ///
  /// Their spelling does not say which, but the overloads of the schema's property do. None of them
  /// takes a regex beside other guides, so those of several attributes are all generation guides.
  let constraints: [String]

  /// Reads all attributes as one guide; there is none without attributes.
  init?(_ attributes: [AttributeSyntax]) {
    guard !attributes.isEmpty else { return nil }
    let descriptions = attributes.compactMap { $0.argument("description")?.trimmedDescription }
    description =
      switch descriptions.count {
      case 0: nil
      case 1: descriptions[0]
      default: descriptions.map { "(\($0))" }.joined(separator: " + \" \" + ")
      }
    let groups = attributes.map(\.guides).filter { !$0.isEmpty }
    constraints = groups.flatMap { group in
      // A regex is the only guide of its attribute.
      groups.count > 1 && group.count == 1
        ? group.map(\.spelledAsGuide) : group.map(\.trimmedDescription)
    }
  }

  init(constraints: [String]) {
    description = nil
    self.constraints = constraints
  }
}

extension AttributeSyntax {
  /// Whether a guide is a regex that is written out.
  var hasRegexLiteral: Bool { guides.contains { $0.is(RegexLiteralExprSyntax.self) } }

  /// The guides that are written as calls of AgentKit's own names, after a dot.
  ///
  /// The author may have declared any other name, for any type.
  var namedGuides: [NamedGuide] { guides.compactMap(NamedGuide.init) }

  fileprivate var guides: [ExprSyntax] {
    labeledArguments.filter { $0.label == nil }.map(\.expression)
  }
}

/// A guide whose name tells what it can guide.
struct NamedGuide {
  let name: String
  let kind: ValueKind
  let expression: ExprSyntax

  fileprivate init?(_ expression: ExprSyntax) {
    guard let call = expression.as(FunctionCallExprSyntax.self),
      let member = call.calledExpression.as(MemberAccessExprSyntax.self), member.base == nil,
      // An author's own guide may have the same name, with other arguments.
      call.arguments.count == 1, call.arguments.first?.label == nil
    else { return nil }
    name = member.declName.baseName.text
    self.expression = expression
    switch name {
    case "constant", "anyOf", "pattern": kind = .string
    case "minimum", "maximum", "range": kind = .number
    case "minimumCount", "maximumCount", "count", "element": kind = .array
    default: return nil
    }
  }
}

extension ExprSyntax {
  /// The expression as a generation guide, also where it is a regex.
  ///
  /// Only the compiler knows what a name stands for. What begins with a dot is a guide.
  fileprivate var spelledAsGuide: String {
    firstToken(viewMode: .sourceAccurate)?.tokenKind == .period
      ? trimmedDescription : "GuideArgument.guide(\(trimmedDescription))"
  }
}

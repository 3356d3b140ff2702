import SwiftSyntax

extension AttributeListSyntax {
  /// The attributes of this name, written with or without their module.
  func named(_ name: String) -> [AttributeSyntax] {
    written.filter { $0.shortName == name }
  }

  /// The attributes that stand here unconditionally.
  var written: [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }
  }
}

extension AttributeSyntax {
  var shortName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }

  var labeledArguments: [LabeledExprSyntax] {
    arguments?.as(LabeledExprListSyntax.self).map(Array.init) ?? []
  }

  /// The expression for a label, unless it is absent or `nil` is written for it.
  func argument(_ label: String) -> ExprSyntax? {
    let argument = labeledArguments.first { $0.label?.text == label }?.expression
    return argument?.is(NilLiteralExprSyntax.self) == true ? nil : argument
  }
}

extension VariableDeclSyntax {
  var isStatic: Bool {
    modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
  }

  var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

  /// A `let` with a value has one value for every instance: nothing a model could fill.
  func isConstant(_ binding: PatternBindingSyntax) -> Bool { isLet && binding.initializer != nil }
}

extension PatternBindingSyntax {
  /// The name without backticks; nil where there is not one.
  var plainName: String? { pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName }

  /// Whether the type is that of the value, which only the compiler knows.
  var takesTypeFromValue: Bool { typeAnnotation == nil && initializer != nil }

  /// Whether the binding has memory: no accessors, or only observers.
  var isStored: Bool {
    guard let accessorBlock else { return true }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
    return accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

extension DeclModifierListSyntax {
  /// The access level written here with a space after it, or nothing.
  var access: String {
    let levels: [Keyword] = [.public, .package, .internal, .fileprivate, .private]
    let written = first { modifier in
      modifier.detail == nil && levels.contains { modifier.name.tokenKind == .keyword($0) }
    }
    return written.map { $0.name.text + " " } ?? ""
  }
}

extension TokenSyntax {
  /// The name without the backticks that a keyword needs as a name.
  var plainName: String { identifier?.name ?? text }
}

import SwiftSyntax

extension AttributeListSyntax {
  /// Returns the attributes with the given name, written with or without their module.
  func named(_ name: String) -> [AttributeSyntax] {
    written.filter { $0.shortName == name }
  }

  var written: [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }
  }

  /// The attributes that are written in any branch of an `#if`.
  var conditional: [AttributeSyntax] {
    var found: [AttributeSyntax] = []
    for condition in compactMap({ $0.as(IfConfigDeclSyntax.self) }) {
      for case .attributes(let attributes) in condition.clauses.compactMap(\.elements) {
        found += attributes.written + attributes.conditional
      }
    }
    return found
  }
}

extension AttributeSyntax {
  var shortName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }

  var labeledArguments: [LabeledExprSyntax] {
    arguments?.as(LabeledExprListSyntax.self).map(Array.init) ?? []
  }

  /// Returns the expression for a label, or `nil` if it is absent or written as `nil`.
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

  /// Returns whether a binding is a `let` with a value.
  ///
  /// Its value is the same for every instance, so a model cannot fill it.
  func isConstant(_ binding: PatternBindingSyntax) -> Bool { isLet && binding.initializer != nil }
}

extension PatternBindingSyntax {
  /// The name without backticks, or `nil` if the pattern is not a single name.
  var plainName: String? { pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName }

  /// Whether the type is inferred from the value, so that only the compiler knows it.
  var takesTypeFromValue: Bool { typeAnnotation == nil && initializer != nil }

  /// Whether the binding is stored: it has no accessors, or only observers.
  var isStored: Bool {
    guard let accessorBlock else { return true }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
    return accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

extension DeclModifierListSyntax {
  /// The written access level followed by a space, or an empty string.
  var access: String {
    let levels: [Keyword] = [.public, .package, .internal, .fileprivate, .private]
    let written = first { modifier in
      modifier.detail == nil && levels.contains { modifier.name.tokenKind == .keyword($0) }
    }
    return written.map { $0.name.text + " " } ?? ""
  }
}

extension TokenSyntax {
  /// The name without the backticks that a keyword needs when used as a name.
  var plainName: String { identifier?.name ?? text }
}

import SwiftSyntax

/// A property's type, as far as its spelling reveals it.
struct PropertyType {
  /// The type without its outermost optional.
  let wrapped: String
  let isOptional: Bool
  /// Whether it mentions `ID` without a qualifier.
  let saysID: Bool
  let isGenerationID: Bool
  /// What is wrong with it, if no `Generable` type can be spelled this way.
  let flaw: String?

  /// Reads a type inside the declaration of another, the owner.
  init(_ type: TypeSyntax, of owner: String) {
    wrapped = (type.unwrappedOptional ?? type).spelling(in: owner)
    isOptional = type.isOptional
    saysID = type.says("ID", in: owner)
    isGenerationID = type.isGenerationID
    flaw = type.flaw
  }

  private init(wrapped: String) {
    self.wrapped = wrapped
    isOptional = false
    saysID = false
    isGenerationID = false
    flaw = nil
  }

  static let string = PropertyType(wrapped: "String")

  /// The kind of its values, if the spelling shows it.
  ///
  /// Any other name may stand for any kind.
  var kind: ValueKind? {
    switch wrapped {
    case "String": .string
    case "Decimal", "Double", "Float", "Int", "UInt64": .number
    case "Bool": .truth
    default: wrapped.hasPrefix("[") ? .array : nil
    }
  }

  /// The entire type, with a uniform spelling of optionals.
  var text: String { isOptional ? "\(wrapped)?" : wrapped }
}

/// A kind of values that guides tell apart, in words for a error.
enum ValueKind: String {
  case string = "a string"
  case number = "a number"
  case array = "an array"
  /// There is no guide for it, so no error names it.
  case truth
}

extension TypeSyntax {
  var isOptional: Bool { unwrappedOptional != nil }

  /// Whether this is the type of content identities.
  var isGenerationID: Bool {
    ["GenerationID", "AgentKit.GenerationID", "FoundationModels.GenerationID"]
      .contains(trimmedDescription)
  }

  /// Returns the type with the owner's name in place of `Self`.
  ///
  /// Generated code also appears in types inside the owner, where `Self` has another meaning.
  /// Inside a generic owner, its bare name stands for the type with its own arguments.
  fileprivate func spelling(in owner: String) -> String {
    trimmed.tokens(viewMode: .sourceAccurate)
      .map { "\($0.leadingTrivia)\($0.spelling(in: owner))\($0.trailingTrivia)" }
      .joined()
  }

  /// Returns whether the type mentions a name that is not looked up inside another type.
  fileprivate func says(_ name: String, in owner: String) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { token in
      token.parent?.is(IdentifierTypeSyntax.self) == true && token.spelling(in: owner) == name
    }
  }

  fileprivate var unwrappedOptional: TypeSyntax? {
    switch self.as(TypeSyntaxEnum.self) {
    case .optionalType(let optional): optional.wrappedType
    case .implicitlyUnwrappedOptionalType(let optional): optional.wrappedType
    default: genericArguments(of: "Optional")?.first
    }
  }

  fileprivate var flaw: String? {
    if let wrapped = unwrappedOptional { return wrapped.flaw }
    if let element = genericArguments(of: "Array")?.first { return element.flaw }
    if genericArguments(of: "Dictionary") != nil { return "a dictionary" }
    return switch self.as(TypeSyntaxEnum.self) {
    case .arrayType(let array): array.element.flaw
    case .dictionaryType: "a dictionary"
    case .functionType: "a function"
    case .attributedType(let type): type.baseType.flaw
    case .someOrAnyType: "not a concrete type"
    case .tupleType(let tuple) where tuple.elements.count != 1: "a tuple"
    case .tupleType(let parenthesized): parenthesized.elements.first?.type.flaw
    default: nil
    }
  }

  /// Returns the arguments if this is the named type of the standard library, and `nil` otherwise.
  private func genericArguments(of name: String) -> [TypeSyntax]? {
    let clause =
      if let type = self.as(IdentifierTypeSyntax.self), type.name.text == name {
        type.genericArgumentClause
      } else if let type = self.as(MemberTypeSyntax.self), type.name.text == name,
        type.baseType.trimmedDescription == "Swift"
      {
        type.genericArgumentClause
      } else {
        GenericArgumentClauseSyntax?.none
      }
    return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) }
  }
}

extension TokenSyntax {
  fileprivate func spelling(in owner: String) -> String {
    tokenKind == .keyword(.Self) ? owner : text
  }
}

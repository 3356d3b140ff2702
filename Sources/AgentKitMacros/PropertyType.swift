import SwiftSyntax

/// A property's type as far as its spelling tells.
struct PropertyType {
  /// The type without its outermost optional.
  let wrapped: String
  let isOptional: Bool
  /// Whether it says `ID` with nothing before it.
  let saysID: Bool
  let isGenerationID: Bool
  /// What is wrong with it, when no `Generable` type can be spelled like this.
  let flaw: String?

  /// Reads a type that stands in the declaration of another, the owner.
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

  /// The whole type, with one spelling for every optional.
  var text: String { isOptional ? "\(wrapped)?" : wrapped }
}

extension TypeSyntax {
  var isOptional: Bool { unwrappedOptional != nil }

  /// Whether this is the type of the identities that content has.
  var isGenerationID: Bool {
    ["GenerationID", "AgentKit.GenerationID"].contains(trimmedDescription)
  }

  /// The type with the owner's name for `Self`.
  ///
  /// What a macro writes is also in types inside the owner, where `Self` is another. The name of a
  /// generic owner, inside it, stands for the type with its own arguments.
  fileprivate func spelling(in owner: String) -> String {
    trimmed.tokens(viewMode: .sourceAccurate)
      .map { "\($0.leadingTrivia)\($0.spelling(in: owner))\($0.trailingTrivia)" }
      .joined()
  }

  /// Whether a name stands in it that is looked up from where it stands, in no other type.
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

  /// The arguments when this is the named type of the standard library, else nil.
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

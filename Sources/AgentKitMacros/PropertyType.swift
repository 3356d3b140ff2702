import SwiftSyntax

/// A property's type as far as its spelling tells.
struct PropertyType {
  /// The type without its outermost optional.
  let wrapped: String
  let isOptional: Bool
  /// What is wrong with it, when no `Generable` type can be spelled like this.
  let flaw: String?

  init(_ type: TypeSyntax) {
    let inner = type.unwrappedOptional
    wrapped = (inner ?? type).trimmedDescription
    isOptional = inner != nil
    flaw = type.flaw
  }

  private init(wrapped: String) {
    self.wrapped = wrapped
    isOptional = false
    flaw = nil
  }

  static let string = PropertyType(wrapped: "String")

  /// The whole type, with one spelling for every optional.
  var text: String { isOptional ? "\(wrapped)?" : wrapped }
}

extension TypeSyntax {
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

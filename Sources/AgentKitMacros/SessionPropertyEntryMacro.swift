import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@SessionPropertyEntry` macro: a key type beside the property, and accessors that use it.
struct SessionPropertyEntryMacro {}

extension SessionPropertyEntryMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    var diagnostics: [Diagnostic] = []
    let entry = SessionPropertyEntry(declaration, at: node, in: context, &diagnostics)
    // Both roles see the same faults; this one also sees constants, so it reports them.
    diagnostics.forEach(context.diagnose)
    guard let entry else { return [] }
    return [
      """
      private nonisolated enum \(raw: entry.key): nonisolated SessionPropertyKey {
      \(raw: entry.defaultValue)
      }
      """
    ]
  }
}

extension SessionPropertyEntryMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    var diagnostics: [Diagnostic] = []
    let entry = SessionPropertyEntry(declaration, at: node, in: context, &diagnostics)
    guard let entry else {
      // If there were no accessor, or a second getter, the compiler would add errors of its own to
      // the relevant one.
      let variable = declaration.as(VariableDeclSyntax.self)
      let isComputed = variable?.bindings.contains { $0.accessorBlock != nil } ?? false
      return isComputed ? [] : ["get { fatalError() }"]
    }
    return [
      "get { self[\(raw: entry.key).self] }",
      "set { self[\(raw: entry.key).self] = newValue }",
    ]
  }
}

/// The `@__SessionPropertyEntryDefaultValue` macro: a getter that evaluates a variable's value.
struct SessionPropertyEntryDefaultValueMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let value = declaration.as(VariableDeclSyntax.self)?.bindings.first?.initializer?.value
    else {
      let message = "'@__SessionPropertyEntryDefaultValue' is only for '@SessionPropertyEntry'."
      var diagnostics: [Diagnostic] = []
      diagnostics.appendError(message, at: node)
      diagnostics.forEach(context.diagnose)
      return []
    }
    return ["get { \(raw: value.trimmedDescription) }"]
  }
}

/// The contents of a property with `@SessionPropertyEntry`.
private struct SessionPropertyEntry {
  /// The name of the key type.
  let key: String
  /// The key type's one member.
  let defaultValue: String

  /// Reads a declaration; `nil`, with the diagnostics filled in, if it is not such a property.
  init?(
    _ declaration: some DeclSyntaxProtocol,
    at node: AttributeSyntax,
    in context: some MacroExpansionContext,
    _ diagnostics: inout [Diagnostic]
  ) {
    let parent = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
    guard
      let variable = declaration.as(VariableDeclSyntax.self),
      let extended = parent?.extendedType.trimmedDescription,
      extended.split(separator: ".").last == "SessionPropertyValues"
    else {
      diagnostics.appendError(
        "'@SessionPropertyEntry' can only be attached to a 'var' in an extension of"
          + " 'SessionPropertyValues'.",
        at: node
      )
      return nil
    }
    // The compiler itself rejects several variables in one declaration.
    guard variable.bindings.count == 1 else { return nil }
    let fault: String? =
      if variable.isLet {
        "A session property must be a 'var': a session changes it."
      } else if variable.isStatic {
        "A session property cannot be static: each session has its own value."
      } else if variable.bindings.contains(where: { $0.accessorBlock != nil }) {
        "A session property cannot have accessors: '@SessionPropertyEntry' writes them."
      } else {
        nil
      }
    if let fault {
      diagnostics.appendError(fault, at: variable.bindings)
      return nil
    }
    guard let binding = variable.bindings.first, let name = binding.plainName else {
      diagnostics.appendError("A session property needs one name.", at: variable.bindings)
      return nil
    }
    key = "__Key_\(name)"

    let type = binding.typeAnnotation?.type
    let value = binding.initializer?.value.trimmedDescription
    switch (type, value) {
    case (let type?, let value?):
      // The value is evaluated for each session, so that sessions do not share an object by
      // default.
      defaultValue = "static var defaultValue: \(type.trimmedDescription) { \(value) }"
    case (let type?, nil) where type.isOptional:
      // As everywhere in Swift, an optional variable without a value starts as nil.
      defaultValue = "static var defaultValue: \(type.trimmedDescription) { nil }"
    case (nil, let value?):
      // Only the compiler knows this type, and infers it from the value of a stored property. The
      // macro turns that property into a computed one, so that the value is evaluated each time
      // here as well.
      defaultValue = "@__SessionPropertyEntryDefaultValue static var defaultValue = \(value)"
    default:
      diagnostics.appendError("Property missing a default value", at: binding)
      return nil
    }
  }
}

import SwiftDiagnostics
import SwiftSyntax

struct EnumCase {
  /// The name without backticks.
  let name: String
  let literal: String
  /// The associated values as the properties of an object; empty for a simple case.
  let payload: [StoredProperty]

  /// The labels of the associated values, for use in patterns and calls; `nil` for an unlabeled
  /// value.
  let labels: [String?]

  /// The name in a form that is valid even if it is a keyword.
  var declaredName: String { "`\(name)`" }
}

extension EnumCase {
  /// Returns the cases that one `case` line declares.
  static func read(
    _ declaration: EnumCaseDeclSyntax,
    of owner: String,
    rawStrings: Bool,
    diagnostics: inout [Diagnostic]
  ) -> [EnumCase] {
    declaration.elements.map { element in
      let name = element.name.plainName
      let raw = rawStrings ? element.rawValue?.value.trimmedDescription : nil
      let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
      let labels = parameters.map { $0.label?.plainName }
      let names = keys(of: parameters.map { $0.innerName?.plainName ?? $0.label?.plainName })
      var payload: [StoredProperty] = []
      for (key, parameter) in zip(names, parameters) {
        let property = StoredProperty(
          name: key,
          type: PropertyType(parameter.type, of: owner),
          access: "",
          guide: nil
        )
        property.check(at: parameter.type, diagnostics: &diagnostics)
        if property.name == "type" {
          diagnostics.appendError(
            "An associated value of a '@Generable' enum cannot be called 'type': that is where the"
              + " case's own name goes.",
            at: parameter
          )
        }
        payload.append(property)
      }
      return EnumCase(
        name: name,
        literal: raw ?? "\"\(name)\"",
        payload: payload,
        labels: labels
      )
    }
  }

  /// Returns the keys of associated values, as FoundationModels chooses them: the names where there
  /// are some, and otherwise `value`, `value1`, `value2` and so on.
  private static func keys(of names: [String?]) -> [String] {
    var unnamed = 0
    return names.map { name in
      if let name { return name }
      var key = unnamed == 0 ? "value" : "value\(unnamed)"
      unnamed += 1
      while names.contains(key) { key += "_" }
      return key
    }
  }
}

extension EnumCaseParameterSyntax {
  fileprivate var label: TokenSyntax? {
    firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 }
  }

  /// The name behind the label, as in `case walk(_ steps: Int)`.
  fileprivate var innerName: TokenSyntax? {
    secondName.flatMap { $0.tokenKind == .wildcard ? nil : $0 }
  }
}

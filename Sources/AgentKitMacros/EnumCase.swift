import SwiftDiagnostics
import SwiftSyntax

/// A case of a `@Generable` enum.
struct EnumCase {
  /// The name without backticks.
  let name: String
  /// The string that represents the case, as a Swift literal.
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
    complaints: inout [Diagnostic]
  ) -> [EnumCase] {
    declaration.elements.map { element in
      let name = element.name.plainName
      let raw = rawStrings ? element.rawValue?.value.trimmedDescription : nil
      let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
      let labels = parameters.map { $0.label?.plainName }
      var payload: [StoredProperty] = []
      for (index, parameter) in parameters.enumerated() {
        var unnamed = parameters.count == 1 ? "value" : "value\(index + 1)"
        while labels.contains(unnamed) { unnamed += "_" }
        let property = StoredProperty(
          name: labels[index] ?? unnamed,
          type: PropertyType(parameter.type, of: owner),
          access: "",
          guide: nil
        )
        property.check(at: parameter.type, complaints: &complaints)
        if property.name == "case" {
          complaints.complain(
            "An associated value of a '@Generable' enum cannot be called 'case': that is where the"
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
}

extension EnumCaseParameterSyntax {
  fileprivate var label: TokenSyntax? {
    firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 }
  }
}

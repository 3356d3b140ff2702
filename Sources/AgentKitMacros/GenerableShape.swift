import SwiftDiagnostics
import SwiftSyntax

/// The shape that `@Generable` derives from a declaration.
enum GenerableShape {
  /// A struct, generated as an object with these properties.
  case object([StoredProperty])
  /// An enum, generated as one of these cases.
  case choice([EnumCase])
}

extension GenerableShape {
  /// Reads a declaration.
  ///
  /// The shape is usable only if no error was added.
  init?(reading declaration: some DeclGroupSyntax, diagnostics: inout [Diagnostic]) {
    diagnostics.rejectConditionals(in: declaration.memberBlock)
    if let declaration = declaration.as(StructDeclSyntax.self) {
      var properties: [StoredProperty] = []
      for variable in declaration.members(VariableDeclSyntax.self) {
        properties += StoredProperty.read(
          variable,
          of: declaration.name.text,
          diagnostics: &diagnostics
        )
      }
      self = .object(properties)
    } else if let declaration = declaration.as(EnumDeclSyntax.self) {
      let rawStrings = declaration.inherits("String")
      var cases: [EnumCase] = []
      for line in declaration.members(EnumCaseDeclSyntax.self) {
        cases += EnumCase.read(
          line,
          of: declaration.name.text,
          rawStrings: rawStrings,
          diagnostics: &diagnostics
        )
      }
      if cases.isEmpty, diagnostics.isEmpty {
        diagnostics.appendError(
          "A '@Generable' enum needs at least one case.",
          at: declaration.name
        )
      }
      self = .choice(cases)
    } else {
      diagnostics.appendError(
        "'@Generable' can only be used on structs and enums.",
        at: declaration.introducer
      )
      return nil
    }
  }
}

extension DeclGroupSyntax {
  /// Returns the members of one kind, in declaration order.
  fileprivate func members<Member: DeclSyntaxProtocol>(_ kind: Member.Type) -> [Member] {
    memberBlock.members.compactMap { $0.decl.as(kind) }
  }

  fileprivate func inherits(_ name: String) -> Bool {
    inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription == name } ?? false
  }

  func declaresType(_ name: String) -> Bool {
    memberBlock.members.contains { member in
      let declared =
        member.decl.asProtocol((any NamedDeclSyntax).self)?.name
        ?? member.decl.as(TypeAliasDeclSyntax.self)?.name
      return declared?.plainName == name
    }
  }
}

extension [Diagnostic] {
  /// Rejects `#if`, because a macro sees both branches and cannot know which one is compiled.
  fileprivate mutating func rejectConditionals(in block: MemberBlockSyntax) {
    for member in block.members { rejectConditionals(in: member.decl) }
  }

  private mutating func rejectConditionals(in declaration: DeclSyntax) {
    guard let conditional = declaration.as(IfConfigDeclSyntax.self) else { return }
    for case .decls(let members) in conditional.clauses.compactMap(\.elements) {
      for member in members {
        rejectConditionals(in: member.decl)
        guard member.decl.holdsValues else { continue }
        appendError("'@Generable' does not support properties or cases in '#if'.", at: member.decl)
      }
    }
  }
}

extension DeclSyntax {
  fileprivate var holdsValues: Bool {
    if self.is(EnumCaseDeclSyntax.self) { return true }
    guard let variable = self.as(VariableDeclSyntax.self) else { return false }
    return !variable.isStatic && variable.bindings.contains(where: \.isStored)
  }
}

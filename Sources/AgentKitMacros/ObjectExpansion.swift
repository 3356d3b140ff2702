/// A struct, generated as an object with one property per stored property, in the same order.
///
/// The identity of the content is not part of the schema, because it is stored beside the content.
struct ObjectExpansion: GenerableExpansion {
  let header: GenerableHeader
  let properties: [StoredProperty]
  /// Whether to generate `PartiallyGenerated`; false if the user wrote one.
  let writesPartial: Bool

  var members: [String] {
    let list = generated.map(\.schema).joined(separator: ",\n")
    let schema = header.objectSchema("properties: [\n\(list)\n]")
    return writesPartial ? [schema] + aliases + [partial] : [schema]
  }

  var conversions: [String] {
    [
      initializer(access: header.access, properties.map(\.read).joined(separator: "\n")),
      generatedContent(access: header.access, content),
    ]
  }

  private var generated: [StoredProperty] { properties.filter { !$0.isIdentity } }

  private var content: String {
    let id = properties.contains(where: \.isIdentity) ? "self.id" : "nil"
    let omitsNil = !header.representsNil && generated.contains(where: \.type.isOptional)
    guard omitsNil else {
      let pairs = generated.map { "\"\($0.name)\": self.\($0.declaredName)" }
      let list = pairs.isEmpty ? ":" : pairs.joined(separator: ", ")
      return "GeneratedContent(properties: [\(list)], id: \(id))"
    }
    let appends = generated.map { property in
      property.type.isOptional
        ? "if let value = self.\(property.declaredName) { properties.append((\"\(property.name)\", value)) }"
        : "properties.append((\"\(property.name)\", self.\(property.declaredName)))"
    }
    return """
      var properties: [(String, any ConvertibleToGeneratedContent)] = []
      \(appends.joined(separator: "\n"))
      return GeneratedContent(
        properties: properties, id: \(id), uniquingKeysWith: { first, _ in first })
      """
  }

  /// A namespace with aliases for types that are called `ID`; none without such types.
  ///
  /// Inside `PartiallyGenerated`, `ID` would mean the associated type of `Identifiable`. The macro
  /// can add only members with fixed names, so the aliases cannot be members themselves.
  private var aliases: [String] {
    let aliases = generated.filter(\.type.saysID).map { property in
      let access = property.partialAccess(in: header)
      // A private alias would be hidden from `PartiallyGenerated`.
      return """
        \(access == "private " ? "fileprivate " : access)typealias \(property.alias) = \
        \(property.type.wrapped)
        """
    }
    guard !aliases.isEmpty else { return [] }
    return ["\(header.access)nonisolated enum __Types {\n\(aliases.joined(separator: "\n"))\n}"]
  }

  private var partial: String {
    // A generated property `id` is the identity; otherwise, it is that of the content.
    let ownsID = generated.contains { $0.name == "id" }
    let id = ownsID ? "" : "\(header.access)var id: GenerationID"
    let members = generated.map { $0.partial(in: header) }
    let readID = ownsID ? "" : readIdentity
    let comparisons = (ownsID ? [] : ["left.id == right.id"]) + generated.map(\.comparison)
    return """
      \(header.access)nonisolated struct PartiallyGenerated: Identifiable, \
      nonisolated ConvertibleFromGeneratedContent, Equatable {
      \(id)
      \(members.joined(separator: "\n"))
      \(initializer(
        access: header.access,
        ([readID] + generated.map(\.partialRead)).joined(separator: "\n")
      ))
      \(header.access)nonisolated static func == (left: Self, right: Self) -> Bool {
      \(comparisons.joined(separator: " && "))
      }
      }
      """
  }
}

private let readIdentity = "self.id = content.id ?? GenerationID()"

extension StoredProperty {
  fileprivate func partial(in header: GenerableHeader) -> String {
    let whole = type.saysID ? "__Types.\(alias)" : type.wrapped
    return "\(partialAccess(in: header))var \(declaredName): \(whole).PartiallyGenerated?"
  }

  /// Returns the access level in `PartiallyGenerated`.
  ///
  /// An identity is a requirement of Identifiable, so it must be as visible as its type.
  fileprivate func partialAccess(in header: GenerableHeader) -> String {
    name == "id" ? header.access : access
  }

  /// An alias for the property's type that cannot hide another name within the namespace.
  fileprivate var alias: String { "`__Type_\(name)`" }

  /// The assignment from content, which names no type.
  ///
  /// An extension is at the top level of the file, where a type declared beside the user's type
  /// inside a third one needs a longer name than in the property.
  fileprivate var read: String {
    isIdentity
      ? readIdentity : "self.\(declaredName) = try content.value(forProperty: \"\(name)\")"
  }

  /// The same assignment for a value that is being generated.
  fileprivate var partialRead: String {
    "self.\(declaredName) = try content.growingValue(forProperty: \"\(name)\")"
  }

  fileprivate var comparison: String {
    "PartialEquality.holds(left.\(declaredName), right.\(declaredName))"
  }

  fileprivate var schema: String {
    let constraints = guide?.constraints ?? []
    let arguments = [
      "name: \"\(name)\"",
      guide?.description.map { "description: \($0)" },
      "type: \(type.text).self",
      constraints.isEmpty ? nil : "guides: [\(constraints.joined(separator: ", "))]",
    ]
    return "GenerationSchema.Property(\(arguments.compactMap(\.self).joined(separator: ", ")))"
  }
}

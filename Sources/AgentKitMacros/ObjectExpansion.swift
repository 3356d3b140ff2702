/// A struct: an object in the schema, each stored property a property there, in the same order.
struct ObjectExpansion: GenerableExpansion {
  let header: GenerableHeader
  let properties: [StoredProperty]
  /// False when the user wrote a `PartiallyGenerated`.
  let writesPartial: Bool

  var members: [String] {
    let list = properties.map(\.schema).joined(separator: ",\n")
    let schema = header.schema("properties: [\n\(list)\n]")
    return writesPartial ? [schema, partial] : [schema]
  }

  var conversions: [String] {
    [
      initializer(access: header.access, properties.map(\.read).joined(separator: "\n")),
      generatedContent(access: header.access, content),
    ]
  }

  private var content: String {
    let omitsNil = !header.representsNil && properties.contains(where: \.type.isOptional)
    guard omitsNil else {
      let pairs = properties.map { "\"\($0.name)\": self.\($0.declaredName)" }
      let list = pairs.isEmpty ? ":" : pairs.joined(separator: ", ")
      return "GeneratedContent(properties: [\(list)], id: nil)"
    }
    let appends = properties.map { property in
      property.type.isOptional
        ? "if let value = self.\(property.declaredName) { properties.append((\"\(property.name)\", value)) }"
        : "properties.append((\"\(property.name)\", self.\(property.declaredName)))"
    }
    return """
      var properties: [(String, any ConvertibleToGeneratedContent)] = []
      \(appends.joined(separator: "\n"))
      return GeneratedContent(
        properties: properties, id: nil, uniquingKeysWith: { first, _ in first })
      """
  }

  private var partial: String {
    // A stored `id` of the user's is the identity; otherwise the content's own is.
    let ownsID = properties.contains { $0.name == "id" }
    let id = ownsID ? "" : "\(header.access)var id: GenerationID"
    let members = properties.map { $0.partial(in: header) }
    let readID = ownsID ? "" : "self.id = content.id ?? GenerationID()"
    let comparisons = (ownsID ? [] : ["left.id == right.id"]) + properties.map(\.comparison)
    return """
      \(header.access)nonisolated struct PartiallyGenerated: Identifiable, \
      nonisolated ConvertibleFromGeneratedContent, Equatable {
      \(id)
      \(members.joined(separator: "\n"))
      \(initializer(
        access: header.access,
        ([readID] + properties.map(\.partialRead)).joined(separator: "\n")
      ))
      \(header.access)nonisolated static func == (left: Self, right: Self) -> Bool {
      \(comparisons.joined(separator: " && "))
      }
      }
      """
  }
}

extension StoredProperty {
  fileprivate func partial(in header: GenerableHeader) -> String {
    // An identity is a requirement of Identifiable, so it must be as visible as its type.
    let access = name == "id" ? header.access : access
    return "\(access)var \(declaredName): \(type.wrapped).PartiallyGenerated?"
  }

  /// The assignment from content, which names no type.
  ///
  /// An extension stands at the top of the file, where a type that is declared beside the user's
  /// type, inside a third, goes by a longer name than the property gives it.
  fileprivate var read: String {
    "self.\(declaredName) = try content.value(forProperty: \"\(name)\")"
  }

  /// The same for a value that is being generated.
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

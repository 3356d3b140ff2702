/// A keyword of a JSON Schema to which a model is not held while it generates.
package struct OmittedKeyword: Sendable, Equatable, Hashable {
  /// Where the keyword stands, as a JSON pointer to the schema that has it, such as
  /// `#/properties/count`.
  package let place: String
  package let keyword: String
  /// Whether ``JSONSchema/violation(by:)`` checks what the keyword demands.
  package let isChecked: Bool
}

/// A JSON Schema in the terms of a ``GenerationSchema``.
package struct SchemaConversion: Sendable {
  /// What a model is held to.
  ///
  /// It may allow content that the original forbids, and forbids some that the original allows: an
  /// object has only the properties that it declares, unless it declares none.
  package let schema: GenerationSchema
  /// The keywords that the schema leaves out, in the order in which they were read.
  package let omissions: [OmittedKeyword]
}

extension JSONSchema {
  /// Returns what of the schema a model can be held to.
  ///
  /// It never fails: a part that cannot be expressed becomes any content.
  package func conversion(named name: String) -> SchemaConversion {
    JSONSchemaConverter.convert(self, name: name, isForArguments: false)
  }

  /// Returns what of the schema of a function's arguments a model can be held to.
  ///
  /// Arguments are an object: of alternatives, it has the properties of all.
  package func argumentsConversion(named name: String) -> SchemaConversion {
    JSONSchemaConverter.convert(self, name: name, isForArguments: true)
  }
}

extension JSONSchema {
  /// The keywords that describe and demand nothing.
  static let annotations: Set<String> = [
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
    "format", "contentEncoding", "contentMediaType", "contentSchema", "nullable",
    "$schema", "$id", "id", "$comment", "$defs", "definitions", "$anchor", "$vocabulary",
  ]

  /// The keywords that ``violation(by:)`` checks.
  static let checked: Set<String> = [
    "type", "enum", "const", "required", "properties", "additionalProperties", "patternProperties",
    "propertyNames", "minProperties", "maxProperties", "items", "prefixItems", "minItems",
    "maxItems", "uniqueItems", "contains", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "anyOf", "oneOf",
    "allOf", "not", "if", "then", "else", "dependentRequired", "$ref",
  ]

  /// The keywords that demand something of content of one type only.
  private static let specific: [String: Set<String>] = [
    "object": [
      "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
      "minProperties", "maxProperties", "dependentRequired", "dependentSchemas",
      "unevaluatedProperties",
    ],
    "array": [
      "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains",
      "minContains", "maxContains", "unevaluatedItems",
    ],
    "string": ["pattern", "minLength", "maxLength"],
    "number": ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ]

  /// Whether a keyword demands anything of content of a type.
  static func demands(_ keyword: String, ofType type: String?) -> Bool {
    guard let type, let only = specific.first(where: { $0.value.contains(keyword) })?.key else {
      return true
    }
    return only == (type == "integer" ? "number" : type)
  }
}

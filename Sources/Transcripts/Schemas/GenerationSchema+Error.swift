public import PlatformLibraries

extension GenerationSchema {
  /// An error that says why schemas assembled at run time do not form a schema.
  public enum SchemaError: Error, Sendable {
    /// Two different schemas have the same name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// An object has two properties with the same name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// A choice has no alternatives.
    case emptyTypeChoices(schema: String, context: Context)
    /// References name schemas that were not provided.
    case undefinedReferences(schema: String?, references: [String], context: Context)

    /// Details of an error.
    public struct Context: Sendable {
      /// A description of the error for developers.
      public let debugDescription: String

      /// Creates a context.
      public init(debugDescription: String) {
        self.debugDescription = debugDescription
      }
    }
  }
}

extension GenerationSchema.SchemaError: LocalizedError, CustomDebugStringConvertible {
  /// A description of the error for developers.
  public var debugDescription: String {
    switch self {
    case .duplicateType(_, _, let context), .duplicateProperty(_, _, let context),
      .emptyTypeChoices(_, let context), .undefinedReferences(_, _, let context):
      context.debugDescription
    }
  }

  /// A description of the error.
  public var errorDescription: String? { debugDescription }

  /// What can be done about the error.
  public var recoverySuggestion: String? {
    switch self {
    case .duplicateType: "Give each schema a name of its own."
    case .duplicateProperty: "Give each property of an object a name of its own."
    case .emptyTypeChoices: "Give at least one choice."
    case .undefinedReferences: "Pass the referenced schemas as dependencies."
    }
  }
}

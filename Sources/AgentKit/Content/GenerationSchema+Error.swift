#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension GenerationSchema {
  /// Why schemas that were made at run time are no schema together.
  public enum SchemaError: Error, Sendable {
    /// Two different schemas have one name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// An object has two properties of one name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// A choice has nothing to choose from.
    case emptyTypeChoices(schema: String, context: Context)
    /// References name schemas that were not given.
    case undefinedReferences(schema: String?, references: [String], context: Context)

    /// What is known beside the names.
    public struct Context: Sendable {
      /// What happened, for a developer.
      public let debugDescription: String

      /// Makes a context.
      public init(debugDescription: String) {
        self.debugDescription = debugDescription
      }
    }
  }
}

extension GenerationSchema.SchemaError: LocalizedError, CustomDebugStringConvertible {
  /// What happened, for a developer.
  public var debugDescription: String {
    switch self {
    case .duplicateType(_, _, let context), .duplicateProperty(_, _, let context),
      .emptyTypeChoices(_, let context), .undefinedReferences(_, _, let context):
      context.debugDescription
    }
  }

  /// What happened.
  public var errorDescription: String? { debugDescription }

  /// What to do about it.
  public var recoverySuggestion: String? {
    switch self {
    case .duplicateType: "Give each schema a name of its own."
    case .duplicateProperty: "Give each property of an object a name of its own."
    case .emptyTypeChoices: "Give at least one choice."
    case .undefinedReferences: "Pass the referenced schemas as dependencies."
    }
  }
}

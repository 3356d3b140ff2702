extension LanguageModelSession {
  /// A property wrapper that reads and writes a value shared by everything in a session.
  ///
  /// Use it in profiles, modifiers, dynamic instructions and tools while a session runs them.
  /// Elsewhere there is no session to ask, and the program stops with a message that says so. Tasks
  /// started by such code have access to the value too, but detached tasks do not.
  ///
  /// Tools of one round run concurrently. A tool that reads the value and then writes it, even with
  /// `append`, may lose what another has written in the meantime. `onToolOutput` hooks run one
  /// after the other.
  @propertyWrapper
  public struct SessionProperty<Value> {
    private let keyPath: UncheckedKeyPath<Value>

    /// Creates a property for the value at a key path.
    public init(_ keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>) {
      self.keyPath = UncheckedKeyPath(path: keyPath)
    }

    /// The value in the session that runs this code.
    public var wrappedValue: Value {
      get { values[keyPath: keyPath.path] }
      nonmutating set { values[keyPath: keyPath.path] = newValue }
    }

    private var values: SessionPropertyValues {
      guard let scope = SessionScope.current else {
        preconditionFailure(
          "A session property was used outside a session; use it in a profile, a hook or a tool"
        )
      }
      return scope.values
    }
  }
}

/// A key path is immutable; the type merely lacks the conformance for arbitrary values.
private struct UncheckedKeyPath<Value>: @unchecked Sendable {
  let path: ReferenceWritableKeyPath<SessionPropertyValues, Value>
}

extension LanguageModelSession.SessionProperty: Sendable where Value: Sendable {}

extension Tool {
  /// A value shared by everything in a session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession {
  /// Reads and writes a value that everything in a session shares.
  ///
  /// Used in profiles, modifiers, dynamic instructions and tools, while a session runs them; anywhere
  /// else there is no session to ask, and the program stops with a message that says so. What runs
  /// them has the value: also a task that they start, but no detached one.
  ///
  /// Tools of one round run at the same time: one that reads the value and then writes it, `append` too,
  /// may lose what another has written in between. The hooks of `onToolOutput` run one after the other.
  @propertyWrapper
  public struct SessionProperty<Value> {
    private let keyPath: UncheckedKeyPath<Value>

    /// Names the value.
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

/// A key path is immutable; the type only lacks the conformance for arbitrary values.
private struct UncheckedKeyPath<Value>: @unchecked Sendable {
  let path: ReferenceWritableKeyPath<SessionPropertyValues, Value>
}

extension LanguageModelSession.SessionProperty: Sendable where Value: Sendable {}

extension Tool {
  /// A value that everything in a session shares.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

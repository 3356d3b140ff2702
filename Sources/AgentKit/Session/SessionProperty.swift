import Synchronization

/// Names a value that everything in a session shares.
///
/// Written with `@SessionPropertyEntry`.
public protocol SessionPropertyKey: SendableMetatype {
  /// The type of the value.
  associatedtype Value
  /// The value before anything was written.
  static var defaultValue: Value { get }
}

/// What everything in a session shares: its history, and the properties that agents declare.
public final class SessionPropertyValues: Sendable {
  @TaskLocal static var current: SessionPropertyValues?

  struct Storage: @unchecked Sendable {
    // Unchecked because values need not be Sendable; the Mutex below guards every access, and the
    // session runs one turn at a time.
    var slots: [ObjectIdentifier: Slot] = [:]
    /// What came from elsewhere and nobody here has asked for yet, as JSON by name.
    var received: [String: String] = [:]
    weak var session: LanguageModelSession?
  }

  /// A value that was written or read here.
  struct Slot {
    let key: any SessionPropertyKey.Type
    let value: Any
  }

  let storage = Mutex(Storage())

  init() {}

  func attach(_ session: LanguageModelSession) {
    storage.withLock { $0.session = session }
  }

  /// One property.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      let box = storage.withLock { UncheckedBox($0.slots[ObjectIdentifier(key)]?.value) }
      // Unwrapped first: a cast of nothing to an optional type would succeed, with nil.
      guard let value = box.value else { return unpacked(key) ?? Key.defaultValue }
      return value as? Key.Value ?? Key.defaultValue
    }
    set {
      let box = UncheckedBox(newValue)
      storage.withLock { storage in
        guard let value = box.value else { return }
        storage.slots[ObjectIdentifier(key)] = Slot(key: key, value: value)
      }
    }
  }

  /// The entries after the instructions.
  ///
  /// Writing changes them for every profile of the session.
  public var history: Transcript.HistoryView {
    get { storage.withLock { $0.session }?.transcript.history ?? [] }
    set { storage.withLock { $0.session }?.rewriteHistory(newValue) }
  }
}

/// Carries a value across a lock that only takes Sendable ones.
///
/// The lock is what makes it safe.
struct UncheckedBox: @unchecked Sendable {
  let value: Any?

  init(_ value: Any?) {
    self.value = value
  }
}

extension LanguageModelSession {
  /// Reads and writes a value that everything in a session shares.
  ///
  /// Used in profiles, modifiers, dynamic instructions and tools, while a session runs them.
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
      guard let values = SessionPropertyValues.current else {
        preconditionFailure(
          "A session property was used outside a session; use it in a profile, a hook or a tool"
        )
      }
      return values
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

extension LanguageModelSession {
  func rewriteHistory(_ history: Transcript.HistoryView) {
    state.withLock { state in
      state.transcript.history = history
      state.historyRewrites += 1
    }
  }

  /// How often agents have written to the history.
  ///
  /// Where it has not changed, nothing but new entries has: to compare a long history would cost more
  /// than everything else that happens between two requests.
  package var historyRewrites: Int { state.withLock { $0.historyRewrites } }
}

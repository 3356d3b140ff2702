public import Observation
import Synchronization

/// A key for a value shared by everything in a session.
///
/// Use `@SessionPropertyEntry` to declare one.
public protocol SessionPropertyKey: SendableMetatype {
  /// The type of the value.
  associatedtype Value
  /// The value before any is written.
  static var defaultValue: Value { get }
}

/// The values shared by everything in a session: its history and the properties that agents
/// declare.
///
/// Properties outlive turns, even failed ones: written values remain when the transcript is
/// reverted.
public final class SessionPropertyValues: Sendable, Observable {
  struct Storage: @unchecked Sendable {
    // Unchecked because values need not be Sendable; the Mutex below guards every access, and the
    // session runs one turn at a time.
    var slots: [ObjectIdentifier: Slot] = [:]
    /// The values received from elsewhere and not yet used here, as JSON by name.
    var received: [String: String] = [:]
    weak var session: LanguageModelSession?
  }

  /// A value that was written or read here.
  struct Slot {
    let key: any SessionPropertyKey.Type
    let value: Any
  }

  let storage = Mutex(Storage())
  private let observations = ObservationRegistrar()

  init() {}

  func attach(_ session: LanguageModelSession) {
    storage.withLock { $0.session = session }
  }

  /// The value of a property.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      observations.access(self, keyPath: \.[observed: ObjectIdentifier(key)])
      let box = storage.withLock { UncheckedBox($0.slots[ObjectIdentifier(key)]?.value) }
      // Unwrapped first, because casting `nil` to an optional type would succeed.
      guard let value = box.value else { return unpacked(key) ?? Key.defaultValue }
      return value as? Key.Value ?? Key.defaultValue
    }
    set {
      let box = UncheckedBox(newValue)
      observations.withMutation(of: self, keyPath: \.[observed: ObjectIdentifier(key)]) {
        storage.withLock { storage in
          guard let value = box.value else { return }
          storage.slots[ObjectIdentifier(key)] = Slot(key: key, value: value)
        }
      }
    }
  }

  /// A stand-in for a property in observation, because a key path cannot hold the type of its key.
  private subscript(observed key: ObjectIdentifier) -> Bool { true }

  /// The entries after the instructions.
  ///
  /// Writing changes the history for every profile of the session, starting with the next request
  /// to a model. Hooks may write it, and so may any code while the session is not responding.
  /// Dynamic instructions, bodies of profiles and tools may only read it: a write there has no
  /// effect and ends the turn with ``SessionPropertyValues/HistoryIsReadOnly``. A write from
  /// outside during a response has no effect either and, unless `onExit` is already running, ends
  /// the turn with ``LanguageModelSession/Error/transcriptMutationWhileResponding``.
  public var history: Transcript.HistoryView {
    get {
      guard let session = storage.withLock({ $0.session }) else { return [] }
      // Code that the turn runs does not see what is still being generated: if it wrote that back,
      // the entries would appear twice.
      let isInside = SessionScope.current.map { $0.values === self && !$0.isOver } ?? false
      return (isInside ? session.recordedTranscript : session.transcript).history
    }
    set {
      let session = storage.withLock { $0.session }
      // Code that a hook leaves running is outside of later turns.
      guard let scope = SessionScope.current, scope.values === self, !scope.isOver else {
        session?.replaceHistory(with: newValue)
        return
      }
      if let fault = scope.historyFault {
        scope.note(fault)
      } else {
        session?.rewriteHistory(newValue)
      }
    }
  }
}

/// A box that carries a value across a lock that accepts only Sendable values.
///
/// The lock makes it safe.
struct UncheckedBox: @unchecked Sendable {
  let value: Any?

  init(_ value: Any?) {
    self.value = value
  }
}

public import Observation
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
///
/// Properties outlive turns, also turns that fail: what was written stays written when the transcript
/// is reverted.
public final class SessionPropertyValues: Sendable, Observable {
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
  private let observations = ObservationRegistrar()

  init() {}

  func attach(_ session: LanguageModelSession) {
    storage.withLock { $0.session = session }
  }

  /// One property.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      observations.access(self, keyPath: \.[observed: ObjectIdentifier(key)])
      let box = storage.withLock { UncheckedBox($0.slots[ObjectIdentifier(key)]?.value) }
      // Unwrapped first: a cast of nothing to an optional type would succeed, with nil.
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

  /// What stands for a property where it is observed: a path cannot hold the type of its key.
  private subscript(observed key: ObjectIdentifier) -> Bool { true }

  /// The entries after the instructions.
  ///
  /// Writing changes them for every profile of the session, from the next request to a model on.
  /// Hooks may write, and anybody while the session does not respond. Dynamic instructions, bodies of
  /// profiles and tools may only read: a write there has no effect and ends the turn with
  /// `HistoryIsReadOnly`. A write from outside during a response has no effect and, before its exit is
  /// told, ends the turn with `LanguageModelSession.Error.transcriptMutationWhileResponding`.
  public var history: Transcript.HistoryView {
    get {
      guard let session = storage.withLock({ $0.session }) else { return [] }
      // What is still being generated is no history for the code that the turn runs: where it is
      // written back, it would be there twice.
      let isInside = SessionScope.current.map { $0.values === self && !$0.isOver } ?? false
      return (isInside ? session.recordedTranscript : session.transcript).history
    }
    set {
      let session = storage.withLock { $0.session }
      // What a hook has left running is outside of the turns that come later.
      guard let scope = SessionScope.current, scope.values === self, !scope.isOver else {
        session?.transcript.history = newValue
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

/// Carries a value across a lock that only takes Sendable ones.
///
/// The lock is what makes it safe.
struct UncheckedBox: @unchecked Sendable {
  let value: Any?

  init(_ value: Any?) {
    self.value = value
  }
}

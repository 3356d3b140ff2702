import Synchronization

/// The session in which code runs, and the part of it.
final class SessionScope: Sendable {
  @TaskLocal static var current: SessionScope?

  enum Place: Sendable {
    /// The session itself and its profile's hooks.
    case turn
    /// A body under evaluation, by its type.
    case body(Any.Type)
    /// A tool, by its name.
    case tool(String)
  }

  let values: SessionPropertyValues
  let place: Place
  private let faults: Faults
  private let over = Atomic(false)

  /// The first misuse in a place that could not throw.
  private final class Faults: Sendable {
    let first = Mutex<(any Error)?>(nil)
  }

  init(_ values: SessionPropertyValues, _ place: Place) {
    self.values = values
    self.place = place
    faults = Faults()
  }

  private init(_ outer: SessionScope, body: Any.Type) {
    values = outer.values
    place = .body(body)
    faults = outer.faults
  }

  /// Evaluates a body nested in another.
  static func inBody<Result>(of type: Any.Type, _ evaluate: () -> Result) -> Result {
    guard let outer = current else { return evaluate() }
    let inner = SessionScope(outer, body: type)
    return $current.withValue(inner, operation: evaluate)
  }

  /// Whether this part of the session is over; code still running in it was left behind.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func end() { over.store(true, ordering: .releasing) }

  func note(_ fault: any Error) {
    faults.first.withLock { $0 = $0 ?? fault }
  }

  /// Throws the recorded misuse.
  ///
  /// - Throws: The first error that was noted.
  func check() throws {
    if let fault = faults.first.withLock({ $0 }) { throw fault }
  }
}

extension SessionPropertyValues {
  /// An error that says that the history was written where it can only be read.
  ///
  /// Dynamic instructions, bodies of profiles and tools may read the history. What a model
  /// generates decides what they do, so by writing it they would change what they depend on.
  /// FoundationModels documents that but does not specify the effect of such a write. Here the
  /// write has no effect, and the turn ends with this error: by itself for a body, and inside a
  /// ``LanguageModelSession/ToolCallError`` for a tool.
  public struct HistoryIsReadOnly: Error, Sendable, CustomDebugStringConvertible {
    /// The place of the write, such as "the tool 'planner'".
    public let place: String

    /// A description of the error for developers.
    public var debugDescription: String {
      "The history was written in \(place), where it can only be read;"
        + " write it in a hook of a profile, such as onResponse."
    }
  }
}

extension SessionScope {
  /// Why the history cannot be written here, or `nil` if it can.
  var historyFault: SessionPropertyValues.HistoryIsReadOnly? {
    switch place {
    case .turn: nil
    case .body(let type): .init(place: "the body of '\(type)'")
    case .tool(let name): .init(place: "the tool '\(name)'")
    }
  }
}

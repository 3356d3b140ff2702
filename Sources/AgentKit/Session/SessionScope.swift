import Synchronization

/// In which session code runs, and in which part of it.
final class SessionScope: Sendable {
  @TaskLocal static var current: SessionScope?

  /// A part of a session.
  enum Place: Sendable {
    /// The session itself, and a profile's hooks.
    case turn
    /// A body that is evaluated, by its type.
    case body(Any.Type)
    /// A tool, by its name.
    case tool(String)
  }

  let values: SessionPropertyValues
  let place: Place
  private let faults: Faults
  private let over = Atomic(false)

  /// The first thing that was done wrong where nothing could be thrown.
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

  /// Evaluates a body that stands inside another.
  static func inBody<Result>(of type: Any.Type, _ evaluate: () -> Result) -> Result {
    guard let outer = current else { return evaluate() }
    let inner = SessionScope(outer, body: type)
    return $current.withValue(inner, operation: evaluate)
  }

  /// Whether its part of the session is over, and whatever runs in it still was left behind there.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func end() { over.store(true, ordering: .releasing) }

  func note(_ fault: any Error) {
    faults.first.withLock { $0 = $0 ?? fault }
  }

  /// - Throws: What was noted.
  func check() throws {
    if let fault = faults.first.withLock({ $0 }) { throw fault }
  }
}

extension SessionPropertyValues {
  /// The history was written where it can only be read.
  ///
  /// Dynamic instructions, bodies of profiles and tools may read the history. What a model generates
  /// decides what they do, so a change by them would change the ground that they stand on.
  /// FoundationModels documents that and leaves open what becomes of such a write. Here the write has
  /// no effect, and the turn ends with this error: thrown by itself for a body, and inside a
  /// `LanguageModelSession.ToolCallError` for a tool.
  public struct HistoryIsReadOnly: Error, Sendable, CustomDebugStringConvertible {
    /// Where it was written, such as "the tool 'planner'".
    public let place: String

    /// What happened, for a developer.
    public var debugDescription: String {
      "The history was written in \(place), where it can only be read;"
        + " write it in a hook of a profile, such as onResponse."
    }
  }
}

extension SessionScope {
  /// Why the history cannot be written here; `nil` where it can.
  var historyFault: SessionPropertyValues.HistoryIsReadOnly? {
    switch place {
    case .turn: nil
    case .body(let type): .init(place: "the body of '\(type)'")
    case .tool(let name): .init(place: "the tool '\(name)'")
    }
  }
}

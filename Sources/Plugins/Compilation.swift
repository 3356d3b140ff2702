import Foundation
import Synchronization

/// How far the compilation of a folder's agents has come.
package struct Compilation: Codable, Sendable, Equatable {
  /// The sources that are done, of all.
  package var done = 0
  package var total: Int
  package var sources: [String] = []
  /// How many of those that are done had to be compiled.
  package var compiled = 0
  /// The seconds since the first of them began.
  package var seconds = 0.0

  /// The seconds that the rest takes at this rate; `nil` as long as nothing is compiled.
  package var secondsLeft: Double? {
    compiled > 0 ? Double(max(0, total - done)) * seconds / Double(compiled) : nil
  }
}

/// Watches a compilation, for those who ask how far it has come.
final class CompilationMeter: Sendable {
  private struct State {
    var compilation: Compilation?
    var start: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// The compilation that is under way; `nil` when none is, or nothing had to be compiled so far.
  var current: Compilation? {
    state.withLock { state in
      guard var compilation = state.compilation, let start = state.start else { return nil }
      compilation.seconds = (ContinuousClock.now - start) / .seconds(1)
      return compilation
    }
  }

  func begin(of total: Int) {
    state.withLock { $0 = State(compilation: Compilation(total: total)) }
  }

  func began(_ source: String) {
    state.withLock { state in
      state.start = state.start ?? .now
      state.compilation?.sources.append(source)
    }
  }

  func finished(_ source: String) {
    state.withLock { state in
      state.compilation?.done += 1
      guard state.compilation?.sources.contains(source) == true else { return }
      // A source that changed meanwhile was begun more than once.
      state.compilation?.sources.removeAll { $0 == source }
      state.compilation?.compiled += 1
    }
  }

  func end() { state.withLock { $0 = State() } }
}

import CSystemCalls
import Dispatch
import Foundation
import Synchronization

/// The whole screen of a terminal, for a command that shows what changes.
///
/// The terminal is given back however the process ends, except by SIGKILL.
package final class Screen: Sendable {
  private struct State {
    var isWriting = false
    var isOver = false
    /// What is drawn when the terminal has taken what is being written; only the latest counts.
    var next: String?
  }

  private let state = Mutex(State())
  // The terminal may stall, as one behind a slow line does; only this queue waits for it.
  private let queue = DispatchQueue(label: "screen")

  /// Takes the screen.
  /// - Returns: `nil` when input or output is no terminal that can be drawn on.
  package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      environment["TERM", default: "dumb"] != "dumb"
    else { return nil }
    csystem_kill_children_at_crash()
    guard csystem_begin_screen(STDIN_FILENO, STDOUT_FILENO) == 0 else { return nil }
  }

  /// How long the last frame may take at the end.
  private static let patience = DispatchTimeInterval.milliseconds(200)

  /// Gives the screen back.
  package func end() {
    state.withLock { ($0.isOver, $0.next) = (true, nil) }
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + Self.patience)
    csystem_end_screen()
  }

  /// The size of the screen; that of a common one where the terminal does not tell.
  package var size: (columns: Int, rows: Int) {
    let (columns, rows) = (csystem_columns(STDOUT_FILENO), csystem_rows(STDOUT_FILENO))
    return (columns > 0 ? Int(columns) : 80, rows > 0 ? Int(rows) : 24)
  }

  /// The keys that are pressed, in pieces as the terminal sends them, for a single reader; ends with
  /// the terminal.
  package func pieces() -> LineReader { LineReader(DescriptorPieces(STDIN_FILENO)) }

  /// Waits for changes after which the screen must be drawn anew: another size, or the end of a stop
  /// by Ctrl-Z, which gives the terminal back as long as it lasts.
  ///
  /// Returns when the task is cancelled.
  package func eachChange(_ body: () -> Void) async {
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let resizing = Self.source(SIGWINCH, queue) { continuation.yield() }
    // On the queue, so that nothing is being written then.
    let stopping = Self.source(SIGTSTP, queue) {
      csystem_stop_screen()
      continuation.yield()
    }
    defer {
      resizing.cancel()
      stopping.cancel()
    }
    for await _ in changes { body() }
  }

  private static func source(
    _ number: Int32,
    _ queue: DispatchQueue,
    _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler(handler: handler)
    source.resume()
    return source
  }

  /// Draws lines from the top, as many as there is room for.
  package func draw(_ lines: [StyledText]) {
    let (columns, rows) = size
    let isStyled = ColorChoice.isStyled(STDOUT_FILENO)
    let drawn = lines.prefix(rows).map {
      $0.fitted(to: columns).rendered(isStyled: isStyled) + "\u{1B}[K"
    }
    // From the top, over what is there: clearing first would flicker.
    write("\u{1B}[H" + drawn.joined(separator: "\r\n") + "\u{1B}[J")
  }

  private func write(_ frame: String) {
    let isFree = state.withLock { state in
      if state.isOver { return false }
      if state.isWriting { state.next = frame }
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isFree { queue.async { self.writeAll(frame) } }
  }

  private func writeAll(_ frame: String) {
    var frame = Optional(frame)
    while let text = frame {
      Terminal.writeAll(Array(text.utf8), to: STDOUT_FILENO)
      frame = state.withLock { state in
        defer { state.next = nil }
        state.isWriting = state.next != nil
        return state.next
      }
    }
  }
}

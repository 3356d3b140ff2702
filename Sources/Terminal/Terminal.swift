import CSystemCalls
import Dispatch
package import Foundation
import Synchronization

/// The output that a person sees: answers on standard output, everything else on standard error.
package final class Terminal: Sendable {
  package let isInteractive: Bool
  /// Whether a person types the input, wherever the answers go.
  package let isTyped: Bool
  /// Whether a person can be asked, wherever the answers go.
  package let canAsk: Bool
  private let isDimmable: Bool

  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isTyped = isatty(STDIN_FILENO) == 1
    isInteractive = isTyped && isatty(STDOUT_FILENO) == 1
    canAsk = isTyped && isatty(STDERR_FILENO) == 1
    isDimmable = ColorChoice.current.isStyled(isTerminal: isatty(STDERR_FILENO) == 1, environment)
  }

  /// Writes a part of an answer.
  package func write(_ text: String) {
    guard !text.isEmpty else { return }
    Self.column.withLock { column in
      Self.put(text, STDOUT_FILENO)
      column = text.utf8.last == UInt8(ascii: "\n") ? 0 : 1
    }
  }

  /// Writes the result of a command, with a line end.
  package static func show(_ value: some CustomStringConvertible) { show(text: "\(value)\n") }

  /// Writes text that a model or a tool may have influenced.
  ///
  /// It must not control a terminal, and behind a pipe there often is one.
  package static func show(text: String) {
    let shown = text.forTerminal
    queue.async { write(Array(shown.utf8), to: STDOUT_FILENO) }
  }

  /// Writes lines with their styles, where standard output has styles.
  package static func show(_ lines: [StyledText]) {
    let isStyled = ColorChoice.isStyled(STDOUT_FILENO)
    let shown = lines.map { $0.rendered(isStyled: isStyled) + "\n" }.joined()
    queue.async { write(Array(shown.utf8), to: STDOUT_FILENO) }
  }

  /// Writes JSON for programs, with a line end.
  ///
  /// A filter could make it invalid, and finds nothing in what JSONOutput writes.
  package static func show(json: String) {
    queue.async { write(Array("\(json)\n".utf8), to: STDOUT_FILENO) }
  }

  /// Writes bytes that may not be text.
  package static func show(_ bytes: Data) {
    if isatty(STDOUT_FILENO) == 1 {
      return put(String(decoding: bytes, as: UTF8.self), STDOUT_FILENO)
    }
    queue.async { write(Array(bytes), to: STDOUT_FILENO) }
  }

  /// Ends the line of an answer, if one was begun.
  package func endLine() {
    Self.column.withLock { column in
      if column > 0 { Self.put("\n", STDOUT_FILENO) }
      column = 0
    }
  }

  /// Writes a note on one line, apart from the answer.
  package func note(_ text: String) {
    Self.column.withLock { column in
      // On a terminal both streams meet, and a note must not land in the middle of an answer.
      if column > 0, isInteractive {
        Self.put("\n", STDOUT_FILENO)
        column = 0
      }
      let line = text.lines.joined(separator: "\n  ")
      Self.put(line, STDERR_FILENO, isDimmed: isDimmable, end: "\n")
    }
  }

  /// Asks for a line.
  package func prompt(_ text: String) {
    Self.column.withLock { _ in Self.put(text, STDOUT_FILENO) }
  }

  /// Where the last line of an answer stands: 0 at its beginning.
  ///
  /// Shared by all instances, because they write to one standard output.
  private static let column = Mutex(0)
  // The reader may stall; only this queue waits for it.
  private static let queue = DispatchQueue(label: "terminal")
  /// How long a process that was told to end waits for its reader.
  private static let flushPatience = DispatchTimeInterval.seconds(1)
  private static let isHurried = Mutex(false)
  /// The first error that kept standard output from being written.
  private static let fault = Mutex<Int32?>(nil)
  private static let hasLostReader = Mutex(false)

  /// Whether standard output is known to have no reader any more.
  package static var isUnread: Bool { hasLostReader.withLock { $0 } }

  /// Records that this process was told to end.
  package static func hurry() { isHurried.withLock { $0 = true } }

  /// Writes in one piece, so that output of other processes lands before or after it.
  private static func put(
    _ text: String,
    _ descriptor: Int32,
    isDimmed: Bool = false,
    end: String = ""
  ) {
    // Text from a model or a tool must not control the terminal.
    let shown = isatty(descriptor) == 1 ? text.forTerminal : text
    let all = (isDimmed ? Style.dim.sequence + shown + Style.end : shown) + end
    queue.async { write(Array(all.utf8), to: descriptor) }
  }

  /// Shows a line that the next output replaces, or removes it; only on a terminal.
  package static func status(_ text: String?) {
    guard isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else {
      return
    }
    // An answer that has begun a line goes on in it.
    let text = column.withLock { $0 } == 0 ? text : nil
    let columns = Int(csystem_columns(STDERR_FILENO))
    let line = text.map {
      StyledText($0.inOneLine, .dim).fitted(to: columns > 1 ? columns - 1 : 79)
    }
    queue.async {
      removeStatus()
      guard let line else { return }
      isStatusShown.withLock { $0 = true }
      let shown = line.rendered(isStyled: ColorChoice.isStyled(STDERR_FILENO))
      writeAll(Array(shown.utf8), to: STDERR_FILENO)
    }
  }

  private static let isStatusShown = Mutex(false)

  /// Removes the line that other output replaces; on the queue.
  private static func removeStatus() {
    let wasShown = isStatusShown.withLock { isShown in
      defer { isShown = false }
      return isShown
    }
    if wasShown { writeAll(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
  }

  /// Waits until everything is written.
  ///
  /// This takes as long as the reader does, as for any program that writes into a pipe; a signal
  /// ends the wait and the process. A process that was told to end waits one second.
  /// - Returns: The code of the error that kept standard output from being written, if any.
  package static func flush() -> Int32? {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    if isHurried.withLock({ $0 }) {
      _ = done.wait(timeout: .now() + flushPatience)
    } else {
      done.wait()
    }
    return fault.withLock { $0 }
  }

  private static func write(_ all: [UInt8], to descriptor: Int32) {
    removeStatus()
    writeAll(all, to: descriptor)
  }

  /// Writes all bytes, as soon as the reader takes them.
  static func writeAll(_ all: [UInt8], to descriptor: Int32) {
    var bytes = all[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, -1)
      } else if errno != EINTR {
        let code = errno
        guard descriptor == STDOUT_FILENO else { return }
        // Without a reader, there is no one to report it to.
        if code == EPIPE {
          hasLostReader.withLock { $0 = true }
        } else {
          fault.withLock { $0 = $0 ?? code }
        }
        return
      }
    }
  }
}

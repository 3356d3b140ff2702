import Dispatch
import Foundation
import Synchronization

/// What a person sees: answers on standard output, everything else on standard error.
final class Terminal: Sendable {
  let isInteractive: Bool
  /// Whether a person types what is read, wherever the answers go.
  let isTyped: Bool
  /// Whether a person can be asked something, wherever the answers go.
  let canAsk: Bool
  private let isDimmable: Bool
  private let column = Mutex(0)

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isTyped = isatty(STDIN_FILENO) == 1
    isInteractive = isTyped && isatty(STDOUT_FILENO) == 1
    canAsk = isTyped && isatty(STDERR_FILENO) == 1
    isDimmable =
      isatty(STDERR_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Writes a part of an answer.
  func write(_ text: String) {
    guard !text.isEmpty else { return }
    column.withLock { column in
      Self.put(text, STDOUT_FILENO)
      column = text.utf8.last == UInt8(ascii: "\n") ? 0 : 1
    }
  }

  /// Writes what a command was asked for, with the end of a line.
  static func show(_ value: some CustomStringConvertible) {
    put("\(value)\n", STDOUT_FILENO)
  }

  /// Writes what is perhaps no text.
  static func show(_ bytes: Data) {
    if isatty(STDOUT_FILENO) == 1 {
      return put(String(decoding: bytes, as: UTF8.self), STDOUT_FILENO)
    }
    queue.async { write(Array(bytes), to: STDOUT_FILENO) }
  }

  /// Ends the line of an answer, if one was begun.
  func endLine() {
    column.withLock { column in
      if column > 0 { Self.put("\n", STDOUT_FILENO) }
      column = 0
    }
  }

  /// Says something beside the answer, on one line.
  func note(_ text: String) {
    column.withLock { column in
      // On a terminal both streams meet, and a note must not stand in the middle of an answer.
      if column > 0, isInteractive {
        Self.put("\n", STDOUT_FILENO)
        column = 0
      }
      let line = text.lines.joined(separator: "\n  ")
      Self.put(line, STDERR_FILENO, isDimmed: isDimmable, end: "\n")
    }
  }

  /// Asks for a line.
  func prompt(_ text: String) {
    column.withLock { _ in Self.put(text, STDOUT_FILENO) }
  }

  // Whoever reads may stop reading, and nothing but this queue waits for it.
  private static let queue = DispatchQueue(label: "terminal")
  /// How long a process that was told to end waits for whoever reads.
  private static let flushPatience = DispatchTimeInterval.seconds(1)
  private static let isHurried = Mutex(false)
  /// What kept standard output from being written, first.
  private static let fault = Mutex<Int32?>(nil)
  private static let hasLostReader = Mutex(false)

  /// Whether nobody reads standard output any more, as far as that has been noticed.
  static var isUnread: Bool { hasLostReader.withLock { $0 } }

  /// Somebody has told this process to end.
  static func hurry() { isHurried.withLock { $0 = true } }

  /// At once, so that what others write there stands before or after it.
  private static func put(
    _ text: String,
    _ descriptor: Int32,
    isDimmed: Bool = false,
    end: String = ""
  ) {
    // What a model or a tool says must not steer the terminal.
    let shown = isatty(descriptor) == 1 ? text.forTerminal : text
    let all = (isDimmed ? "\u{1B}[2m\(shown)\u{1B}[0m" : shown) + end
    queue.async { write(Array(all.utf8), to: descriptor) }
  }

  /// Waits until everything is written.
  ///
  /// For as long as whoever reads takes, as every program does that writes into a pipe; a signal ends the
  /// wait, and the process. One that was told to end waits a second.
  /// - Returns: The code of the error that kept standard output from being written, if one did.
  static func flush() -> Int32? {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    if isHurried.withLock({ $0 }) {
      _ = done.wait(timeout: .now() + flushPatience)
    } else {
      Signals.endAtOnce()
      done.wait()
    }
    return fault.withLock { $0 }
  }

  private static func write(_ all: [UInt8], to descriptor: Int32) {
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
        // When nobody reads any more there is nobody to tell either.
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

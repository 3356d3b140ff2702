import Foundation
package import Logging
import Synchronization

/// The log of a coordinator: a file beside those of the workers, and the terminal.
package struct CoordinatorLog: LogHandler {
  package enum Format: String, Sendable, CaseIterable { case text, json }

  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]

  private let format: Format
  private let file: LogFile?
  /// Writes a line for a person, from `consoleLevel` on.
  private let console: @Sendable (String) -> Void
  private let consoleLevel: Logger.Level

  /// Makes a handler.
  /// - Parameters:
  ///   - level: What is logged; `nil` for `info` in the file and `notice` on the terminal.
  ///   - path: The file; `nil` for none.
  package init(
    level: Logger.Level?,
    format: Format,
    path: String?,
    console: @escaping @Sendable (String) -> Void
  ) {
    logLevel = level ?? .info
    consoleLevel = level ?? .notice
    self.format = format
    file = path.map(LogFile.init)
    self.console = console
  }

  package static func logger(
    level: Logger.Level?,
    format: Format,
    path: String?,
    console: @escaping @Sendable (String) -> Void
  ) -> Logger {
    Logger(label: "coordinator") { _ in
      CoordinatorLog(level: level, format: format, path: path, console: console)
    }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let facts = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(\.description)
    let line = format == .json ? json(event, facts) : text(event, facts)
    file?.write(line)
    guard event.level >= consoleLevel else { return }
    // A person reads the message alone; a log collector reads all of it.
    console(format == .json ? line : event.message.description)
  }

  private func text(_ event: LogEvent, _ facts: [String: String]) -> String {
    let words = facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let message = event.message.description.replacing("\n", with: "\n  ")
    return ([Self.now, event.level.rawValue, message] + words).joined(separator: " ")
  }

  private func json(_ event: LogEvent, _ facts: [String: String]) -> String {
    let fields = [
      "time": Self.now, "level": event.level.rawValue, "message": event.message.description,
    ].merging(facts) { own, _ in own }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings can always be encoded.
    return (try? encoder.encode(fields)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static var now: String {
    let format = Date.ISO8601FormatStyle.iso8601.year().month().day()
    return Date().formatted(
      format.timeZone(separator: .omitted).time(includingFractionalSeconds: true)
    )
  }
}

/// A log file, started anew when it is full; the older half lies beside it.
private final class LogFile: Sendable {
  private static let maximumBytes = 4 << 20

  private let path: String
  private let descriptor: Mutex<Int32>

  init(_ path: String) {
    self.path = path
    descriptor = Mutex(-1)
  }

  deinit { descriptor.withLock { _ = close($0) } }

  func write(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    descriptor.withLock { file in
      // The folder may have been made since the last line.
      if file < 0 { file = Self.open(path) }
      if lseek(file, 0, SEEK_END) > Self.maximumBytes {
        close(file)
        rename(path, path + ".1")
        file = Self.open(path)
      }
      // A full disk loses log lines and nothing else.
      _ = Foundation.write(file, bytes, bytes.count)
    }
  }

  private static func open(_ path: String) -> Int32 {
    Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }
}

import CLlama
import Libllama
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What llama.cpp needs once a process, and where its log goes.
enum Runtime {
  /// Set up on first use; without it the common library would start a thread of its own.
  static let started: Void = {
    cllama_quiet(receive)
    llama_backend_init()
  }()

  static let log = LogTail()
}

/// The last error lines of llama.cpp: the only reason it gives for a model that it refuses.
final class LogTail: Sendable {
  private struct State {
    var isError = false
    var isShown = false
    var line = ""
    var lines: [String] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let limit = 8

  /// How many error lines there have been.
  var count: Int { state.withLock { $0.count } }

  /// The error lines that came after the first `count`.
  func lines(after count: Int) -> [String] {
    state.withLock { Array($0.lines.suffix($0.count - count)) }
  }

  /// Takes a piece of the log and says whether it belongs in the worker's own log.
  func take(level: ggml_log_level, text: String) -> Bool {
    state.withLock { state in
      if level != GGML_LOG_LEVEL_CONT {
        state.isError = level == GGML_LOG_LEVEL_ERROR
        state.isShown = level != GGML_LOG_LEVEL_DEBUG
        state.line = ""
      }
      guard state.isError else { return state.isShown }
      state.line += text
      if state.line.last == "\n" {
        state.lines.append(String(state.line.dropLast()))
        state.count += 1
        state.lines.removeFirst(max(0, state.lines.count - limit))
        state.line = ""
      }
      return true
    }
  }
}

private func receive(level: Int32, text: UnsafePointer<CChar>?) {
  guard let text, let level = UInt32(exactly: level) else { return }
  if Runtime.log.take(level: ggml_log_level(level), text: String(cString: text)) {
    // A log that cannot be written has nobody left to be told.
    _ = write(STDERR_FILENO, text, strlen(text))
  }
}

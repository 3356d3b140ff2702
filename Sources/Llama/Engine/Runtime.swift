import CLlama
import Libllama
import PlatformLibraries
import Synchronization

/// What llama.cpp needs once per process, and where its log goes.
enum Runtime {
  /// Set up on first use; otherwise the common library would start a thread of its own.
  static let started: Void = {
    cllama_initialize()
    cllama_quiet(receive)
    llama_backend_init()
  }()

  static let log = LogTail()
}

/// The last error lines of llama.cpp, its only explanation for rejecting a model.
final class LogTail: Sendable {
  private struct State {
    var isError = false
    var isShown = false
    var line = ""
    var lines: [String] = []
    var count = 0
    /// How many steps are being ended on purpose.
    var endings = 0
  }

  /// What llama.cpp says where there is no room: others are forgotten then, or the request fails
  /// with an error of ours.
  private static let wantsOfRoom = ["failed to find a memory slot", "failed to prepare "]

  private let state = Mutex(State())
  private let limit = 8

  /// The number of error lines so far.
  var count: Int { state.withLock { $0.count } }

  /// Returns the error lines that came after the first `count`.
  func lines(after count: Int) -> [String] {
    state.withLock { Array($0.lines.suffix($0.count - count)) }
  }

  /// Begins to leave out errors: llama.cpp reports each step that is ended on purpose as failed.
  func beginEnding() { state.withLock { $0.endings += 1 } }

  /// Ends what ``beginEnding()`` began.
  func finishEnding() { state.withLock { $0.endings -= 1 } }

  /// Takes a piece of the log.
  ///
  /// - Returns: Whether it belongs in the worker's own log.
  func take(level: ggml_log_level, text: String) -> Bool {
    state.withLock { state in
      if level != GGML_LOG_LEVEL_CONT {
        let isError = level == GGML_LOG_LEVEL_ERROR
        let isMeant =
          isError && state.endings > 0 || Self.wantsOfRoom.contains { text.contains($0) }
        state.isError = isError && !isMeant
        state.isShown = level != GGML_LOG_LEVEL_DEBUG && !isMeant
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
    // If the log cannot be written, the error cannot be reported.
    _ = write(STDERR_FILENO, text, strlen(text))
  }
}

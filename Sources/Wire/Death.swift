/// An event of a worker's life as the coordinator sees it: messages, then one end.
package enum WorkerEvent: Sendable, Equatable {
  case message(FromWorker)
  case ended(Death)
}

/// How a worker's life ended.
///
/// Only a farewell is a proper end: an exit code, a closed pipe or a launcher's return say nothing
/// about what the worker has done.
package struct Death: Sendable, Equatable, Codable {
  package enum Cause: Sendable, Equatable, Codable {
    /// It said farewell.
    case farewell(Farewell)
    /// It exited without a farewell.
    case exited(code: Int32)
    /// A signal ended it.
    case signaled(Int32)
    /// There was not enough memory for it.
    case outOfMemory(OutOfMemory)
    /// It put too much into a folder that it may write to and was killed.
    case scratchFull(ScratchExcess)
    /// It had more threads than this, including those of its programs, and was killed.
    case tooManyThreads(limit: Int)
    /// It had reached a bound, and another took its place.
    case exhausted(Exhaustion)
    /// It did not answer for this long and was killed.
    case hung(seconds: Int)
    /// It did not become ready in time and was killed.
    case notReady(seconds: Int)
    /// It broke the protocol and was killed.
    case breach(String)
    /// Its host is gone or can no longer be reached; what it did last is unknown.
    case lost(host: String)
  }

  package var cause: Cause
  package var lastLines: [String]

  package init(cause: Cause, lastLines: [String]) {
    self.cause = cause
    self.lastLines = lastLines
  }
}

extension Death: CustomStringConvertible {
  package var description: String {
    switch cause {
    case .farewell(.done): "it ended"
    case .farewell(.unable): "it could not start its work"
    case .exited(let code): "it exited unexpectedly with code \(code)"
    case .signaled(let signal): "it was killed by signal \(signal)"
    case .outOfMemory(let end): end.description
    case .scratchFull(let excess): "it was killed for having \(excess)"
    case .tooManyThreads(let limit):
      "it was killed for having more than \(limit) threads, including those of its programs"
    case .exhausted(let exhaustion): exhaustion.description
    case .hung(let seconds): "it did not respond for \(seconds) s and was killed"
    case .notReady(let seconds): "it was not ready after \(seconds) s and was killed"
    case .breach(let problem): "it broke the protocol with \(problem), and was killed"
    case .lost(let host): "it was lost with its host '\(host)'"
    }
  }
}

extension Death {
  /// The kind of end as a single word for programs; `nil` for a proper end.
  package var kind: String? {
    switch cause {
    case .farewell(.done): nil
    case .farewell(.unable): "unable"
    case .exited: "exited"
    case .signaled: "signaled"
    case .outOfMemory: "outOfMemory"
    case .scratchFull: "scratchFull"
    case .tooManyThreads: "tooManyThreads"
    case .exhausted: "exhausted"
    case .hung: "hung"
    case .notReady: "notReady"
    case .breach: "breach"
    case .lost: "lost"
    }
  }

  /// The line of its log that says most about its end.
  ///
  /// That is Swift's message about a trap rather than the stack frames below it or what the worker
  /// did before it was ended from outside.
  package var lastWords: String? {
    lastLines.last { $0.contains("Fatal error:") }
      ?? lastLines.last { line in
        !line.contains(" 0x") && !line.allSatisfy(\.isWhitespace)
          && !(wasUnaware && line.hasPrefix(Self.ownLinePrefix))
      }
  }

  /// The prefix of a worker's own lines in its log.
  package static let ownLinePrefix = "worker: "

  /// Whether the worker could not say anything about its end.
  private var wasUnaware: Bool {
    switch cause {
    case .signaled, .hung, .notReady, .scratchFull, .tooManyThreads, .lost: true
    case .farewell, .exited, .outOfMemory, .exhausted, .breach: false
    }
  }
}

/// How a worker exceeded the limit of a folder that it may write to.
package enum ScratchExcess: Sendable, Equatable, Codable {
  package enum Folder: Sendable, Codable {
    case scratch, prefixes
  }

  case bytes(limit: Int, in: Folder = .scratch)
  case files(limit: Int, in: Folder = .scratch)
}

extension ScratchExcess: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bytes(let limit, let folder): "more than \(limit / 1_000_000) MB in \(folder)"
    case .files(let limit, let folder): "more than \(limit) files in \(folder)"
    }
  }
}

extension ScratchExcess.Folder: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scratch: "its scratch folder"
    case .prefixes: "its folder of prefixes"
    }
  }
}

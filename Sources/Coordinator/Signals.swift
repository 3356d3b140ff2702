import CSystemCalls
import Dispatch
import Foundation
import Synchronization

/// The signals that ask this process to end.
package enum Signals {
  /// The signals that no longer end the process by themselves.
  private static let taken = Mutex<Set<Int32>>([])

  /// Makes a further signal end the process at once: all that is left is output to be read.
  package static func endAtOnce() {
    taken.withLock { for number in $0 { signal(number, SIG_DFL) } }
  }

  /// Waits for one of the signals.
  /// - Returns: Its number; `nil` when the task is cancelled.
  package static func next() async -> Int32? {
    // What the parent has ignored, as nohup does, stays ignored.
    let numbers = [SIGINT, SIGTERM, SIGHUP].filter { csystem_is_ignored($0) == 0 }
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let sources = numbers.map { number in
      // The default action would end the process before its workers are told.
      signal(number, SIG_IGN)
      taken.withLock { _ = $0.insert(number) }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    for await number in stream { return number }
    return nil
  }
}
